// A user's number as an element: its table of the reference's loops, made from its traits.
#pragma once
#include <typeinfo>

#include "topos/element/registry.h"
#include "topos/tensor/reference_loops.h"
#include "topos/tensor/tensor.h"

namespace topos {

namespace loops::users {

#include "topos/tensor/reference_rows.inc"

template <class T, Function F>
void add_unary(Reference& table, Functions& functions) {
  if constexpr (traits_have_unary<F, T>) {
    fill_unary<T, F>(table);
    functions = functions.with(Functions(F));
  }
}
template <class T, Function F>
void add_binary(Reference& table, Functions& functions) {
  if constexpr (traits_have_binary<F, T>) {
    fill_binary<T, F>(table);
    functions = functions.with(Functions(F));
  }
}

/// Whole rows, where the number has what their definitions use.
template <class T>
void add_rows(Reference& table, Functions& functions) {
  using enum Function;
  constexpr bool adds = traits_have_binary<add, T>;
  constexpr bool orders = traits_have_order<T>;
  if constexpr (traits_have_equality<T>) {
    table.compare = compare_rows<T>;
    functions = functions.with(Functions(equal));
  }
  if constexpr (adds) {
    table.sum = sum_rows<T>;
    table.fold = fold_rows<T>;
    table.scatter = scatter_rows<T>;
    functions = functions.with(Functions(sum));
  }
  if constexpr (adds && traits_have_product<T>) {
    table.matmul = matmul_rows<T>;
    functions = functions.with(Functions(matmul));
  }
  if constexpr (orders) {
    table.argmax_along = argmax_rows<T>;
    functions = functions.with(Functions(order));
  }
  if constexpr (traits_have_binary<maximum, T>) table.max_along = max_rows<T>;
  if constexpr (adds && orders && traits_have_binary<maximum, T> && traits_have_binary<subtract, T> &&
                traits_have_binary<divide, T> && traits_have_unary<exp, T> && traits_have_unary<log, T>) {
    table.softmax = softmax_rows<T>;
    table.log_softmax = log_softmax_rows<T>;
    table.logsumexp = logsumexp_rows<T>;
    functions = functions.with(Functions(softmax));
  }
}

template <class T, Function... F>
void add_unaries(Reference& table, Functions& functions) {
  (add_unary<T, F>(table, functions), ...);
}
template <class T, Function... F>
void add_binaries(Reference& table, Functions& functions) {
  (add_binary<T, F>(table, functions), ...);
}

/// The element of T, registered when it is first asked for.
template <class T>
ElementType made() {
  using enum Function;
  static_assert(sizeof(T) <= 16, "an element's number has at most 16 bytes");
  static Reference table;
  Functions functions;
  fill_conversions<T>(table);
  table.print = [](const void* value) { return std::string(ElementTraits<T>::print(*static_cast<const T*>(value))); };
  add_unaries<T, negate, absolute, sign, exp, expm1, log, log1p, sqrt, rsqrt, tanh, sin, cos, erf, erf_derivative,
              logistic, softplus>(table, functions);
  add_binaries<T, add, subtract, multiply, divide, power, maximum, minimum>(table, functions);
  add_rows<T>(table, functions);
  const T zero = ElementTraits<T>::from_double(0);
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, &zero, sizeof zero);
  for (const auto byte : bytes)
    if (byte != std::byte{0})
      throw Error(ErrorKind::argument, "ElementTraits",
                  std::string(ElementTraits<T>::name) + ": from_double(0.0) must give zero bytes");
  return register_element({ElementTraits<T>::name, "", sizeof(T), ElementClass::floating, functions, &table},
                          typeid(T));
}

}  // namespace loops::users

/// The element of a user's number, the same in every shared library; the one that asks for it first must stay loaded.
/// Throws Error(argument) where its name is another number's or its zero has other bytes than zeros. It carries
/// cotangents, has no kernels and no StableHLO spelling.
template <UserElement T>
struct ElementOf<T> {
  static ElementType get() {
    static const ElementType element = loops::users::made<T>();
    return element;
  }
};

}  // namespace topos
