#include "topos/neural/linear.h"

#include <fmt/format.h>

#include "topos/neural/misuse.h"
#include "topos/spec/composite.h"

namespace topos {

Linear::Linear(Tape& tape, const Literal& weights, const Literal& bias, Site site) {
  Composite scope(tape, site);
  const auto w = tape.parameter(weights);
  const auto b = tape.parameter(bias);
  const bool fits = w.shape().rank() == 2 && b.shape().rank() == 1 && w.shape()[1] == b.shape()[0];
  if (!fits || !(w.element() == b.element()))
    neural::refuse_type("Linear",
                        fmt::format("weights {} and bias {} make no layer: weights are [in, out], the bias is [out]",
                                    w.type().text(), b.type().text()),
                        {w.type().text(), b.type().text()}, site);
  weights_ = w;
  bias_ = b;
}

Value Linear::operator()(const Value& x, Site site) const {
  Composite scope(x, site);
  const auto weights = x.resolve(weights_);
  const auto bias = x.resolve(bias_);
  const auto& shape = x.shape();
  if (shape.rank() != 2 || shape[1] != weights.shape()[0] || !(x.element() == weights.element()))
    neural::refuse_type(
        "Linear", fmt::format("the input {} is not [batch, in] for weights {}", x.type().text(), weights.type().text()),
        {x.type().text(), weights.type().text()}, site);
  const auto product = matmul(x, weights);
  const auto spread = broadcast_along(bias, 0, shape[0]);
  return product + spread;
}

}  // namespace topos
