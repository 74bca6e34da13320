// The result of one forward execution, and the engine's backward over it.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topos/spec/adjoints.h"
#include "topos/spec/parameters.h"

namespace topos {

struct Spec;

/// A cotangent for every node of a run: what the reverse scan reached, zeros elsewhere.
class Field {
 public:
  Field(std::shared_ptr<const Spec> spec, std::vector<std::optional<Tensor>> payloads, std::size_t size);

  /// One node's cotangent. Throws Error(family), Error(coverage) for a node after the run, and Error(type) for a node
  /// that carries none: indices and predicates.
  Tensor of(Symbol symbol) const;
  /// The cotangents of the parameters, in slot order. Throws Error(family), or Error(coverage) for parameters that the
  /// field does not reach.
  Parameters parameters(const Parameters& like) const;
  /// Every cotangent times a factor; the sum of two fields of one network. Throws Error(family).
  Field scale(double factor) const;
  friend Field operator+(const Field& a, const Field& b);

 private:
  std::shared_ptr<const Spec> spec_;
  std::vector<std::optional<Tensor>> payloads_;
  std::size_t size_;
};
using Gradients = Field;

/// What a run keeps and who may read it. Internal.
struct RunState;

/// Takes a state back that nobody holds any more. Internal.
class RunStatePool {
 public:
  virtual void give_back(RunState* state) noexcept = 0;

 protected:
  ~RunStatePool() = default;
};

/// An immutable result. A copy shares it.
class Run {
 public:
  explicit Run(RunState* state) noexcept : state_(state) {}
  Run(const Run& other) noexcept;
  Run(Run&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Run& operator=(Run other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Run();

  /// The payload of a node that may be read: any node of a whole interpreter run, a root or an observed value of an
  /// entry. Throws Error(family), or Error(coverage) for everything else.
  const Tensor& of(Symbol symbol) const;
  /// The reverse scan from a scalar: the derivative rules, computed at once. Throws Error(family); Error(coverage) for
  /// a target that may not be read or a run that kept nothing for it; Error(type) for a target that is not a floating
  /// scalar.
  Field backward(Symbol target) const;
  /// The recorded gradients of this run as parameters, zeros where none was asked for. Throws Error(coverage) for a
  /// wrt that is no parameter or a gradient that may not be read, and Error(type) where their types differ.
  Parameters recorded_gradients(const Adjoints& adjoints) const;

  /// For the executors.
  RunState* state() const { return state_; }

 private:
  RunState* state_;
};

}  // namespace topos
