// The tables of the built-in elements, compiled once for each vector target of the machine's family.
#include "topos/tensor/reference.h"

#include <algorithm>
#include <cstring>

#include "topos/base/float_environment.h"
#include "topos/element/decimal.h"
#include "topos/tensor/reference_loops.h"

// The reference needs no more than the widths that differ: fewer targets compile faster and give the same bits.
#ifndef TOPOS_DISABLED_TARGETS
#define TOPOS_DISABLED_TARGETS 0
#endif
#define HWY_DISABLED_TARGETS (TOPOS_DISABLED_TARGETS | HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "topos/tensor/reference.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace topos::loops {
namespace HWY_NAMESPACE {

#include "topos/tensor/reference_rows.inc"

template <class T>
constexpr Reference table_of() {
  using enum Function;
  Reference table;
  fill_conversions<T>(table);
  table.compare = compare_rows<T>;
  if constexpr (std::integral<T>) table.to_integers = to_integers<T>;
  fill_unary<T, negate, absolute, sign>(table);
  fill_binary<T, add, subtract, multiply, divide, maximum, minimum>(table);
  table.matmul = matmul_rows<T>;
  table.sum = sum_rows<T>;
  table.max_along = max_rows<T>;
  table.argmax_along = argmax_rows<T>;
  table.fold = fold_rows<T>;
  table.scatter = scatter_rows<T>;
  if constexpr (!std::integral<T>) {
    fill_unary<T, exp, expm1, log, log1p, sqrt, rsqrt, tanh, sin, cos, erf, erf_derivative, logistic, softplus>(table);
    fill_binary<T, power>(table);
    table.softmax = softmax_rows<T>;
    table.log_softmax = log_softmax_rows<T>;
    table.logsumexp = logsumexp_rows<T>;
  }
  return table;
}
template <>
constexpr Reference table_of<bool>() {
  Reference table;
  fill_conversions<bool>(table);
  table.compare = compare_rows<bool>;
  table.to_integers = to_integers<bool>;
  fill_unary<bool, Function::logical_not>(table);
  fill_binary<bool, Function::logical_and, Function::logical_or>(table);
  return table;
}

constexpr Reference all_tables[] = {table_of<float>(), table_of<double>(), table_of<std::int64_t>(), table_of<bool>(),
                                    table_of<BFloat16>()};
const Reference* tables() { return all_tables; }

}  // namespace HWY_NAMESPACE
}  // namespace topos::loops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::loops {

HWY_EXPORT(tables);
static const Reference* widest_tables() { return HWY_DYNAMIC_DISPATCH(tables)(); }

}  // namespace topos::loops

namespace topos {
namespace {

template <class T>
std::string print_number(const void* value) {
  return decimal(*static_cast<const T*>(value));
}
template <class T>
std::string write_number(const void* value) {
  return literal(*static_cast<const T*>(value));
}
std::string print_boolean(const void* value) { return *static_cast<const bool*>(value) ? "true" : "false"; }

/// The table of one target with what no target changes.
template <class T>
constexpr Reference spelled(Reference table) {
  table.print = print_number<T>;
  table.literal = write_number<T>;
  return table;
}
template <>
constexpr Reference spelled<bool>(Reference table) {
  table.print = print_boolean;
  table.literal = print_boolean;
  return table;
}

// The target that every machine of the family has: right from the first instruction, whoever runs before main.
constinit Reference f32_table = spelled<float>(loops::HWY_NAMESPACE::all_tables[0]);
constinit Reference f64_table = spelled<double>(loops::HWY_NAMESPACE::all_tables[1]);
constinit Reference i64_table = spelled<std::int64_t>(loops::HWY_NAMESPACE::all_tables[2]);
constinit Reference boolean_table = spelled<bool>(loops::HWY_NAMESPACE::all_tables[3]);
constinit Reference bf16_table = spelled<BFloat16>(loops::HWY_NAMESPACE::all_tables[4]);

/// The widest target that this machine has takes over; it gives the same bits.
[[maybe_unused]] const bool widest_target_chosen = [] {
  const auto* best = loops::widest_tables();
  f32_table = spelled<float>(best[0]);
  f64_table = spelled<double>(best[1]);
  i64_table = spelled<std::int64_t>(best[2]);
  boolean_table = spelled<bool>(best[3]);
  bf16_table = spelled<BFloat16>(best[4]);
  return true;
}();

constexpr Functions arithmetic(Function::negate, Function::absolute, Function::sign, Function::add, Function::subtract,
                               Function::multiply, Function::divide, Function::maximum, Function::minimum,
                               Function::equal, Function::order, Function::matmul, Function::sum);
constexpr Functions real_functions = arithmetic.with(
    Functions(Function::exp, Function::expm1, Function::log, Function::log1p, Function::sqrt, Function::rsqrt,
              Function::tanh, Function::sin, Function::cos, Function::erf, Function::erf_derivative, Function::logistic,
              Function::softplus, Function::power, Function::softmax));
constexpr Functions boolean_functions(Function::equal, Function::logical_and, Function::logical_or,
                                      Function::logical_not);

}  // namespace

constinit const ElementInfo f32_info{"f32", "f32", 4, ElementClass::floating, real_functions, &f32_table};
constinit const ElementInfo f64_info{"f64", "f64", 8, ElementClass::floating, real_functions, &f64_table};
constinit const ElementInfo bf16_info{"bf16", "bf16", 2, ElementClass::floating, real_functions, &bf16_table};
constinit const ElementInfo i64_info{"i64", "i64", 8, ElementClass::integer, arithmetic, &i64_table};
constinit const ElementInfo boolean_info{"boolean", "i1", 1, ElementClass::boolean, boolean_functions, &boolean_table};

void store(const Number& number, ElementType element, void* out) {
  const FloatEnvironment exact;
  // The two commonest places are written without a call.
  if (element == f32) {
    const auto value = number.is_real() ? static_cast<float>(number.real()) : static_cast<float>(number.integer());
    std::memcpy(out, &value, sizeof value);
    return;
  }
  if (element == f64) {
    const auto value = number.real();
    std::memcpy(out, &value, sizeof value);
    return;
  }
  const auto& table = element.reference();
  if (number.is_real()) {
    const double value = number.real();
    table.from_reals(1, &value, out);
  } else {
    const std::int64_t value = number.integer();
    table.from_integers(1, &value, out);
  }
}

void convert(Extent n, ElementType from, const void* values, ElementType to, void* out) {
  const FloatEnvironment exact;
  constexpr Extent chunk = 256;
  const auto& source = from.reference();
  const auto& target = to.reference();
  for (Extent begin = 0; begin < n; begin += chunk) {
    const auto count = std::min(chunk, n - begin);
    const auto* at = static_cast<const std::byte*>(values) + begin * from.size();
    auto* place = static_cast<std::byte*>(out) + begin * to.size();
    // Integers do not pass through a double: that would round twice.
    if (source.to_integers != nullptr) {
      std::int64_t integers[chunk];
      source.to_integers(count, at, integers);
      target.from_integers(count, integers, place);
    } else {
      double reals[chunk];
      source.to_reals(count, at, reals);
      target.from_reals(count, reals, place);
    }
  }
}

}  // namespace topos
#endif  // HWY_ONCE
