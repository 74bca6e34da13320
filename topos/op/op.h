// The one list of opcodes, the gate that holds each to its duties, and the visits over it. Internal but for custom.h.
#pragma once
#include <variant>

#include "topos/op/choice.h"
#include "topos/op/contraction.h"
#include "topos/op/elementary.h"
#include "topos/op/elementwise.h"
#include "topos/op/extreme.h"
#include "topos/op/indexing.h"
#include "topos/op/movement.h"
#include "topos/op/source.h"
#include "topos/op/window.h"

namespace topos {

/// Every opcode there is.
using Op = std::variant<op::Leaf, op::Parameter, op::Input, op::Add, op::Sub, op::Mul, op::Div, op::Power, op::Maximum,
                        op::Minimum, op::Neg, op::Abs, op::Sign, op::Exp, op::Expm1, op::Log, op::Log1p, op::Sqrt,
                        op::Rsqrt, op::Tanh, op::Sin, op::Cos, op::Erf, op::ErfDerivative, op::Logistic, op::Softplus,
                        op::Compare, op::And, op::Or, op::Not, op::Select, op::MatMul, op::Sum, op::Softmax,
                        op::LogSoftmax, op::LogSumExp, op::MaxAlong, op::ArgMaxAlong, op::Broadcast, op::BroadcastAlong,
                        op::Reshape, op::Permute, op::Narrow, op::Pad, op::Concat, op::Unfold, op::Fold,
                        op::StopGradient, op::Gather, op::Scatter, op::Iota, op::Convert>;

// The gate stands before the first visit, so that its error comes before any visit's. Variables rather than concepts:
// clang names the opcode in an assertion over a variable.
template <class O>
inline constexpr bool has_name = requires {
  { O::name } -> std::convertible_to<std::string_view>;
  { O::arity } -> std::convertible_to<int>;
};
template <class O>
inline constexpr bool has_fields = requires { std::tuple_size<std::remove_cvref_t<decltype(O::fields)>>::value; };
template <class O>
inline constexpr bool has_equality = std::equality_comparable<O>;
template <class O>
inline constexpr bool has_forward = op::Source<O> || requires(const O& o, Operands<TensorType> in) {
  { o.template forward<TensorType>(in) } -> std::same_as<TensorType>;
};
template <class O>
inline constexpr bool has_derivative =
    op::Source<O> || requires(const O& o, Operands<TensorType> in, const TensorType& t) {
      { o.template vjp<TensorType>(in, t, t) } -> std::same_as<Cotangents<TensorType>>;
    };
template <class O>
inline constexpr bool has_lowering = requires(const O& o, stablehlo::Writer& writer, const Lowering& node) {
  { o.lower(writer, node) } -> std::same_as<std::string>;
};

// g++ names the opcode in the first line only where a deleted function is called, clang only where an assertion fails.
#ifdef __clang__
#define TOPOS_DUTY(holds, cure, text) static_assert(holds, text)
#else
#define TOPOS_DUTY(holds, cure, text) \
  if constexpr (!(holds)) gate::cure<O>()
#endif
namespace gate {
template <class O>
void opcode_has_no_name_or_arity_add_both() = delete;
template <class O>
void opcode_has_no_fields_add_the_tuple_of_its_attributes() = delete;
template <class O>
void opcode_cannot_be_compared_default_its_operator() = delete;
template <class O>
void opcode_has_no_forward_add_its_type_rule_and_meaning() = delete;
template <class O>
void opcode_has_no_derivative_rule_add_vjp_beside_its_forward() = delete;
template <class O>
void opcode_has_no_stablehlo_lowering_add_lower() = delete;
}  // namespace gate

template <class O>
consteval bool opcode_is_complete() {
  TOPOS_DUTY(has_name<O>, opcode_has_no_name_or_arity_add_both, "opcode has no name or arity: add both");
  TOPOS_DUTY(has_fields<O>, opcode_has_no_fields_add_the_tuple_of_its_attributes,
             "opcode has no fields: add the tuple of its attributes, empty if it has none");
  TOPOS_DUTY(has_equality<O>, opcode_cannot_be_compared_default_its_operator,
             "opcode cannot be compared: default its operator==");
  TOPOS_DUTY(has_forward<O>, opcode_has_no_forward_add_its_type_rule_and_meaning,
             "opcode has no forward: add forward, its type rule and meaning");
  TOPOS_DUTY(has_derivative<O>, opcode_has_no_derivative_rule_add_vjp_beside_its_forward,
             "opcode has no derivative rule: add vjp beside its forward");
  TOPOS_DUTY(has_lowering<O>, opcode_has_no_stablehlo_lowering_add_lower,
             "opcode has no StableHLO lowering: add lower");
  return true;
}
#undef TOPOS_DUTY
template <class... O>
consteval bool opcodes_are_complete(const std::variant<O...>*) {
  return (opcode_is_complete<O>() && ...);
}
static_assert(opcodes_are_complete(static_cast<const Op*>(nullptr)));

/// `f` on the opcode that `op` holds. std::visit would do; its errors hide the opcode in lines of <variant>.
template <class F, class... O>
decltype(auto) visit(F&& f, const std::variant<O...>& op) {
  using Result = std::common_type_t<std::invoke_result_t<F&, const O&>...>;
  static constexpr Result (*table[])(F&, const std::variant<O...>&) = {
      [](F& g, const std::variant<O...>& v) -> Result { return g(*std::get_if<O>(&v)); }...};
  return table[op.index()](f, op);
}

std::string_view name_of(const Op& op);
/// The printed name, which may depend on the operands: Sum or SumAlong.
std::string_view title_of(const Op& op, std::span<const TensorType* const> operands);
/// The printed attributes: `axis=0 extent=8`.
std::string attributes_of(const Op& op, std::span<const TensorType* const> operands);
/// Every attribute by its name, whatever the operands.
std::string attributes_of(const Op& op);
/// The opcode of a name with every attribute at its beginning, or none.
std::optional<Op> opcode_named(std::string_view name);
int arity_of(const Op& op);
/// Leaf, Parameter or Input.
bool is_source(const Op& op);
std::uint64_t hash_of(const Op& op);
/// The result's type; throws TypeFault.
TensorType infer(const Op& op, std::span<const TensorType* const> operands);
/// Writes the node's lines and returns the name that its readers use.
std::string lower(const Op& op, stablehlo::Writer& writer, const Lowering& node);

/// The opcode read over an algebra. Throws Error(argument) for a source, which is fed and never computed, and for a
/// wrong number of operands.
template <class V>
V express(const Op& op, std::span<const V* const> operands) {
  return topos::visit(
      [&]<class O>(const O& o) -> V {
        if constexpr (op::Source<O>) {
          throw Error(ErrorKind::argument, std::string(O::name), "a source is fed a payload, not expressed");
        } else {
          if (O::arity >= 0 && operands.size() != static_cast<std::size_t>(O::arity))
            throw Error(ErrorKind::argument, std::string(O::name),
                        "takes " + std::to_string(O::arity) + " operands, not " + std::to_string(operands.size()));
          return o.template forward<V>(Operands<V>(operands));
        }
      },
      op);
}

/// The opcode's derivative rule over an algebra: a cotangent an operand, or none. Throws as express does.
template <class V>
Cotangents<V> pull_back(const Op& op, std::span<const V* const> operands, const V& out, const V& cotangent) {
  return topos::visit(
      [&]<class O>(const O& o) -> Cotangents<V> {
        if constexpr (op::Source<O>) {
          throw Error(ErrorKind::argument, std::string(O::name), "a source has no derivative rule");
        } else {
          if (O::arity >= 0 && operands.size() != static_cast<std::size_t>(O::arity))
            throw Error(ErrorKind::argument, std::string(O::name),
                        "takes " + std::to_string(O::arity) + " operands, not " + std::to_string(operands.size()));
          return o.template vjp<V>(Operands<V>(operands), out, cotangent);
        }
      },
      op);
}

}  // namespace topos
