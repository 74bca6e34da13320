#include "topos/neural/pooling.h"

#include <algorithm>
#include <limits>

#include "topos/neural/window_misuse.h"
#include "topos/spec/composite.h"
#include "topos/spec/composites.h"

namespace topos {
namespace {

using neural::Complaint;

/// How many windows an image has, checked.
Pair outputs_of(const Complaint& complaint, const Value& x, Pair size, Pair stride, Pair low, Pair high) {
  if (x.shape().rank() != 4) complaint.type("the input " + complaint.types[0] + " is not [b, c, h, w]");
  complaint.at_least("size", size, 1);
  complaint.at_least("stride", stride, 1);
  complaint.at_least("padding", low, 0);
  complaint.at_least("padding", high, 0);
  if (std::max(low.rows, high.rows) >= size.rows || std::max(low.columns, high.columns) >= size.columns)
    complaint.argument(fmt::format("a window of {}, {} would hold nothing but padding", size.rows, size.columns));
  const auto& shape = x.shape();
  const auto rows = neural::windows_of(complaint, shape[2] + low.rows + high.rows, size.rows, stride.rows, 1);
  const auto columns =
      neural::windows_of(complaint, shape[3] + low.columns + high.columns, size.columns, stride.columns, 1);
  return {rows, columns};
}

/// [b, c, oh, kh, ow, kw].
Value windows_of_image(const Value& x, Pair size, Pair stride) {
  const auto rows = unfold(x, 2, size.rows, stride.rows, 1);
  return unfold(rows, 4, size.columns, stride.columns, 1);
}

/// x with `padding` of the least number at both ends of an axis.
Value fenced(const Value& x, Extent axis, Extent padding) {
  if (padding == 0) return x;
  auto shape = x.shape();
  shape[static_cast<std::size_t>(axis)] = padding;
  const Number least = x.element() == i64 ? Number(std::numeric_limits<std::int64_t>::min())
                                          : Number(-std::numeric_limits<double>::infinity());
  const auto fence = leaf_beside(x, Tensor::full({x.element(), shape}, least));
  return concat({fence, x, fence}, axis);
}

/// How many places of each window lie in the image: an axis of it.
std::vector<double> counts_of(Extent extent, Extent windows, Extent size, Extent stride, Extent low) {
  std::vector<double> counts;
  for (Extent window = 0; window < windows; ++window) {
    const auto first = std::max<Extent>(window * stride - low, 0);
    const auto end = std::min<Extent>(window * stride - low + size, extent);
    counts.push_back(static_cast<double>(end - first));
  }
  return counts;
}

/// The number of places in the image, a window.
Value divisors(const Value& sums, const Shape& image, Pair outputs, Pair size, Pair stride, Pair low) {
  const auto rows = counts_of(image[2], outputs.rows, size.rows, stride.rows, low.rows);
  const auto columns = counts_of(image[3], outputs.columns, size.columns, stride.columns, low.columns);
  std::vector<double> counts;
  for (const auto row : rows)
    for (const auto column : columns) counts.push_back(row * column);
  const auto table = leaf_beside(sums, Tensor::from({outputs.rows, outputs.columns}, counts, sums.element()));
  const auto channels = broadcast_along(table, 0, sums.shape()[1]);
  return broadcast_along(channels, 0, sums.shape()[0]);
}

}  // namespace

Value max_pool(const Value& x, Pair size, Pair stride, Pair padding, Site site) {
  const Complaint complaint{"max_pool", {x.type().text()}, site};
  const auto outputs = outputs_of(complaint, x, size, stride, padding, padding);
  const auto batch = x.shape()[0], channels = x.shape()[1];
  Composite scope(x, site);
  const auto tall = fenced(x, 2, padding.rows);
  const auto whole = fenced(tall, 3, padding.columns);
  const auto windows = windows_of_image(whole, size, stride);
  const auto places = permute(windows, {0, 1, 2, 4, 3, 5});
  const auto count = size.rows * size.columns;
  const auto lanes = reshape(places, {batch, channels, outputs.rows, outputs.columns, count});
  auto running = narrow(lanes, 4, 0, 1);
  for (Extent i = 1; i < count; ++i) {
    const auto lane = narrow(lanes, 4, i, 1);
    running = maximum(lane, running);  // a tie belongs to the second operand: the earlier lane
  }
  return reshape(running, {batch, channels, outputs.rows, outputs.columns});
}

Value average_pool(const Value& x, Pair size, Pair stride, const AveragePoolOptions& options, Site site) {
  const Complaint complaint{"average_pool", {x.type().text()}, site};
  if (!x.element().is_floating()) complaint.type("the mean of " + complaint.types[0] + " is no whole number");
  const auto low = options.padding_low, high = options.padding_high;
  const auto outputs = outputs_of(complaint, x, size, stride, low, high);
  const auto image = x.shape();
  const auto element = x.element();
  Composite scope(x, site);
  auto wide = element == bf16 ? convert(x, f32) : x;
  if (low.rows + high.rows > 0) wide = pad(wide, 2, low.rows, image[2] + low.rows + high.rows);
  if (low.columns + high.columns > 0) wide = pad(wide, 3, low.columns, image[3] + low.columns + high.columns);
  const auto windows = windows_of_image(wide, size, stride);
  const auto sums = sum(windows, {3, 5});
  const bool padded = !(low == Pair(0) && high == Pair(0));
  auto result = sums;
  if (padded && !options.count_padding) {
    const auto counts = divisors(sums, image, outputs, size, stride, low);
    result = sums / counts;
  } else {
    result = sums / (size.rows * size.columns);
  }
  return element == bf16 ? convert(result, bf16) : result;
}

}  // namespace topos
