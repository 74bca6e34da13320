#include "topos/neural/attention.h"

#include <fmt/format.h>

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
