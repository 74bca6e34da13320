// Contractions, extremes along an axis, windows, rows by index, and movement.
#include "support/judged/enclosure.h"

#include <algorithm>

#include "support/judged/enclosure_parts.h"
#include "support/judged/lowered.h"

namespace topos::test {
namespace {

/// The same movement of everything that an enclosure holds.
template <class F>
Enclosure moved(const Enclosure& x, F f) {
  if (!x.type().element.is_floating()) return decided(f(x.value), f(x.undecided));
  return {f(x.value), f(x.low), f(x.high), {}, x.source};
}

std::size_t index(Extent i) { return static_cast<std::size_t>(i); }

/// Whether any of these is undecided.
bool any(const Tensor& undecided) {
  const auto flags = undecided.values<bool>();
  return std::find(flags.begin(), flags.end(), true) != flags.end();
}

/// What is whole is exact, so that only an undecided operand leaves it open: then all of it.
Enclosure whole(Tensor value, bool open) {
  const auto shape = value.shape();
  return decided(std::move(value), open ? all_undecided(shape) : none_undecided(shape));
}

template <class T>
Intervals results(const std::vector<Total<T>>& totals) {
  Intervals intervals;
  intervals.reserve(totals.size());
  for (const auto& total : totals) intervals.push_back(total.result());
  return intervals;
}

/// Outer extents, the axis, inner extents.
struct Parts {
  Extent outer = 1, extent = 1, inner = 1;
  Parts(const Shape& shape, Extent axis) : extent(shape.at(axis)) {
    for (Extent i = 0; i < static_cast<Extent>(shape.rank()); ++i)
      (i < axis ? outer : inner) *= i == axis ? 1 : shape.at(i);
  }
};

}  // namespace

Enclosure matmul(const Enclosure& a, const Enclosure& b) {
  auto value = matmul(a.value, b.value);
  const auto type = value.type();
  if (!type.element.is_floating()) return whole(std::move(value), any(a.undecided) || any(b.undecided));
  const auto rank = type.rank();
  const auto m = index(type.shape[rank - 2]), n = index(type.shape[rank - 1]), k = index(a.type().shape[rank - 1]);
  const auto left = intervals_of(a), right = intervals_of(b);
  return with_float(type.element, [&]<class T>() {
    std::vector<Total<T>> totals(index(type.shape.volume()));
    for (std::size_t row = 0; row * n < totals.size(); ++row)
      for (std::size_t t = 0; t < k; ++t)
        for (std::size_t j = 0; j < n; ++j)
          totals[row * n + j].add_product(left[row * k + t], right[(row / m * k + t) * n + j]);
    return enclosed(value, results(totals));
  });
}

Enclosure sum(const Enclosure& x, const Shape& axes) {
  auto value = sum(x.value, axes);
  if (!value.element().is_floating()) return whole(std::move(value), any(x.undecided));
  Extent n = 1;
  for (const auto axis : axes) n *= x.type().shape.at(axis);
  const auto order = with_last(x.type().rank(), axes);
  const auto terms = intervals_of(moved(x, [&](const Tensor& t) { return permute(t, order); }));
  return with_float(value.element(), [&]<class T>() {
    std::vector<Total<T>> totals(index(value.volume()));
    for (std::size_t i = 0; i < terms.size(); ++i) totals[i / index(n)].add(terms[i]);
    return enclosed(value, results(totals));
  });
}

Enclosure softmax(const Enclosure& x, Extent axis) {
  auto out = lowered_softmax(x, axis);
  out.value = softmax(x.value, axis);
  return out;
}
Enclosure log_softmax(const Enclosure& x, Extent axis) {
  auto out = lowered_log_softmax(x, axis);
  out.value = log_softmax(x.value, axis);
  return out;
}
Enclosure logsumexp(const Enclosure& x, Extent axis) {
  auto out = lowered_logsumexp(x, axis);
  out.value = logsumexp(x.value, axis);
  return out;
}

Enclosure max_along(const Enclosure& x, Extent axis) {
  auto value = max_along(x.value, axis);
  if (!value.element().is_floating()) return whole(std::move(value), any(x.undecided));
  const Parts p(x.type().shape, axis);
  const auto terms = intervals_of(x);
  Intervals out(index(value.volume()), Interval::point(-std::numeric_limits<double>::infinity()));
  for (Extent o = 0; o < p.outer; ++o)
    for (Extent e = 0; e < p.extent; ++e)
      for (Extent j = 0; j < p.inner; ++j) {
        auto& peak = out[index(o * p.inner + j)];
        peak = larger(peak, terms[index((o * p.extent + e) * p.inner + j)]);
      }
  return enclosed(std::move(value), out);
}

Enclosure argmax_along(const Enclosure& x, Extent axis) {
  auto value = argmax_along(x.value, axis);
  if (!x.type().element.is_floating()) return whole(std::move(value), any(x.undecided));
  const Parts p(x.type().shape, axis);
  const auto terms = intervals_of(x);
  const auto places = value.values<std::int64_t>();
  std::vector<bool> unknown(places.size());
  for (std::size_t lane = 0; lane < places.size(); ++lane) {
    const auto at = [&](Extent e) {
      const auto o = static_cast<Extent>(lane) / p.inner, j = static_cast<Extent>(lane) % p.inner;
      return terms[index((o * p.extent + e) * p.inner + j)];
    };
    const auto place = places[lane];
    const auto chosen = at(place);
    bool open = chosen.is_anything();
    for (Extent e = 0; e < p.extent; ++e) {
      const auto other = at(e);
      if (other.is_anything()) open = true;
      if (e == place || chosen.is_nan()) continue;  // the first NaN wins whatever else there is
      open = open || (e < place ? other.high >= chosen.low : other.high > chosen.low);
    }
    unknown[lane] = open;
  }
  const auto shape = value.shape();
  return decided(std::move(value), Tensor::from(shape, unknown));
}

Enclosure broadcast(const Enclosure& x, const Shape& shape) {
  return moved(x, [&](const Tensor& t) { return broadcast(t, shape); });
}
Enclosure broadcast_along(const Enclosure& x, Extent axis, Extent extent) {
  return moved(x, [&](const Tensor& t) { return broadcast_along(t, axis, extent); });
}
Enclosure reshape(const Enclosure& x, const Shape& shape) {
  return moved(x, [&](const Tensor& t) { return reshape(t, shape); });
}
Enclosure permute(const Enclosure& x, const Shape& order) {
  return moved(x, [&](const Tensor& t) { return permute(t, order); });
}
Enclosure narrow(const Enclosure& x, Extent axis, Extent start, Extent length) {
  return moved(x, [&](const Tensor& t) { return narrow(t, axis, start, length); });
}
Enclosure pad(const Enclosure& x, Extent axis, Extent start, Extent full_extent) {
  return moved(x, [&](const Tensor& t) { return pad(t, axis, start, full_extent); });
}
Enclosure unfold(const Enclosure& x, Extent axis, Extent size, Extent step, Extent dilation) {
  return moved(x, [&](const Tensor& t) { return unfold(t, axis, size, step, dilation); });
}
Enclosure concat(std::span<const Enclosure* const> operands, Extent axis) {
  const auto joined = [&](Tensor Enclosure::* part) {
    std::vector<const Tensor*> parts;
    for (const auto* operand : operands) parts.push_back(&(operand->*part));
    return concat(std::span<const Tensor* const>(parts), axis);
  };
  bool source = true;
  for (const auto* operand : operands) source = source && operand->source;
  if (!operands[0]->type().element.is_floating())
    return decided(joined(&Enclosure::value), joined(&Enclosure::undecided));
  return {joined(&Enclosure::value), joined(&Enclosure::low), joined(&Enclosure::high), {}, source};
}

Enclosure fold(const Enclosure& x, Extent axis, Extent size, Extent step, Extent dilation, Extent extent) {
  auto value = fold(x.value, axis, size, step, dilation, extent);
  if (!value.element().is_floating()) return whole(std::move(value), any(x.undecided));
  const Parts p(value.shape(), axis);
  const auto count = x.type().shape.at(axis);
  const auto taps = intervals_of(x);
  return with_float(value.element(), [&]<class T>() {
    std::vector<Total<T>> totals(index(value.volume()));
    for (Extent o = 0; o < p.outer; ++o)
      for (Extent w = 0; w < count; ++w)
        for (Extent k = 0; k < size; ++k)
          for (Extent j = 0; j < p.inner; ++j)
            totals[index((o * p.extent + w * step + k * dilation) * p.inner + j)].add(
                taps[index(((o * count + w) * size + k) * p.inner + j)]);
    return enclosed(value, results(totals));
  });
}

Enclosure gather(const Enclosure& table, const Enclosure& indices) {
  auto out = moved(table, [&](const Tensor& t) { return gather(t, indices.value); });
  if (!any(indices.undecided)) return out;
  if (!out.type().element.is_floating()) return whole(std::move(out.value), true);
  const Intervals open(index(out.value.volume()), Interval::anything());
  return enclosed(std::move(out.value), open);
}

Enclosure scatter(const Enclosure& rows, const Enclosure& indices, Extent extent) {
  auto value = scatter(rows.value, indices.value, extent);
  const bool open = any(indices.undecided);
  if (!value.element().is_floating()) return whole(std::move(value), open || any(rows.undecided));
  if (open) return enclosed(value, Intervals(index(value.volume()), Interval::anything()));
  const auto terms = intervals_of(rows);
  const auto places = indices.value.values<std::int64_t>();
  const auto width = value.volume() / std::max<Extent>(1, extent);
  return with_float(value.element(), [&]<class T>() {
    std::vector<Total<T>> totals(index(value.volume()));
    for (std::size_t i = 0; i < places.size(); ++i)
      for (Extent j = 0; j < width; ++j) totals[index(places[i] * width + j)].add(terms[i * index(width) + index(j)]);
    return enclosed(value, results(totals));
  });
}

}  // namespace topos::test
