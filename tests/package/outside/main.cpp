// The front door of the README, built outside the project; fails unless the loss prints as it should.
#include <topos/topos.h>

#include <iostream>
#include <sstream>
#include <utility>

int main() {
  topos::Tape tape(topos::f32);
  auto weights = tape.parameter({{0.5, -0.25}, {0.25, 0.4}});
  auto input = tape.input({{1.0, 2.0}});
  auto product = matmul(input, weights);
  auto hidden = tanh(product);
  auto loss = sum(hidden * hidden);
  auto adjoints = tape.differentiate(loss, {weights});
  auto network = std::move(tape).into_network();

  auto plan = network.entry(adjoints.roots()).observe({hidden}).lower();
  auto run = plan.forward(network.parameters());
  std::cout << plan.describe() << run.of(loss) << "\n" << plan.emit_stablehlo();

  std::ostringstream printed;
  printed << run.of(loss);
  if (printed.str() != "0.83054614") {
    std::cerr << "the loss is " << printed.str() << ", not 0.83054614\n";
    return 1;
  }
  return 0;
}
