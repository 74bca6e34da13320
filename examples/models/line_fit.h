// The graph of gradient_descent: a line through three points, a loss for each and their sum.
#pragma once
#include <topos/topos.h>

#include <array>
#include <tuple>

namespace examples {

/// The points of y = 2 x + 1 that the line is fitted to.
inline constexpr std::array<std::array<double, 2>, 3> line_points{{{1.0, 3.0}, {2.0, 5.0}, {3.0, 7.0}}};

/// Records (w x + b - y)^2 for each point and the sum of them; gives w, b, the losses of the points, the total.
inline auto record_line_fit(topos::Tape& tape) {
  const auto w = tape.parameter(0.0);
  const auto b = tape.parameter(0.0);
  std::array<topos::Value, line_points.size()> losses;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto x = tape.leaf(line_points[i][0]);
    const auto y = tape.leaf(line_points[i][1]);
    const auto slope = w * x;
    const auto line = slope + b;
    const auto error = line - y;
    losses[i] = error * error;
  }
  auto total = losses[0];
  for (std::size_t i = 1; i < losses.size(); ++i) total = total + losses[i];
  return std::tuple(w, b, losses, total);
}

}  // namespace examples
