#include "topos/neural/mlp.h"

#include <fmt/format.h>

#include <algorithm>

#include "topos/neural/misuse.h"
#include "topos/spec/composite.h"

namespace topos {

Mlp::Mlp(Tape& tape, const std::vector<Extent>& sizes, Activation activation, Initializer& initializer, Site site)
    : activation_(activation) {
  if (sizes.size() < 2)
    neural::refuse_argument("Mlp",
                            fmt::format("sizes {} name no layer: at least an input and an output width are "
                                        "needed",
                                        Shape(sizes).text()),
                            site);
  if (*std::min_element(sizes.begin(), sizes.end()) < 0)
    neural::refuse_argument("Mlp", fmt::format("sizes {} have a negative one", Shape(sizes).text()), site);
  Composite scope(tape, site);
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    const auto weights = initializer({sizes[i], sizes[i + 1]}, tape.element());
    const auto bias = initializer({sizes[i + 1]}, tape.element());
    if (!(weights.shape() == Shape{sizes[i], sizes[i + 1]}) || !(bias.shape() == Shape{sizes[i + 1]}))
      neural::refuse_type("Mlp",
                          fmt::format("the initializer gave {} and {} for the sizes {} and {}", weights.type().text(),
                                      bias.type().text(), sizes[i], sizes[i + 1]),
                          {weights.type().text(), bias.type().text()}, site);
    layers_.emplace_back(tape, weights, bias, site);
  }
}

Value Mlp::operator()(const Value& x, Site site) const {
  Composite scope(x, site);
  auto signal = layers_.front()(x, site);
  for (std::size_t i = 1; i < layers_.size(); ++i) {
    signal = activate(activation_, signal, site);
    signal = layers_[i](signal, site);
  }
  return signal;
}

std::vector<Symbol> Mlp::parameters() const {
  std::vector<Symbol> all;
  for (const auto& layer : layers_) {
    all.push_back(layer.weights());
    all.push_back(layer.bias());
  }
  return all;
}

}  // namespace topos
