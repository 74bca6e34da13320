#include "topos/neural/loss.h"

#include <fmt/format.h>

#include <algorithm>

#include "topos/neural/misuse.h"
#include "topos/spec/composite.h"

namespace topos {
namespace {

void check_classes(const Value& logits, const Value& classes, const Site& site) {
  const auto& outputs = logits.type();
  const auto& targets = classes.type();
  const auto refuse = [&](const std::string& text) {
    neural::refuse_type("cross_entropy", text, {outputs.text(), targets.text()}, site);
  };
  if (outputs.rank() != 2 || !outputs.element.is_floating())
    refuse(fmt::format("the logits {} are not floating [batch, classes]", outputs.text()));
  if (targets.rank() != 1 || !(targets.element == i64))
    refuse(fmt::format("the classes {} are not i64 [batch]", targets.text()));
  if (outputs.shape[0] != targets.shape[0])
    refuse(fmt::format("the logits {} and the classes {} have another number of rows", outputs.text(), targets.text()));
  if (outputs.shape[1] == 0) refuse(fmt::format("the logits {} have no classes", outputs.text()));
}

/// The loss of each row.
Value row_losses(const Value& logits, const Value& classes) {
  const auto count = logits.shape()[1];
  const auto columns = iota_like(logits, 1);
  auto known = classes;
  if (logits.shape()[0] > 0) {
    // Comparing would let a class out of range pass for one that no column has; a gather throws.
    const auto row = narrow(columns, 0, 0, 1);
    const auto numbers = reshape(row, {count});
    known = gather(numbers, classes);
  }
  const auto spread = broadcast_along(known, 1, count);
  const auto is_class = compare(spread, columns, Direction::eq);
  const auto chosen = select(is_class, logits, 0);
  const auto target = sum(chosen, {1});
  const auto normalizer = logsumexp(logits, 1);
  return normalizer - target;
}

}  // namespace

Value cross_entropy(const Value& logits, const Value& classes, Site site) {
  check_classes(logits, classes, site);
  Composite scope(logits, site);
  const auto losses = row_losses(logits, classes);
  const auto total = sum(losses);
  return total / std::max<Extent>(1, logits.shape()[0]);
}

Value cross_entropy(const Value& logits, const Value& classes, std::int64_t ignore, Site site) {
  check_classes(logits, classes, site);
  Composite scope(logits, site);
  const auto counted = compare(classes, ignore, Direction::ne);
  const auto known = select(counted, classes, 0);
  // Before the logarithm as well as after it: the derivative of a discarded row must not meet its numbers.
  const auto rows = broadcast_along(counted, 1, logits.shape()[1]);
  const auto finite = select(rows, logits, 0);
  const auto losses = row_losses(finite, known);
  const auto kept = select(counted, losses, 0);
  const auto ones = convert(counted, i64);
  const auto number = sum(ones);
  const auto count = convert(number, logits.element());
  const auto divisor = maximum(count, 1);
  const auto total = sum(kept);
  return total / divisor;
}

}  // namespace topos
