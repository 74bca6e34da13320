#include "topos/neural/attention.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "topos/neural/misuse.h"
#include "topos/spec/composite.h"
#include "topos/spec/composites.h"

namespace topos {

Value scaled_dot_product(const Value& query, const Value& key, const Value& value, const Value& mask,
                         const Value& scale, Site site) {
  std::vector<std::string> types;
  bool fits = query.shape().rank() == 2 && key.shape().rank() == 2 && value.shape().rank() == 2;
  for (const auto* operand : {&query, &key, &value, &mask, &scale}) {
    types.push_back(operand->type().text());
    fits = fits && operand->element() == query.element();
  }
  if (!fits || query.shape()[1] != key.shape()[1] || key.shape()[0] != value.shape()[0] ||
      !(mask.shape() == Shape{query.shape()[0], key.shape()[0]}) || scale.shape().rank() != 0)
    neural::refuse_type("scaled_dot_product",
                        fmt::format("query {}, key {}, value {}, mask {} and scale {} are not [t, d], [s, d], [s, e], "
                                    "[t, s] and [] of one element",
                                    types[0], types[1], types[2], types[3], types[4]),
                        types, site);
  Composite scope(query, site);
  const auto columns = transpose(key);
  const auto products = matmul(query, columns);
  const auto spread = broadcast_like(scale, products);
  const auto scaled = products * spread;
  const auto scores = scaled + mask;
  const auto logarithms = log_softmax(scores, 1);
  const auto weights = exp(logarithms);
  return matmul(weights, value);
}

namespace {

void check_attention(const Value& query, const Value& key, const Value& value, const Site& site) {
  const auto& q = query.type();
  const auto& k = key.type();
  const auto& v = value.type();
  const auto rank = q.rank();
  bool fits = q.element.is_floating() && k.element == q.element && v.element == q.element;
  fits = fits && rank >= 2 && k.rank() == rank && v.rank() == rank;
  for (std::size_t i = 0; fits && i + 2 < rank; ++i) fits = q.shape[i] == k.shape[i] && q.shape[i] == v.shape[i];
  if (!fits || q.shape[rank - 1] != k.shape[rank - 1] || k.shape[rank - 2] != v.shape[rank - 2])
    neural::refuse_type("attention",
                        fmt::format("query {}, key {} and value {} are not [.., t, d], [.., s, d] and [.., s, e] of "
                                    "one floating element",
                                    q.text(), k.text(), v.text()),
                        {q.text(), k.text(), v.text()}, site);
}

Value scores_of(const Value& query, const Value& key, Number scale) {
  auto order = Shape::counting(key.shape().rank());
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  const auto columns = permute(key, order);
  const auto products = matmul(query, columns);
  const auto factor = full_like(products, scale);
  return products * factor;
}

}  // namespace

Value attention(const Value& query, const Value& key, const Value& value, const Value& mask, Number scale, Site site) {
  check_attention(query, key, value, site);
  const bool chooses = mask.element() == boolean;
  if (!chooses && !(mask.element() == query.element()))
    neural::refuse_type("attention",
                        fmt::format("the mask {} is neither boolean nor of the element of query {}", mask.type().text(),
                                    query.type().text()),
                        {mask.type().text(), query.type().text()}, site);
  Composite scope(query, site);
  const auto scores = scores_of(query, key, scale);
  const auto spread = broadcast_to(mask, scores.shape(), site);
  const auto seen = chooses ? select(spread, scores, -std::numeric_limits<double>::infinity(), site) : scores + spread;
  const auto weights = softmax(seen, -1);
  return matmul(weights, value);
}

Value attention(const Value& query, const Value& key, const Value& value, Number scale, Site site) {
  check_attention(query, key, value, site);
  Composite scope(query, site);
  const auto scores = scores_of(query, key, scale);
  const auto weights = softmax(scores, -1);
  return matmul(weights, value);
}

Tensor causal_mask(Extent extent, double fill, ElementType element) {
  if (extent < 0) neural::refuse_argument("causal_mask", fmt::format("the extent {} is negative", extent));
  if (!element.is_floating())
    neural::refuse_type("causal_mask", fmt::format("{} does not hold the numbers of a mask", element.name()),
                        {TensorType{element, {extent, extent}}.text()}, Site::none());
  const auto n = static_cast<std::size_t>(extent);
  std::vector<double> mask(n * n, 0.0);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = row + 1; column < n; ++column) mask[row * n + column] = fill;
  return Tensor::from({extent, extent}, mask, element);
}

}  // namespace topos
