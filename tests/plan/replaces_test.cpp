// A licence to overwrite an argument by a result: what an entry takes and what it refuses.
#include <gtest/gtest.h>

#include "support/bits.h"
#include "support/error.h"
#include "topos/topos.h"

namespace topos::test {
namespace {

struct Model {
  Network network;
  Symbol w, x, idle, next, wide, sum;
};

Model model() {
  auto [network, w, x, idle, next, wide, sum] = Tape::record(f32, [](Tape& tape) {
    const auto w = tape.parameter({1.0, 2.0});
    const auto x = tape.input({5.0, 6.0});
    const auto idle = tape.parameter({3.0, 4.0});
    const auto next = w - x;
    const auto wide = convert(next, f64);
    return std::tuple(w, x, idle, next, wide, topos::sum(next));
  });
  return {std::move(network), w, x, idle, next, wide, sum};
}

TEST(Replaces, takes_a_parameter_or_an_input_and_a_declared_value) {
  const auto made = model();
  auto entry = made.network.entry({made.next});
  entry.replaces(made.w, made.next);
  EXPECT_EQ(entry.lower().replacements(), (std::vector<Replacement>{{made.w, made.next}}));
  auto other = made.network.entry({made.sum}).observe({made.next});
  EXPECT_EQ(other.replaces(made.x, made.next).lower().replacements(), (std::vector<Replacement>{{made.x, made.next}}));
  // Runs are what they were.
  const auto run = entry.lower().forward(made.network.parameters());
  EXPECT_TRUE(bits_agree(run.of(made.next), made.network.forward(made.network.parameters()).of(made.next)));
}

TEST(Replaces, refuses_a_source_that_is_computed) {
  const auto made = model();
  auto entry = made.network.entry({made.next});
  EXPECT_TRUE(throws([&] { entry.replaces(made.next, made.next); },
                     {ErrorKind::argument, "BoundEntry::replaces", {}, {"node 3", "Sub", "parameter or an input"}}));
}

TEST(Replaces, refuses_a_value_that_is_not_declared_and_says_how) {
  const auto made = model();
  auto entry = made.network.entry({made.sum});
  EXPECT_TRUE(throws([&] { entry.replaces(made.w, made.next); },
                     {ErrorKind::argument, "BoundEntry::replaces", {}, {"node 3", "node 0", "observe"}}));
  EXPECT_TRUE(entry.lower().replacements().empty());
}

TEST(Replaces, refuses_another_type) {
  const auto made = model();
  auto entry = made.network.entry({made.next, made.wide, made.sum});
  EXPECT_TRUE(throws([&] { entry.replaces(made.w, made.wide); },
                     {ErrorKind::type, "BoundEntry::replaces", {"f32[2]", "f64[2]"}, {"node 0", "node 4"}}));
  EXPECT_TRUE(throws([&] { entry.replaces(made.w, made.sum); },
                     {ErrorKind::type, "BoundEntry::replaces", {"f32[2]", "f32[]"}, {"node 0", "node 5"}}));
}

TEST(Replaces, takes_each_source_and_each_value_once) {
  const auto made = model();
  auto entry = made.network.entry({made.next, made.w});
  entry.replaces(made.w, made.next);
  EXPECT_TRUE(throws([&] { entry.replaces(made.w, made.w); },
                     {ErrorKind::argument, "BoundEntry::replaces", {}, {"node 0", "already", "node 3"}}));
  EXPECT_TRUE(throws([&] { entry.replaces(made.x, made.next); },
                     {ErrorKind::argument, "BoundEntry::replaces", {}, {"node 3", "already", "node 0"}}));
  EXPECT_EQ(entry.lower().replacements().size(), 1u);  // what was refused left nothing behind
}

TEST(Replaces, refuses_strangers) {
  const auto made = model();
  const auto other = model();
  auto entry = made.network.entry({made.next});
  EXPECT_TRUE(throws([&] { entry.replaces(other.w, made.next); }, {ErrorKind::family, "BoundEntry::replaces"}));
  EXPECT_TRUE(throws([&] { entry.replaces(made.w, other.next); }, {ErrorKind::family, "BoundEntry::replaces"}));
  EXPECT_TRUE(throws([&] { entry.replaces(Symbol(made.w.family(), 99), made.next); },
                     {ErrorKind::coverage, "BoundEntry::replaces"}));
}

TEST(Replaces, refuses_to_lower_what_no_result_reads) {
  const auto made = model();
  auto entry = made.network.entry({made.next});
  entry.replaces(made.idle, made.next);
  EXPECT_TRUE(throws([&] { entry.lower(); },
                     {ErrorKind::argument, "BoundEntry::lower", {}, {"node 2", "node 3", "no result reads"}}));
}

TEST(Replaces, checks_an_entry_that_was_written_by_hand) {
  const auto made = model();
  Entry entry{{made.next}, {}, false, Numerics::exact, {{made.w, made.next}}};
  EXPECT_EQ(made.network.bind(entry).lower().replacements(), entry.replaced);
  entry.replaced.push_back({made.x, made.next});
  EXPECT_TRUE(throws([&] { made.network.bind(entry).lower(); }, {ErrorKind::argument, "BoundEntry::replaces"}));
  entry.replaced = {{made.w, made.wide}};
  EXPECT_TRUE(throws([&] { made.network.bind(entry).lower(); }, {ErrorKind::argument, "BoundEntry::replaces"}));
}

}  // namespace
}  // namespace topos::test
