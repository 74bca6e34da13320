// An opcode without forward does not compile; the first line tells the opcode and the cure.
// error(clang): opcode has no forward: add forward, its type rule and meaning
// error(gcc): opcode_has_no_forward_add_its_type_rule_and_meaning
// error: Halve
#include <topos/op/op.h>

struct Halve {
  static constexpr std::string_view name = "Halve";
  static constexpr int arity = 1;
  static constexpr std::tuple<> fields{};
  bool operator==(const Halve&) const = default;
#ifndef BROKEN
  template <class V>
  V forward(topos::Operands<V> in) const {
    return in[0] / full_like(in[0], 2.0);
  }
#endif
  template <class V>
  topos::Cotangents<V> vjp(topos::Operands<V>, const V&, const V& g) const {
    return {g / full_like(g, 2.0)};
  }
  std::string lower(topos::stablehlo::Writer&, const topos::Lowering& node) const { return node.name; }
};
static_assert(topos::opcode_is_complete<Halve>());
