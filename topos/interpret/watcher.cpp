#include "topos/interpret/watcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "topos/element/decimal.h"
#include "topos/tensor/algebra.h"
#include "topos/tensor/reference.h"

namespace topos {
namespace {

/// Every number of a floating or integer payload as a double, in row-major order.
template <class Each>
void each_number(const Tensor& payload, Each&& each) {
  constexpr Extent chunk = 256;
  const auto dense = payload.dense();
  const auto count = payload.is_single() ? std::min<Extent>(1, payload.volume()) : payload.volume();
  const auto* from = static_cast<const std::byte*>(dense.first());
  double numbers[chunk];
  for (Extent begin = 0; begin < count; begin += chunk) {
    const auto n = std::min(chunk, count - begin);
    payload.element().reference().to_reals(n, from + begin * static_cast<Extent>(payload.element().size()), numbers);
    for (Extent k = 0; k < n; ++k) each(begin + k, numbers[k]);
  }
}

/// "from -2 to 3", NaN left out; "empty".
std::string range_of(const Tensor& payload) {
  if (payload.element() == boolean) return "a predicate";
  if (payload.volume() == 0) return "empty";
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool any = false;
  each_number(payload, [&](Extent, double x) {
    if (x != x) return;
    any = true;
    low = std::min(low, x);
    high = std::max(high, x);
  });
  if (!any) return "NaN alone";
  // A double next to the largest i64 lies outside of i64: an integer is printed as the double it was read as.
  const auto text = [&](double x) {
    return payload.element().is_floating() ? Tensor::full({payload.element(), {}}, x).text() : decimal(x);
  };
  return low == high ? text(low) : fmt::format("from {} to {}", text(low), text(high));
}

}  // namespace

Extent Watcher::find(const Tensor& payload) const {
  Extent found = -1;
  if (!payload.element().is_floating()) return found;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  each_number(payload, [&](Extent i, double x) {
    const bool hit = watch_ == Watch::nan ? x != x : x == infinity || x == -infinity;
    if (hit && found < 0) found = i;
  });
  return found;
}

void Watcher::look(Index i, const Tensor& payload, const std::vector<Tensor>& values) {
  const auto element = find(payload);
  if (element < 0) return;
  holds_[i] = true;
  for (const auto operand : spec_.graph.operands(i))
    if (holds_[operand]) return;
  if (watch_ == Watch::infinity && spec_.graph.is<op::Leaf>(i)) return;
  report(i, payload, values, element);
}

std::string Watcher::name(Index i) const {
  const auto label = spec_.graph.label(i);
  return fmt::format("{} {}{}{}", name_of(spec_.graph.op(i)), i, label.empty() ? "" : " ", label);
}

void Watcher::report(Index i, const Tensor& payload, const std::vector<Tensor>& values, Extent element) const {
  const auto& graph = spec_.graph;
  auto text = fmt::format("node {} {} at element {}", name(i), watch_ == Watch::nan ? "holds NaN" : "holds an infinity",
                          element);
  std::vector<std::string> types{payload.type().text()};
  std::string operands;
  for (const auto operand : graph.operands(i)) {
    types.push_back(graph.type(operand).text());
    operands += fmt::format("{}{} is {}", operands.empty() ? "" : ", ", name(operand), range_of(values[operand]));
  }
  if (!operands.empty()) text += fmt::format(" where no operand does: {}", operands);
  for (auto origin = graph.node(i).origin; origin != nowhere; origin = graph.node(origin).origin)
    text += fmt::format("; it belongs to the derivative of {}", name(origin));
  throw Error(ErrorKind::number, std::string(name_of(graph.op(i))), text, std::move(types), graph.site(i));
}

}  // namespace topos
