// Samples of the opcodes that place, count and convert numbers.
#pragma once
#include "support/samples_elementwise.h"

namespace topos::test {

/// One operand, moved, then squared, so that a second derivative sees the movement too.
template <class F>
Sample moved(std::string name, Shape shape, Form form, F f) {
  return sample_over(std::move(name), {std::move(shape)}, {{-2, 2}}, form, [f](Tape&, const std::vector<Value>& in) {
    const auto result = f(in[0]);
    return result * result;
  });
}

inline std::vector<Sample> samples(op::Broadcast) {
  const auto to = [](const char* name, Shape from, Shape shape, Form form) {
    return moved(std::string("Broadcast ") + name, std::move(from), form,
                 [shape](const Value& x) { return broadcast(x, shape); });
  };
  return {to("of rank 0", {}, {2, 3}, Form::plain),    to("of one", {1, 1}, {2, 3, 2}, Form::plain),
          to("of a window", {1}, {4}, Form::narrowed), to("of a window of axes", {1, 1}, {4, 40}, Form::narrowed),
          to("to nothing", {1}, {0, 3}, Form::plain),  to("to rank 0", {1}, {}, Form::plain)};
}
inline std::vector<Sample> samples(op::BroadcastAlong) {
  const auto to = [](const char* name, Shape from, Extent axis, Extent extent, Form form) {
    return moved(std::string("BroadcastAlong ") + name, std::move(from), form,
                 [axis, extent](const Value& x) { return broadcast_along(x, axis, extent); });
  };
  return {to("the first", {3}, 0, 4, Form::plain),        to("the last", {3}, 1, 4, Form::plain),
          to("the middle", {2, 3}, 1, 4, Form::permuted), to("of a window", {3}, 0, 2, Form::narrowed),
          to("many", {3}, 0, 300, Form::plain),           to("of rank 0", {}, 0, 3, Form::plain),
          to("to nothing", {3}, 1, 0, Form::plain),       to("of nothing", {0, 2}, 0, 3, Form::plain)};
}
inline std::vector<Sample> samples(op::Reshape) {
  const auto to = [](const char* name, Shape from, Shape shape, Form form) {
    return moved(std::string("Reshape ") + name, std::move(from), form,
                 [shape](const Value& x) { return reshape(x, shape); });
  };
  return {to("plain", {2, 6}, {3, 4}, Form::plain),         to("of a transpose", {2, 6}, {3, 4}, Form::permuted),
          to("of a window", {2, 3}, {6}, Form::narrowed),   to("to five axes", {12}, {2, 1, 3, 1, 2}, Form::plain),
          to("of nothing", {0, 3}, {3, 0, 2}, Form::plain), to("of rank 0", {}, {1, 1}, Form::plain),
          to("to rank 0", {1, 1}, {}, Form::plain)};
}
inline std::vector<Sample> samples(op::Permute) {
  const auto by = [](const char* name, Shape from, Shape order, Form form) {
    return moved(std::string("Permute ") + name, std::move(from), form,
                 [order](const Value& x) { return permute(x, order); });
  };
  return {
      by("a cycle", {2, 3, 4}, {2, 0, 1}, Form::plain),  by("of a permuted", {2, 3, 4}, {1, 2, 0}, Form::permuted),
      by("of a window", {2, 3}, {1, 0}, Form::narrowed), by("five axes", {2, 1, 2, 3, 2}, {4, 2, 0, 3, 1}, Form::plain),
      by("of nothing", {0, 3}, {1, 0}, Form::plain),     by("of rank 0", {}, {}, Form::plain)};
}
inline std::vector<Sample> samples(op::Narrow) {
  const auto to = [](const char* name, Shape from, Extent axis, Extent start, Extent length, Form form) {
    return moved(std::string("Narrow ") + name, std::move(from), form,
                 [=](const Value& x) { return narrow(x, axis, start, length); });
  };
  return {to("plain", {2, 5}, 1, 1, 3, Form::plain),
          to("of the first axis", {5, 2}, 0, 2, 3, Form::plain),
          to("of a transpose", {4, 5}, 1, 1, 3, Form::permuted),
          to("of a window", {4, 5}, 1, 1, 3, Form::narrowed),
          to("whole", {2, 3}, 1, 0, 3, Form::plain),
          to("to nothing", {2, 3}, 1, 3, 0, Form::plain),
          to("of nothing", {0, 3}, 1, 1, 2, Form::plain)};
}
inline std::vector<Sample> samples(op::Pad) {
  const auto to = [](const char* name, Shape from, Extent axis, Extent start, Extent full, Form form) {
    return moved(std::string("Pad ") + name, std::move(from), form,
                 [=](const Value& x) { return pad(x, axis, start, full); });
  };
  return {to("plain", {2, 3}, 1, 2, 6, Form::plain),
          to("of the first axis", {3, 2}, 0, 1, 5, Form::plain),
          to("of a transpose", {3, 2}, 1, 1, 4, Form::permuted),
          to("of a window", {3, 2}, 0, 0, 4, Form::narrowed),
          to("by nothing", {2, 3}, 1, 0, 3, Form::plain),
          to("of nothing", {2, 0}, 1, 1, 4, Form::plain),
          to("beside nothing", {0, 2}, 1, 1, 4, Form::plain)};
}
inline std::vector<Sample> samples(op::Concat) {
  const auto of = [](const char* name, std::vector<Shape> shapes, Extent axis, Form form) {
    return sample_over(std::string("Concat ") + name, std::move(shapes), {{-2, 2}}, form,
                       [axis](Tape&, const std::vector<Value>& in) {
                         std::vector<const Value*> operands;
                         for (const auto& value : in) operands.push_back(&value);
                         const auto joined = concat(std::span<const Value* const>(operands), axis);
                         return joined * joined;
                       });
  };
  return {of("of two", {{2, 3}, {2, 1}}, 1, Form::plain),
          of("of four", {{1, 2}, {2, 2}, {1, 2}, {3, 2}}, 0, Form::plain),
          of("of transposes", {{2, 3}, {2, 2}}, 1, Form::permuted),
          of("of windows", {{2, 3}, {1, 3}}, 0, Form::narrowed),
          of("of one", {{2, 3}}, 1, Form::plain),
          of("with nothing", {{2, 0}, {2, 3}, {2, 0}}, 1, Form::plain),
          of("of nothing", {{0, 2}, {0, 3}}, 1, Form::plain)};
}

inline std::vector<Sample> samples(op::Gather) {
  const auto of = [](const char* name, Shape table, Shape places, Form form, bool turned = false) {
    return sample_over(std::string("Gather ") + name, {table}, {{-2, 2}}, form,
                       [=](Tape& tape, const std::vector<Value>& in) {
                         auto indices = tape.input(Random(7).indices(places, table[0]));
                         if (turned) indices = permute(indices, {1, 0});
                         const auto rows = gather(in[0], indices);
                         return rows * rows;
                       });
  };
  return {of("plain", {5, 3}, {4}, Form::plain),
          of("by a matrix", {5, 3}, {2, 3}, Form::plain),
          of("of a transpose", {5, 3}, {4}, Form::permuted),
          of("of a window", {5, 3}, {4}, Form::narrowed),
          of("of numbers", {6}, {4}, Form::plain),
          of("by a transpose", {5, 2}, {2, 3}, Form::plain, true),
          of("of matrices", {3, 2, 2}, {5}, Form::plain),
          of("by rank 0", {5, 3}, {}, Form::plain),
          of("by nothing", {5, 3}, {0}, Form::plain),
          of("of empty rows", {5, 0}, {3}, Form::plain)};
}
inline std::vector<Sample> samples(op::Scatter) {
  const auto of = [](const char* name, Shape rows, Shape places, Extent extent, Form form, bool turned = false) {
    return sample_over(std::string("Scatter ") + name, {rows}, {{-2, 2}}, form,
                       [=](Tape& tape, const std::vector<Value>& in) {
                         auto indices = tape.input(Random(7).indices(places, extent));
                         if (turned) indices = permute(indices, {1, 0});
                         const auto table = scatter(in[0], indices, extent);
                         return table * table;
                       });
  };
  return {of("plain", {4, 3}, {4}, 6, Form::plain),
          of("repeated", {9, 2}, {9}, 3, Form::plain),
          of("by a matrix", {2, 3, 2}, {2, 3}, 4, Form::plain),
          of("of a transpose", {4, 3}, {4}, 3, Form::permuted),
          of("of a window", {4, 3}, {4}, 3, Form::narrowed),
          of("of numbers", {5}, {5}, 3, Form::plain),
          of("by a transpose", {3, 2, 2}, {2, 3}, 4, Form::plain, true),
          of("by rank 0", {3}, {}, 4, Form::plain),
          of("of rank 0", {}, {}, 3, Form::plain),
          of("of nothing", {0, 3}, {0}, 4, Form::plain)};
}

inline std::vector<Sample> samples(op::Iota) {
  const auto of = [](const char* name, Shape shape, Extent axis) {
    return sample_over(std::string("Iota ") + name, {shape}, {{-2, 2}}, Form::plain,
                       [axis](Tape& tape, const std::vector<Value>& in) {
                         const auto count = tape.iota(in[0].shape(), axis);
                         const auto number = convert(count, tape.element());
                         const auto scaled = number * in[0];
                         const auto beside = iota_like(in[0], axis);
                         const auto even = compare(beside, 1, Direction::le);
                         return select(even, scaled, in[0]);
                       });
  };
  return {of("of a row", {5}, 0), of("of the first axis", {3, 2}, 0), of("of the last axis", {3, 4}, 1),
          of("of the middle", {2, 3, 2}, 1), of("of nothing", {0, 3}, 1)};
}

inline std::vector<Sample> samples(op::Convert) {
  std::vector<Sample> all;
  const auto other = [](Tape& tape) { return tape.element() == f32 ? f64 : f32; };
  auto there = elementwise("Convert to the other float", {{-2, 2}}, [=](Tape& tape, const std::vector<Value>& in) {
    const auto moved = convert(in[0], other(tape));
    const auto square = moved * moved;
    return convert(square, tape.element());
  });
  auto whole = elementwise("Convert to i64 and back", {{-9, 9}}, [](Tape& tape, const std::vector<Value>& in) {
    const auto integer = convert(in[0], i64);
    const auto back = convert(integer, tape.element());
    return back * in[0];
  });
  auto truth = elementwise("Convert to boolean and back", {{-9, 9}}, [](Tape& tape, const std::vector<Value>& in) {
    const auto nonzero = convert(in[0], boolean);
    const auto integer = convert(nonzero, i64);
    const auto back = convert(integer, tape.element());
    return back * in[0];
  });
  for (auto& sample : there) sample.through_f32 = true;
  for (auto* list : {&there, &whole, &truth})
    for (auto& sample : *list) all.push_back(std::move(sample));
  return all;
}

}  // namespace topos::test
