#include "topos/emit/raise.h"

#include <fmt/format.h>

namespace topos {
namespace {

std::string square(Extent rows, Extent columns) { return fmt::format("[{}, {}]", rows, columns); }

/// The window of a convolution: what is not 1 or false is written.
struct Window {
  Shape stride{1, 1}, low{0, 0}, high{0, 0}, image_dilation{1, 1}, kernel_dilation{1, 1};
  bool reversed = false;

  std::string text() const {
    const auto more = [](std::string_view word, const Shape& dilation) {
      return dilation == Shape{1, 1} ? "" : fmt::format(", {} = {}", word, dilation.text());
    };
    return fmt::format("{{stride = {}, pad = [{}, {}]{}{}{}}}", stride.text(), square(low[0], high[0]),
                       square(low[1], high[1]), more("lhs_dilate", image_dilation), more("rhs_dilate", kernel_dilation),
                       reversed ? ", reverse = [true, true]" : "");
  }
};

class Raise {
 public:
  explicit Raise(const Raising& raising)
      : raising_(raising),
        graph_(raising.graph),
        writer_(raising.writer),
        pattern_(raising.pattern),
        name_(fmt::format("%v{}", raising.pattern.root)),
        type_(graph_.type(raising.pattern.root)) {}

  std::vector<std::string> run() {
    switch (pattern_.kind) {
      case PatternKind::window_product: return {window_product()};
      case PatternKind::reduce_window: return {reduce_window()};
      case PatternKind::batch_norm_training: return batch_norm_training();
      case PatternKind::batch_norm_inference: return {batch_norm_inference()};
      case PatternKind::window_product_input_gradient: return {input_gradient()};
      case PatternKind::window_product_kernel_gradient: return {kernel_gradient()};
      case PatternKind::reduce_window_gradient: return {reduce_window_gradient()};
    }
    return {};
  }

 private:
  std::string named(std::string_view word) const { return fmt::format("{}_{}", name_, word); }
  const std::string& read(std::size_t k) const { return raising_.names[pattern_.reads[k]]; }
  const TensorType& read_type(std::size_t k) const { return graph_.type(pattern_.reads[k]); }
  TensorType typed(const Shape& shape) const { return {type_.element, shape}; }
  std::string reshape(std::string name, const std::string& x, const TensorType& from, const TensorType& to) {
    if (from == to) return x;
    const TensorType* operands[] = {&from};
    return writer_.line(std::move(name), "reshape", x, stablehlo::signature(operands, to));
  }

  /// `name` = the convolution; of bf16 in f32, operands too: an engine may round products to what they are made of.
  std::string convolution(const std::string& name, const std::string& x, const TensorType& x_type,
                          const std::string& kernel, const TensorType& kernel_type, std::string_view dimensions,
                          const Window& window, const TensorType& result) {
    const auto wide = stablehlo::accumulator_of(result.element);
    const bool direct = wide == result.element;
    const TensorType total{wide, result.shape}, image{wide, x_type.shape}, filters{wide, kernel_type.shape};
    const auto read = direct ? x : writer_.convert(named("image_promoted"), x, x_type, wide);
    const auto taps = direct ? kernel : writer_.convert(named("kernel_promoted"), kernel, kernel_type, wide);
    const TensorType* operands[] = {&image, &filters};
    const auto out = writer_.line(
        direct ? name : named("accumulated"), "convolution",
        fmt::format("({}, {}) dim_numbers = {}, window = {} {{batch_group_count = 1 : i64, feature_group_count = 1 : "
                    "i64}}",
                    read, taps, dimensions, window.text()),
        stablehlo::signature(operands, total));
    return direct ? out : writer_.convert(name, out, total, result.element);
  }

