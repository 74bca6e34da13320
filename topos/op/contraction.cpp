#include "topos/op/contraction.h"

#include <fmt/format.h>

namespace topos::op {
namespace {

/// Writes the helper lines of an operation along one axis: names after the node, types of the lane's result.
class Along {
 public:
  Along(stablehlo::Writer& writer, const Lowering& node, Extent axis)
      : writer_(writer),
        node_(node),
        axis_(axis),
        full_(*node.types[0]),
        reduced_{full_.element, full_.shape.without(axis)} {}

  std::string name(std::string_view word) const { return fmt::format("{}_{}", node_.name, word); }
  const TensorType& reduced() const { return reduced_; }

  std::string peak() {
    const auto low = writer_.constant(name("low"), stablehlo::negative_infinity_of(full_.element), {full_.element, {}});
    return writer_.reduce(name("peak"), "maximum", node_.operands[0], full_, low, {axis_}, reduced_);
  }
  std::string total(const std::string& x) { return writer_.sum(name("total"), x, full_, {axis_}, reduced_); }
  std::string constant(std::string_view word, const std::string& literal) {
    return writer_.constant(name(word), literal, reduced_);
  }
  /// A value of the lanes, repeated along them.
  std::string spread(std::string_view word, const std::string& x) {
    auto axes = Shape::counting(full_.rank()).without(axis_);
    const TensorType* operands[] = {&reduced_};
    return writer_.line(name(word), "broadcast_in_dim", fmt::format("{}, dims = {}", x, axes.text()),
                        stablehlo::signature(operands, full_));
  }
  std::string map(std::string_view word, std::string_view operation, const std::string& operands, bool reduced) {
    return writer_.line(name(word), operation, operands, stablehlo::type_text(reduced ? reduced_ : full_));
  }
  /// `when` where a == b, else `otherwise`, over the lanes' results.
  std::string replace(std::string_view word, std::string_view test, const std::string& a, const std::string& b,
                      const std::string& when, const std::string& otherwise) {
    const TensorType predicate{boolean, reduced_.shape};
    const TensorType* operands[] = {&reduced_, &reduced_};
    const auto mask = writer_.line(name(test), "compare",
                                   fmt::format("EQ, {}, {}, {}", a, b, stablehlo::comparison_of(full_.element)),
                                   stablehlo::signature(operands, predicate));
    return writer_.line(name(word), "select", fmt::format("{}, {}, {}", mask, when, otherwise),
                        fmt::format("{}, {}", stablehlo::type_text(predicate), stablehlo::type_text(reduced_)));
  }

 private:
  stablehlo::Writer& writer_;
  const Lowering& node_;
  Extent axis_;
  TensorType full_;
  TensorType reduced_;
};

}  // namespace

std::string MatMul::lower(stablehlo::Writer& writer, const Lowering& node) const {
  // Engines do not take a product over nothing, or of nothing: it is zeros.
  if (node.types[0]->shape.volume() == 0 || node.types[1]->shape.volume() == 0)
    return writer.constant(node.name, stablehlo::zero_of(node.type.element), node.type);
  const auto rank = static_cast<Extent>(node.type.rank());
  std::string batching;
  if (rank > 2) {
    const auto axes = Shape::counting(static_cast<std::size_t>(rank - 2)).text();
    batching = fmt::format("batching_dims = {} x {}, ", axes, axes);
  }
  const TensorType total{stablehlo::accumulator_of(node.type.element), node.type.shape};
  const bool direct = total.element == node.type.element;
  auto result = writer.line(direct ? node.name : node.name + "_accumulated", "dot_general",
                            fmt::format("{}, {}, {}contracting_dims = [{}] x [{}]", node.operands[0], node.operands[1],
                                        batching, rank - 1, rank - 2),
                            stablehlo::signature(node.types, total));
  return direct ? result : writer.convert(node.name, result, total, node.type.element);
}

std::string Sum::attributes(std::span<const TensorType* const> in) const {
  if (covers(*in[0])) return {};
  return axes.size() == 1 ? fmt::format("axis={}", axes[0]) : fmt::format("axes={}", axes.text());
}

std::string Sum::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto& operand = *node.types[0];
  if (operand.rank() > 0) return writer.sum(node.name, node.operands[0], operand, axes, node.type);
  // Over rank 0 the sum still adds to its zero: it turns -0 into +0.
  const auto seed = writer.constant(node.name + "_seed", stablehlo::zero_of(operand.element), operand);
  return writer.line(node.name, "add", fmt::format("{}, {}", node.operands[0], seed), stablehlo::type_text(node.type));
}

std::string LogSoftmax::lower(stablehlo::Writer& writer, const Lowering& node) const {
  Along along(writer, node, axis);
  const auto peak = along.peak();
  const auto spread_peak = along.spread("spread_peak", peak);
  const auto centered = along.map("centered", "subtract", fmt::format("{}, {}", node.operands[0], spread_peak), false);
  const auto powers = along.map("exp", "exponential", centered, false);
  const auto total = along.total(powers);
  const auto normalizer = along.map("normalizer", "log", total, true);
  const auto spread_normalizer = along.spread("spread_normalizer", normalizer);
  return writer.line(node.name, "subtract", fmt::format("{}, {}", centered, spread_normalizer),
                     stablehlo::type_text(node.type));
}

std::string Softmax::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto element = node.type.element;
  Along along(writer, node, axis);
  const auto peak = along.peak();
  const auto lowest = along.constant("lowest", stablehlo::negative_infinity_of(element));
  const auto zeros = along.constant("zeros", stablehlo::zero_of(element));
  const auto shift = along.replace("shift", "masked", peak, lowest, zeros, peak);
  const auto spread_shift = along.spread("spread_shift", shift);
  const auto centered = along.map("centered", "subtract", fmt::format("{}, {}", node.operands[0], spread_shift), false);
  const auto powers = along.map("exp", "exponential", centered, false);
  const auto total = along.total(powers);
  const auto ones = along.constant("ones", stablehlo::one_of(element));
  const auto divisor = along.replace("divisor", "vacant", total, zeros, ones, total);
  const auto spread_divisor = along.spread("spread_divisor", divisor);
  return writer.line(node.name, "divide", fmt::format("{}, {}", powers, spread_divisor),
                     stablehlo::type_text(node.type));
}

std::string LogSumExp::lower(stablehlo::Writer& writer, const Lowering& node) const {
  const auto element = node.type.element;
  Along along(writer, node, axis);
  const auto peak = along.peak();
  const auto magnitude = along.map("magnitude", "abs", peak, true);
  const auto infinity = along.constant("infinity", stablehlo::infinity_of(element));
  const auto zeros = along.constant("zeros", stablehlo::zero_of(element));
  const auto shift = along.replace("shift", "infinite", magnitude, infinity, zeros, peak);
  const auto spread_shift = along.spread("spread_shift", shift);
  const auto centered = along.map("centered", "subtract", fmt::format("{}, {}", node.operands[0], spread_shift), false);
  const auto powers = along.map("exp", "exponential", centered, false);
  const auto total = along.total(powers);
  const auto normalizer = along.map("normalizer", "log", total, true);
  return writer.line(node.name, "add", fmt::format("{}, {}", shift, normalizer), stablehlo::type_text(node.type));
}

}  // namespace topos::op
