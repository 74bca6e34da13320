// Owns the ways to compute a function that a check compares: its definition, and the kernel of each vector target.
#pragma once
#include <string>
#include <vector>

#include "exhaustive/truth.h"
#include "topos/kernel/task.h"
#include "topos/kernel/vector_target.h"

namespace topos::exhaustive {

/// Runs over a row of `n` numbers; any thread may.
template <class T>
class Variant {
 public:
  Variant(std::string name, T (*function)(T)) : name_(std::move(name)), function_(function) {}
  Variant(std::string name, kernel::Prepared prepared) : name_(std::move(name)), prepared_(std::move(prepared)) {}

  const std::string& name() const { return name_; }
  void operator()(std::size_t n, const T* x, T* out) const {
    if (function_ == nullptr) {
      const void* const operands[kernel::max_operands] = {x};
      prepared_.run(prepared_.task, operands, out, nullptr);
    } else {
      for (std::size_t i = 0; i < n; ++i) out[i] = function_(x[i]);
    }
  }

 private:
  std::string name_;
  T (*function_)(T) = nullptr;
  kernel::Prepared prepared_;
};

/// The definition and the kernels that this machine can run, for rows of `n`.
template <class T>
std::vector<Variant<T>> variants_of(const Known& known, T (*definition)(T), std::size_t n) {
  std::vector<Variant<T>> variants;
  variants.emplace_back("definition", definition);
  kernel::Task task;
  task.kind = kernel::Kind::unary;
  task.function = known.function;
  task.operand_count = 1;
  task.result = kernel::contiguous({sizeof(T) == 4 ? f32 : f64, {static_cast<Extent>(n)}});
  task.operands[0] = task.result;
  for (const auto target : kernel::available_targets()) {
    kernel::use_target(target);
    auto prepared = kernel::prepare(task);
    if (prepared.run == nullptr || prepared.scratch_bytes != 0)
      throw std::runtime_error("no kernel without scratch of " + std::string(known.name));
    variants.emplace_back(std::string(target), std::move(prepared));
  }
  kernel::use_target("");
  return variants;
}

}  // namespace topos::exhaustive