  std::string window_product() {
    const auto& rows = pattern_.rows;
    const auto& columns = pattern_.columns;
    const auto& image = read_type(0);
    const auto filters = type_.shape[1];
    const auto kernel_type = typed({image.shape[1], rows.size, columns.size, filters});
    const auto kernel = reshape(named("kernel"), read(1), read_type(1), kernel_type);
    Window window;
    window.stride = {rows.step, columns.step};
    window.low = window.high = {rows.padding, columns.padding};
    window.kernel_dilation = {rows.dilation, columns.dilation};
    const auto result = typed({image.shape[0], rows.count, columns.count, filters});
    const auto windows = convolution(named("windows"), read(0), image, kernel, kernel_type,
                                     "[b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f]", window, result);
    return reshape(name_, windows, result, type_);
  }

  /// The image is spread by the stride and the kernel turned around: every tap goes back to where it was read.
  std::string input_gradient() {
    const auto& rows = pattern_.rows;
    const auto& columns = pattern_.columns;
    const auto& cotangent = read_type(0);
    const auto filters = cotangent.shape[1];
    const auto spread_type = typed({type_.shape[0], rows.count, columns.count, filters});
    const auto spread = reshape(named("cotangent"), read(0), cotangent, spread_type);
    const Extent channels = type_.shape[1];
    const auto kernel_type = typed(pattern_.turned ? Shape{channels, rows.size, columns.size, filters}
                                                   : Shape{filters, channels, rows.size, columns.size});
    const auto kernel = reshape(named("kernel"), read(1), read_type(1), kernel_type);
    Window window;
    window.low = {rows.span() - 1, columns.span() - 1};
    window.high = {rows.span() - 1 + rows.remainder(), columns.span() - 1 + columns.remainder()};
    window.image_dilation = {rows.step, columns.step};
    window.kernel_dilation = {rows.dilation, columns.dilation};
    window.reversed = true;
    return convolution(
        name_, spread, spread_type, kernel, kernel_type,
        pattern_.turned ? "[b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1]" : "[b, 0, 1, f]x[i, o, 0, 1]->[b, f, 0, 1]", window,
        type_);
  }

  /// The batch is contracted: the image is filtered by its cotangent, spread by the stride, in steps of the dilation.
  std::string kernel_gradient() {
    const auto& rows = pattern_.rows;
    const auto& columns = pattern_.columns;
    const auto& image = read_type(0);
    const auto filters = type_.shape[1];
    const auto spread_type = typed({image.shape[0], rows.count, columns.count, filters});
    const auto spread = reshape(named("cotangent"), read(1), read_type(1), spread_type);
    Window window;
    window.stride = {rows.dilation, columns.dilation};
    window.low = {rows.padding, columns.padding};
    window.high = {rows.padding - rows.remainder(), columns.padding - columns.remainder()};
    window.kernel_dilation = {rows.step, columns.step};
    const auto result = typed({image.shape[1], rows.size, columns.size, filters});
    const auto windows = convolution(named("windows"), read(0), image, spread, spread_type,
                                     "[f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f]", window, result);
    return reshape(name_, windows, result, type_);
  }

  std::string window_attributes() const {
    return fmt::format("{{window_dimensions = {}, window_strides = {}}}",
                       stablehlo::array_text({1, 1, pattern_.rows.size, pattern_.columns.size}),
                       stablehlo::array_text({1, 1, pattern_.rows.step, pattern_.columns.step}));
  }
  /// The block of a region over two numbers, which gives `result`.
  void region(std::string_view left, std::string_view right, std::string_view result, const std::string& operation,
              const TensorType& scalar, const TensorType& returned) {
    const auto text = stablehlo::type_text(scalar);
    writer_.verbatim(fmt::format("^bb0({}: {}, {}: {}):", named(left), text, named(right), text));
    writer_.verbatim(fmt::format("  {} = stablehlo.{}", named(result), operation));
    writer_.verbatim(fmt::format("  stablehlo.return {} : {}", named(result), stablehlo::type_text(returned)));
  }

  std::string reduce_window() {
    const TensorType scalar = typed({});
    const auto seed = writer_.constant(named("seed"), stablehlo::lowest_of(type_.element), scalar);
    writer_.verbatim(fmt::format("{} = \"stablehlo.reduce_window\"({}, {}) ({{", name_, read(0), seed));
    region("left", "right", "larger",
           fmt::format("maximum {}, {} : {}", named("left"), named("right"), stablehlo::type_text(scalar)), scalar,
           scalar);
    const TensorType* operands[] = {&read_type(0), &scalar};
    writer_.verbatim(fmt::format("}}) {} : {}", window_attributes(), stablehlo::signature(operands, type_)));
    return name_;
  }

