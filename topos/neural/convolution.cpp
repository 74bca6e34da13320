#include "topos/neural/convolution.h"

#include "topos/neural/window_misuse.h"
#include "topos/spec/composite.h"
#include "topos/spec/composites.h"

namespace topos {
namespace {

using neural::Complaint;

/// What the operands of a convolution say, checked.
struct Geometry {
  Extent batch, channels, filters, groups;
  Pair image, kernel, outputs;

  Extent places() const { return batch * outputs.rows * outputs.columns; }
  Extent taps() const { return channels / groups * kernel.rows * kernel.columns; }
};

void check_options(const Complaint& complaint, const ConvolutionOptions& options) {
  complaint.at_least("stride", options.stride, 1);
  complaint.at_least("dilation", options.dilation, 1);
  complaint.at_least("padding", options.padding, 0);
  complaint.at_least("number of groups", options.groups, 1);
}

Complaint complaint_of(std::string_view facade, std::initializer_list<const Value*> operands, const Site& site) {
  Complaint complaint{facade, {}, site};
  for (const auto* operand : operands)
    if (operand != nullptr) complaint.types.push_back(operand->type().text());
  return complaint;
}

/// Ranks and elements: input and weights of `rank`, a bias of rank 1.
void check_ranks(const Complaint& complaint, const Value& input, const Value& weights, const Value* bias,
                 std::size_t rank, std::string_view weights_form) {
  const bool fits =
      input.shape().rank() == rank && weights.shape().rank() == rank && (bias == nullptr || bias->shape().rank() == 1);
  if (!fits)
    complaint.type(fmt::format("the input {}, weights {}{}{} are not [b, c, {}], {}{}", complaint.types[0],
                               complaint.types[1], bias == nullptr ? "" : " and bias ",
                               bias == nullptr ? "" : complaint.types[2], rank == 4 ? "h, w" : "l", weights_form,
                               bias == nullptr ? "" : " and [f]"));
  if (!(input.element() == weights.element()) || (bias != nullptr && !(bias->element() == input.element())))
    complaint.type(fmt::format("{} are of more than one element", fmt::join(complaint.types, " and ")));
}

void check_window(const Complaint& complaint, const Shape& weights) {
  if (weights[2] < 1 || weights[3] < 1) complaint.type("the weights " + complaint.types[1] + " have an empty window");
}

Geometry geometry_of(const Complaint& complaint, const Value& input, const Value& weights, const Value* bias,
                     const ConvolutionOptions& options) {
  check_ranks(complaint, input, weights, bias, 4, "[f, c / groups, kh, kw]");
  check_options(complaint, options);
  const auto& x = input.shape();
  const auto& k = weights.shape();
  const auto groups = options.groups;
  if (x[1] % groups != 0 || k[0] % groups != 0)
    complaint.type(fmt::format("{} groups do not divide {} channels and {} filters", groups, x[1], k[0]));
  if (k[1] != x[1] / groups)
    complaint.type(fmt::format("the weights {} want {} channels a group, the input {} has {}", complaint.types[1], k[1],
                               complaint.types[0], x[1] / groups));
  if (bias != nullptr && bias->shape()[0] != k[0])
    complaint.type(fmt::format("the bias {} is not one number for each of {} filters", complaint.types[2], k[0]));
  check_window(complaint, k);
  const auto rows =
      neural::windows_of(complaint, x[2] + 2 * options.padding.rows, k[2], options.stride.rows, options.dilation.rows);
  const auto columns = neural::windows_of(complaint, x[3] + 2 * options.padding.columns, k[3], options.stride.columns,
                                          options.dilation.columns);
  return {x[0], x[1], k[0], groups, {x[2], x[3]}, {k[2], k[3]}, {rows, columns}};
}

/// [b, c, oh, kh, ow, kw].
Value windows_of_image(const Value& input, const Geometry& g, const ConvolutionOptions& options) {
  auto x = input;
  const auto& padding = options.padding;
  if (padding.rows > 0) x = pad(x, 2, padding.rows, g.image.rows + 2 * padding.rows);
  if (padding.columns > 0) x = pad(x, 3, padding.columns, g.image.columns + 2 * padding.columns);
  x = unfold(x, 2, g.kernel.rows, options.stride.rows, options.dilation.rows);
  return unfold(x, 4, g.kernel.columns, options.stride.columns, options.dilation.columns);
}

/// The kernel as a matrix [c kh kw, f].
Value matrix_of(const Value& weights) {
  const auto& k = weights.shape();
  const auto turned = permute(weights, {1, 2, 3, 0});
  return reshape(turned, {k[1] * k[2] * k[3], k[0]});
}

/// The kernels of the groups [f, c / g, kh, kw] as matrices [g, c / g kh kw, f / g].
Value matrices_of(const Value& weights, Extent groups) {
  const auto k = weights.shape();
  const auto apart = reshape(weights, {groups, k[0] / groups, k[1], k[2], k[3]});
  const auto turned = permute(apart, {0, 2, 3, 4, 1});
  return reshape(turned, {groups, k[1] * k[2] * k[3], k[0] / groups});
}

Value one_group(const Value& input, const Value& weights, const Value* bias, const Geometry& g,
                const ConvolutionOptions& options) {
  const auto windows = windows_of_image(input, g, options);
  const auto places = permute(windows, {0, 2, 4, 1, 3, 5});
  const auto rows = reshape(places, {g.places(), g.taps()});
  const auto matrix = matrix_of(weights);
  auto product = matmul(rows, matrix);
  if (bias != nullptr) {
    const auto spread = broadcast_along(*bias, 0, g.places());
    product = product + spread;
  }
  const auto image = reshape(product, {g.batch, g.outputs.rows, g.outputs.columns, g.filters});
  return permute(image, {0, 3, 1, 2});
}

Value many_groups(const Value& input, const Value& weights, const Value* bias, const Geometry& g,
                  const ConvolutionOptions& options) {
  const auto windows = windows_of_image(input, g, options);
  const auto apart = reshape(windows, {g.batch, g.groups, g.channels / g.groups, g.outputs.rows, g.kernel.rows,
                                       g.outputs.columns, g.kernel.columns});
  const auto places = permute(apart, {1, 0, 3, 5, 2, 4, 6});
  const auto rows = reshape(places, {g.groups, g.places(), g.taps()});
  const auto matrices = matrices_of(weights, g.groups);
  auto product = matmul(rows, matrices);
  if (bias != nullptr) {
    const auto shares = reshape(*bias, {g.groups, g.filters / g.groups});
    const auto spread = broadcast_along(shares, 1, g.places());
    product = product + spread;
  }
  const auto image = reshape(product, {g.groups, g.batch, g.outputs.rows, g.outputs.columns, g.filters / g.groups});
  const auto filtered = permute(image, {1, 0, 4, 2, 3});
  return reshape(filtered, {g.batch, g.filters, g.outputs.rows, g.outputs.columns});
}

Value convolved(std::string_view facade, const Value& input, const Value& weights, const Value* bias,
                const ConvolutionOptions& options, const Site& site) {
  const auto complaint = complaint_of(facade, {&input, &weights, bias}, site);
  const auto geometry = geometry_of(complaint, input, weights, bias, options);
  Composite scope(input, site);
  return options.groups == 1 ? one_group(input, weights, bias, geometry, options)
                             : many_groups(input, weights, bias, geometry, options);
}

/// [.., l] as [.., 1, l].
Value as_row(const Value& x) { return unsqueeze(x, 2); }
Value as_line(const Value& x) { return squeeze(x, 2); }

Value convolved_line(const Value& input, const Value& weights, const Value* bias, const Convolution1dOptions& options,
                     const Site& site) {
  const auto complaint = complaint_of("conv1d", {&input, &weights, bias}, site);
  check_ranks(complaint, input, weights, bias, 3, "[f, c / groups, k]");
  Composite scope(input, site);
  const auto row = as_row(input);
  const auto kernel = as_row(weights);
  const auto result =
      convolved("conv1d", row, kernel, bias,
                {{1, options.stride}, {0, options.padding}, {1, options.dilation}, options.groups}, site);
  return as_line(result);
}

/// The transpose's geometry is that of the convolution it is the adjoint of, which reads `image` and writes what is the
/// input here: its channels are the filters here.
Geometry transposed_geometry(const Complaint& complaint, const Value& input, const Value& weights, const Value* bias,
                             const TransposedOptions& options) {
  check_ranks(complaint, input, weights, bias, 4, "[c, f / groups, kh, kw]");
  check_options(complaint, {options.stride, options.padding, options.dilation, options.groups});
  complaint.at_least("output padding", options.output_padding, 0);
  const auto& more = options.output_padding;
  if (more.rows >= options.stride.rows || more.columns >= options.stride.columns)
    complaint.argument(fmt::format("the output padding {}, {} is not below the stride {}, {}", more.rows, more.columns,
                                   options.stride.rows, options.stride.columns));
  const auto& x = input.shape();
  const auto& k = weights.shape();
  if (k[0] != x[1])
    complaint.type(fmt::format("the weights {} want {} channels, the input {} has {}", complaint.types[1], k[0],
                               complaint.types[0], x[1]));
  if (x[1] % options.groups != 0)
    complaint.type(fmt::format("{} groups do not divide {} channels", options.groups, x[1]));
  const auto filters = k[1] * options.groups;
  if (bias != nullptr && bias->shape()[0] != filters)
    complaint.type(fmt::format("the bias {} is not one number for each of {} filters", complaint.types[2], filters));
  check_window(complaint, k);
  const auto extent = [&](Extent count, Extent size, Extent stride, Extent padding, Extent dilation, Extent added) {
    if (count < 1) complaint.type("the input " + complaint.types[0] + " has an empty image");
    const auto result = (count - 1) * stride + neural::span_of(size, dilation) - 2 * padding + added;
    if (result < 1) complaint.type(fmt::format("a padding of {} leaves nothing of the result", padding));
    return result;
  };
  const auto rows = extent(x[2], k[2], options.stride.rows, options.padding.rows, options.dilation.rows, more.rows);
  const auto columns =
      extent(x[3], k[3], options.stride.columns, options.padding.columns, options.dilation.columns, more.columns);
  return {x[0], filters, x[1], options.groups, {rows, columns}, {k[2], k[3]}, {x[2], x[3]}};
}

/// [b, f, oh, kh, ow, kw]: what each place of the input adds to each of its taps.
Value scattered_taps(const Value& input, const Value& weights, const Geometry& g) {
  if (g.groups == 1) {
    const auto image = permute(input, {0, 2, 3, 1});
    const auto rows = reshape(image, {g.places(), g.filters});
    const auto matrix = matrix_of(weights);
    const auto turned = transpose(matrix);
    const auto product = matmul(rows, turned);
    const auto places =
        reshape(product, {g.batch, g.outputs.rows, g.outputs.columns, g.channels, g.kernel.rows, g.kernel.columns});
    return permute(places, {0, 3, 1, 4, 2, 5});
  }
  const auto apart = reshape(input, {g.batch, g.groups, g.filters / g.groups, g.outputs.rows, g.outputs.columns});
  const auto image = permute(apart, {1, 0, 3, 4, 2});
  const auto rows = reshape(image, {g.groups, g.places(), g.filters / g.groups});
  const auto matrices = matrices_of(weights, g.groups);
  const auto turned = permute(matrices, {0, 2, 1});
  const auto product = matmul(rows, turned);
  const auto places = reshape(product, {g.groups, g.batch, g.outputs.rows, g.outputs.columns, g.channels / g.groups,
                                        g.kernel.rows, g.kernel.columns});
  const auto windows = permute(places, {1, 0, 4, 2, 5, 3, 6});
  return reshape(windows, {g.batch, g.channels, g.outputs.rows, g.kernel.rows, g.outputs.columns, g.kernel.columns});
}

Value transposed(std::string_view facade, const Value& input, const Value& weights, const Value* bias,
                 const TransposedOptions& options, const Site& site) {
  const auto complaint = complaint_of(facade, {&input, &weights, bias}, site);
  const auto g = transposed_geometry(complaint, input, weights, bias, options);
  Composite scope(input, site);
  const auto& padding = options.padding;
  auto x = scattered_taps(input, weights, g);
  x = fold(x, 4, g.kernel.columns, options.stride.columns, options.dilation.columns,
           g.image.columns + 2 * padding.columns);
  x = fold(x, 2, g.kernel.rows, options.stride.rows, options.dilation.rows, g.image.rows + 2 * padding.rows);
  if (padding.columns > 0) x = narrow(x, 3, padding.columns, g.image.columns);
  if (padding.rows > 0) x = narrow(x, 2, padding.rows, g.image.rows);
  if (bias == nullptr) return x;
  auto spread = broadcast_along(*bias, 0, g.batch);
  spread = broadcast_along(spread, 2, g.image.rows);
  spread = broadcast_along(spread, 3, g.image.columns);
  return x + spread;
}

Value transposed_line(const Value& input, const Value& weights, const Value* bias, const Transposed1dOptions& options,
                      const Site& site) {
  const auto complaint = complaint_of("conv1d_transposed", {&input, &weights, bias}, site);
  check_ranks(complaint, input, weights, bias, 3, "[c, f / groups, k]");
  Composite scope(input, site);
  const auto row = as_row(input);
  const auto kernel = as_row(weights);
  const auto result = transposed(
      "conv1d_transposed", row, kernel, bias,
      {{1, options.stride}, {0, options.padding}, {1, options.dilation}, options.groups, {0, options.output_padding}},
      site);
  return as_line(result);
}

}  // namespace

Value conv2d(const Value& input, const Value& weights, const Value& bias, const ConvolutionOptions& options,
             Site site) {
  return convolved("conv2d", input, weights, &bias, options, site);
}
Value conv2d(const Value& input, const Value& weights, const Value& bias, Pair stride, Pair padding, Site site) {
  return convolved("conv2d", input, weights, &bias, {stride, padding, 1, 1}, site);
}
Value conv2d(const Value& input, const Value& weights, const ConvolutionOptions& options, Site site) {
  return convolved("conv2d", input, weights, nullptr, options, site);
}
Value conv1d(const Value& input, const Value& weights, const Value& bias, const Convolution1dOptions& options,
             Site site) {
  return convolved_line(input, weights, &bias, options, site);
}
Value conv1d(const Value& input, const Value& weights, const Convolution1dOptions& options, Site site) {
  return convolved_line(input, weights, nullptr, options, site);
}
Value conv2d_transposed(const Value& input, const Value& weights, const Value& bias, const TransposedOptions& options,
                        Site site) {
  return transposed("conv2d_transposed", input, weights, &bias, options, site);
}
Value conv2d_transposed(const Value& input, const Value& weights, const TransposedOptions& options, Site site) {
  return transposed("conv2d_transposed", input, weights, nullptr, options, site);
}
Value conv1d_transposed(const Value& input, const Value& weights, const Value& bias, const Transposed1dOptions& options,
                        Site site) {
  return transposed_line(input, weights, &bias, options, site);
}
Value conv1d_transposed(const Value& input, const Value& weights, const Transposed1dOptions& options, Site site) {
  return transposed_line(input, weights, nullptr, options, site);
}

Conv2d::Conv2d(Tape& tape, const Literal& weights, const Literal& bias, const ConvolutionOptions& options, Site site)
    : options_(options) {
  Composite scope(tape, site);
  const auto w = tape.parameter(weights);
  const auto b = tape.parameter(bias);
  const Complaint complaint{"Conv2d", {w.type().text(), b.type().text()}, site};
  check_options(complaint, options);
  const bool fits = w.shape().rank() == 4 && b.shape().rank() == 1 && w.shape()[0] == b.shape()[0];
  if (!fits || !(w.element() == b.element()))
    complaint.type(
        fmt::format("weights {} and bias {} make no layer: weights are [f, c / groups, kh, kw], the bias "
                    "is [f]",
                    complaint.types[0], complaint.types[1]));
  if (w.shape()[0] % options.groups != 0)
    complaint.type(fmt::format("{} groups do not divide {} filters", options.groups, w.shape()[0]));
  weights_ = w;
  bias_ = b;
}

Value Conv2d::operator()(const Value& x, Site site) const {
  const auto weights = x.resolve(weights_);
  const auto bias = x.resolve(bias_);
  return convolved("Conv2d", x, weights, &bias, options_, site);
}

}  // namespace topos
