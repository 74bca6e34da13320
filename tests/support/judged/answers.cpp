#include "support/judged/answers.h"

#include <fmt/format.h>

#include "support/judged/arguments.h"
#include "support/judged/enclosure.h"
#include "support/judged/evaluate.h"
#include "support/judged/raised.h"
#include "support/judged/text_order.h"
#include "support/judged/traits.h"

namespace topos::test {
namespace {

std::vector<Answer> answers(const Plan& plan, const std::vector<Tensor>& arguments, bool raise, bool capped) {
  std::vector<Answer> out;
  if (capped) {
    const auto ours = evaluate<Tensor>(plan, arguments, [](const Tensor& t) { return t; });
    for (const auto& x : ours) {
      const auto undecided = Tensor::full({f64, x.shape()}, Number(std::numeric_limits<double>::infinity()));
      out.push_back({x, x, convert(x, f64), undecided});
    }
    return out;
  }
  const auto enclosed = evaluate<Enclosure>(plan, arguments, Enclosure::of, RaisedBounds(plan, raise));
  const auto in_order = evaluate<TextOrder>(plan, arguments, [](const Tensor& t) { return TextOrder{t}; });
  for (std::size_t k = 0; k < enclosed.size(); ++k)
    out.push_back({enclosed[k].value, in_order[k].value, enclosed[k].center(), enclosed[k].radius()});
  return out;
}

AnsweredSet answered(const Plan& plan, ArgumentSet set, bool raise, bool capped) {
  auto found = answers(plan, set.tensors, raise, capped);
  return {std::move(set.name), std::move(set.tensors), std::move(found)};
}

}  // namespace

std::vector<AnsweredSet> answered_sets(const Plan& plan, bool raise, bool capped) {
  std::vector<AnsweredSet> sets;
  try {
    sets.push_back(answered(plan, recorded_arguments(plan), raise, capped));
  } catch (const Error&) {  // indices of our own were out of some range
    sets.push_back(answered(plan, plainly_recorded_arguments(plan), raise, capped));
  }
  // The formulas of engines for a batch norm meet infinities in other places.
  const auto raised = traits_of(plan, {.raise = raise}).raised;
  if (raised != std::vector<std::string>() && raised != std::vector<std::string>{"reduce_window"}) return sets;
  if (auto specials = special_arguments(plan)) sets.push_back(answered(plan, std::move(*specials), raise, capped));
  return sets;
}

std::optional<std::string> outside(const Tensor& x, const Answer& answer) {
  const auto numbers = convert(x, f64).values<double>();
  const auto centers = answer.center.values<double>(), radii = answer.radius.values<double>();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double number = numbers[i], center = centers[i], radius = radii[i];
    const bool within = radius == std::numeric_limits<double>::infinity() || number == center ||
                        (number != number && center != center) || std::fabs(number - center) <= radius;
    if (!within) return fmt::format("element {} is {}, not {} give or take {}", i, number, center, radius);
  }
  return std::nullopt;
}

}  // namespace topos::test