  std::string reduce_window_gradient() {
    const auto wide = stablehlo::accumulator_of(type_.element);
    const bool direct = wide == type_.element;
    const TensorType scalar{wide, {}}, predicate{boolean, {}};
    auto cotangent_type = TensorType{type_.element, read_type(1).shape.without(4)};
    auto cotangent = reshape(named("cotangent"), read(1), read_type(1), cotangent_type);
    auto image = read(0);
    if (!direct) {
      image = writer_.convert(named("promoted"), image, read_type(0), wide);
      cotangent = writer_.convert(named("cotangent_promoted"), cotangent, cotangent_type, wide);
      cotangent_type.element = wide;
    }
    const TensorType total{wide, type_.shape};
    const auto zero = writer_.constant(named("zero"), stablehlo::zero_of(wide), scalar);
    const auto out = direct ? name_ : named("accumulated");
    writer_.verbatim(fmt::format("{} = \"stablehlo.select_and_scatter\"({}, {}, {}) ({{", out, image, cotangent, zero));
    const TensorType* pair[] = {&scalar, &scalar};
    region("left", "right", "kept",
           fmt::format("compare GE, {}, {}, {} : {}", named("left"), named("right"), stablehlo::comparison_of(wide),
                       stablehlo::signature(pair, predicate)),
           scalar, predicate);
    writer_.verbatim("}, {");
    region("total", "part", "sum",
           fmt::format("add {}, {} : {}", named("total"), named("part"), stablehlo::type_text(scalar)), scalar, scalar);
    const TensorType* operands[] = {&total, &cotangent_type, &scalar};
    writer_.verbatim(fmt::format("}}) {} : {}", window_attributes(), stablehlo::signature(operands, total)));
    return direct ? out : writer_.convert(name_, out, total, type_.element);
  }

  std::string batch_norm_attributes() const {
    return fmt::format("{{epsilon = {} : f32, feature_index = 1 : i64}}", raising_.epsilon);
  }
  std::vector<std::string> batch_norm_training() {
    const auto& statistic = graph_.type(pattern_.named[0]);
    const TensorType* operands[] = {&read_type(0), &read_type(1), &read_type(2)};
    const auto signature = stablehlo::signature(operands, type_);
    const auto arrow = signature.find(" -> ");
    writer_.verbatim(fmt::format("{}:3 = \"stablehlo.batch_norm_training\"({}, {}, {}) {} : {} -> ({}, {}, {})", name_,
                                 read(0), read(1), read(2), batch_norm_attributes(), signature.substr(0, arrow),
                                 stablehlo::type_text(type_), stablehlo::type_text(statistic),
                                 stablehlo::type_text(statistic)));
    return {name_ + "#0", name_ + "#1", name_ + "#2"};
  }
  std::string batch_norm_inference() {
    const TensorType* operands[] = {&read_type(0), &read_type(1), &read_type(2), &read_type(4), &read_type(5)};
    writer_.verbatim(fmt::format("{} = \"stablehlo.batch_norm_inference\"({}, {}, {}, {}, {}) {} : {}", name_, read(0),
                                 read(1), read(2), read(4), read(5), batch_norm_attributes(),
                                 stablehlo::signature(operands, type_)));
    return name_;
  }

  const Raising& raising_;
  const Graph& graph_;
  stablehlo::Writer& writer_;
  const Pattern& pattern_;
  std::string name_;
  TensorType type_;
};

}  // namespace

std::vector<Index> reads_of(const Pattern& pattern) {
  auto reads = pattern.reads;
  const bool norm =
      pattern.kind == PatternKind::batch_norm_training || pattern.kind == PatternKind::batch_norm_inference;
  if (norm) reads.erase(reads.begin() + 3);  // epsilon is an attribute
  return reads;
}

std::vector<std::string> raise(const Raising& raising) { return Raise(raising).run(); }

}  // namespace topos
