#include "topos/autodiff/reads.h"

#include "topos/spec/recorder.h"

namespace topos {

std::vector<bool> reads_of(const Op& op, std::span<const TensorType* const> operands) {
  std::vector<bool> reads(operands.size() + 1);
  const bool computed = !is_source(op) && !operands.empty();
  if (!computed || !infer(op, operands).element.is_floating()) return reads;
  // A tape of its own: an input an operand, one for the output and one for the cotangent, then the rule.
  Recorder scratch(std::make_shared<Spec>(Spec{Graph(Recorder::fresh_family()), Slots{}, f32}));
  const auto stand_in = [&](const TensorType& type) {
    return scratch.source(op::Input{}, Tensor::full(type, 0), Site::none());
  };
  std::vector<Value> values;
  for (const auto* type : operands) values.push_back(stand_in(*type));
  std::vector<const Value*> in;
  for (const auto& value : values) in.push_back(&value);
  const auto output = stand_in(infer(op, operands));
  const auto cotangent = stand_in(output.type());
  auto contributions = pull_back<Value>(op, in, output, cotangent);

  const auto& graph = scratch.spec->graph;
  const auto mark = [&](Index i) {
    if (i < reads.size()) reads[i] = true;
  };
  for (std::size_t k = 0; k < contributions.size(); ++k)
    if (contributions[k]) mark(contributions[k]->symbol().index());
  for (Index i = scratch.own(cotangent) + 1; i < graph.size(); ++i)
    for (const auto operand : graph.operands(i)) mark(operand);
  return reads;
}

}  // namespace topos
