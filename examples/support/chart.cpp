// Draws the text charts: resampling, scales, dots within character cells, and the frame around them.
#include "examples/support/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace examples {
namespace {

constexpr int page_width = 80;
// One width for the y labels of all charts, so that the charts of an example line up.
constexpr int label_width = 8;
constexpr int margin = label_width + 1;
constexpr int plot_width = page_width - margin - 1;
// Every level is counted in quarters of a text row, the finest that a glyph can show.
constexpr int levels_a_row = 4;
// Beyond this the width of a range could overflow.
constexpr double largest_drawn = 1e300;
constexpr double gap = std::numeric_limits<double>::quiet_NaN();

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

// The text on one line and of at most `width` code points.
std::string fitted(std::string_view text, int width) {
  std::string kept;
  int count = 0;
  for (const char byte : text) {
    if (starts_character(byte) && ++count > width) break;
    const auto code = static_cast<unsigned char>(byte);
    kept += code < 0x20 || code == 0x7F ? ' ' : byte;
  }
  return kept;
}

std::string centred(std::string_view text, int width) {
  auto line = fitted(text, width);
  return std::string(static_cast<std::size_t>((width - text_width(line)) / 2), ' ') + line;
}

std::string padded(std::string_view text, int width) {
  auto line = fitted(text, width);
  return line + std::string(static_cast<std::size_t>(width - text_width(line)), ' ');
}

void append_line(std::string& page, std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  page += line + '\n';
}

bool drawable(double value) { return std::abs(value) <= largest_drawn; }

// How one series looks: the dots of a cell and the mark of the legend, which also fills cells of one dot.
struct Glyphs {
  int across;
  int down;
  std::string mark;
};

Glyphs glyphs_of(std::size_t series, bool ascii) {
  static constexpr std::string_view marks = "*o+x#@%&";
  if (!ascii && series == 0) return {2, 4, "\u28FF"};
  if (!ascii && series == 1) return {1, 2, "\u2588"};
  return {1, 1, std::string(1, marks[(ascii ? series : series - 1) % marks.size()])};
}

// A cell's text by its dots; bit `column * 4 + row` counts rows from the top.
std::string glyph(const Glyphs& glyphs, unsigned dots) {
  static constexpr std::array<unsigned, 8> braille_bits{0x01, 0x02, 0x04, 0x40, 0x08, 0x10, 0x20, 0x80};
  if (glyphs.down == 1) return glyphs.mark;
  if (glyphs.down == 2) return dots == 1 ? "\u2580" : dots == 2 ? "\u2584" : "\u2588";
  unsigned code = 0;
  for (std::size_t i = 0; i < braille_bits.size(); ++i) code |= (dots >> i & 1U) * braille_bits[i];
  // The code point U+2800 + code in UTF-8.
  return {'\xE2', static_cast<char>(0xA0U | code >> 6), static_cast<char>(0x80U | (code & 0x3FU))};
}

// The mean of the values that can be drawn; the limit on them keeps the sum finite.
double mean_of(const double* first, const double* last) {
  double total = 0;
  int count = 0;
  for (; first != last; ++first) {
    if (!drawable(*first)) continue;
    total += *first;
    ++count;
  }
  return count > 0 ? total / count : gap;
}

// The value between two neighbours, or the nearer one beside a gap.
double between(const std::vector<double>& values, double place) {
  const auto before = static_cast<std::size_t>(place);
  const auto after = std::min(before + 1, values.size() - 1);
  const double share = place - static_cast<double>(before);
  if (!drawable(values[before]) || !drawable(values[after])) return values[share < 0.5 ? before : after];
  return values[before] * (1 - share) + values[after] * share;
}

// One value a column: window means of a long series, interpolation in a short one.
std::vector<double> resampled(const std::vector<double>& values, int columns) {
  std::vector<double> drawn(static_cast<std::size_t>(columns), gap);
  const auto count = values.size();
  if (count == 0) return drawn;
  for (std::size_t c = 0; c < drawn.size(); ++c) {
    if (count >= drawn.size()) {
      drawn[c] = mean_of(values.data() + c * count / drawn.size(), values.data() + (c + 1) * count / drawn.size());
    } else {
      drawn[c] = between(
          values, static_cast<double>(c) * static_cast<double>(count - 1) / static_cast<double>(drawn.size() - 1));
    }
  }
  return drawn;
}

// The y axis: its ends, in powers of ten where `log` is set.
struct Scale {
  bool log = false;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  double of(double value) const {
    if (!drawable(value) || (log && value <= 0)) return gap;
    return log ? std::log10(value) : value;
  }
  void include(double value) {
    const double place = of(value);
    if (std::isnan(place)) return;
    low = std::min(low, place);
    high = std::max(high, place);
  }
  // Gives an empty or constant range some height.
  void settle() {
    if (low > high) {
      low = 0;
      high = 1;
    }
    const double size = std::max(std::abs(low), std::abs(high));
    if (high - low > size * 1e-12 && high - low > 1e-290) return;
    const double space = size > 1e-280 ? size * 0.1 : 1;
    low -= space;
    high += space;
  }
  int level(double place, int rows) const {
    return static_cast<int>(std::lround((high - place) / (high - low) * (rows * levels_a_row - 1)));
  }
};

struct Tick {
  double place;
  std::string label;
};

// A number as a y label: with these decimals, or else with as many digits as there is room for.
std::string tick_label(double value, int decimals) {
  auto text = decimals <= 5 ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.5g}", value);
  for (int digits = 5; text.size() > label_width && digits > 0; --digits) text = fmt::format("{:.{}g}", value, digits);
  return text;
}

std::vector<Tick> linear_ticks(const Scale& scale) {
  const double rough = (scale.high - scale.low) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share > 5 ? 10 : share > 2 ? 5 : share > 1 ? 2 : 1);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  const double first = std::ceil(scale.low / step);
  std::vector<Tick> ticks;
  for (int i = 0; i < 7; ++i) {
    // Adding +0 turns -0 into 0, which is how it should be read.
    const double value = (first + i) * step + 0.0;
    if (value > scale.high) break;
    ticks.push_back({value, tick_label(value, decimals)});
  }
  return ticks;
}

// Ticks at powers of ten, or at even places where the range does not hold two of them.
std::vector<Tick> log_ticks(const Scale& scale) {
  std::vector<Tick> ticks;
  const double count = std::floor(scale.high) - std::ceil(scale.low) + 1;
  const double first = count < 2 ? scale.low : std::ceil(scale.low);
  const double stride = count < 2 ? (scale.high - scale.low) / 5 : std::ceil(count / 7);
  for (double place = first; place <= scale.high; place += stride) {
    ticks.push_back({place, tick_label(std::pow(10, place), 6)});
  }
  return ticks;
}

// The plot area: a grid of cells, each of which holds the text of the last series that crossed it.
class Canvas {
 public:
  Canvas(int rows, int columns, const Scale& scale)
      : rows_(rows),
        columns_(columns),
        scale_(scale),
        cells_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), " ") {}

  void rule(double value, const std::string& mark) {
    const double place = scale_.of(value);
    if (std::isnan(place)) return;
    const auto first = cells_.begin() + scale_.level(place, rows_) / levels_a_row * columns_;
    std::fill(first, first + columns_, mark);
  }

  void trace(const std::vector<double>& values, const Glyphs& glyphs) {
    std::vector<unsigned> dots(cells_.size(), 0);
    const int coarseness = levels_a_row / glyphs.down;
    int previous = -1;
    for (int x = 0; x < static_cast<int>(values.size()); ++x) {
      const double place = scale_.of(values[static_cast<std::size_t>(x)]);
      const int level = std::isnan(place) ? -1 : scale_.level(place, rows_) / coarseness;
      // A steep stretch is filled in from the level before, so that the curve has no holes.
      const int from = previous < 0 || previous == level ? level : previous < level ? previous + 1 : previous - 1;
      for (int y = std::min(from, level); level >= 0 && y <= std::max(from, level); ++y) {
        const int at = y / glyphs.down * columns_ + x / glyphs.across;
        dots[static_cast<std::size_t>(at)] |= 1U << (x % glyphs.across * 4 + y % glyphs.down);
      }
      previous = level;
    }
    for (std::size_t i = 0; i < dots.size(); ++i) {
      if (dots[i] != 0) cells_[i] = glyph(glyphs, dots[i]);
    }
  }

  std::string row(int row) const {
    const auto first = cells_.begin() + row * columns_;
    return std::accumulate(first, first + columns_, std::string());
  }

 private:
  int rows_;
  int columns_;
  Scale scale_;
  std::vector<std::string> cells_;
};

// Legend entries on as few centred lines as hold them.
void append_legend(std::string& page, const std::vector<std::string>& entries) {
  std::string line;
  for (const auto& entry : entries) {
    const auto fit = fitted(entry, page_width);
    if (!line.empty() && text_width(line) + 3 + text_width(fit) > page_width) {
      append_line(page, centred(line, page_width));
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + fit;
  }
  if (!line.empty()) append_line(page, centred(line, page_width));
}

// The plot's rows behind their y labels, then the line of the x axis.
void append_plot(std::string& page, const Canvas& canvas, const Scale& scale, const ChartStyle& style) {
  std::vector<std::string> labels(static_cast<std::size_t>(style.rows));
  for (const auto& tick : scale.log ? log_ticks(scale) : linear_ticks(scale)) {
    labels[static_cast<std::size_t>(scale.level(tick.place, style.rows) / levels_a_row)] = tick.label;
  }
  for (int row = 0; row < style.rows; ++row) {
    const auto& label = labels[static_cast<std::size_t>(row)];
    const auto* axis = style.ascii ? (label.empty() ? "|" : "+") : label.empty() ? "\u2502" : "\u2524";
    append_line(page, fmt::format("{:>{}} ", label, label_width) + axis + canvas.row(row));
  }
  append_line(page, std::string(margin, ' ') + (style.ascii ? "+" : "\u2514") +
                        repeated(style.ascii ? "-" : "\u2500", plot_width));
}

// The labels of the two ends with the title between them.
void append_x_labels(std::string& page, const std::string& start, const std::string& title, const std::string& end) {
  const int ends = text_width(start) + text_width(end);
  const int room = plot_width - ends;
  const auto middle = fitted(title, room - 2);
  const int before = std::max(1, (plot_width - text_width(middle)) / 2 - text_width(start));
  const auto left = std::string(margin + 1, ' ') + start + std::string(static_cast<std::size_t>(before), ' ') + middle;
  append_line(page, padded(left, page_width - text_width(end)) + end);
}

}  // namespace

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text(value);
    constexpr auto none = std::string_view::npos;
    return text.find("UTF-8") != none || text.find("utf-8") != none || text.find("utf8") != none;
  }
  return false;
}

int text_width(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string Chart::text() const {
  auto style = style_;
  style.rows = std::clamp(style.rows, 4, 60);
  Scale scale{style.log_y};
  for (const auto& rule : rules_) scale.include(rule.values.front());
  std::vector<std::string> legend;
  std::vector<std::vector<double>> drawn;
  std::size_t longest = 1;
  const std::string dash = style.ascii ? "-- " : "\u2500\u2500 ";
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const auto glyphs = glyphs_of(i, style.ascii);
    auto values = series_[i].values;
    longest = std::max(longest, values.size());
    // What the scale cannot show must not enter a mean either.
    for (auto& value : values) value = std::isnan(scale.of(value)) ? gap : value;
    drawn.push_back(resampled(values, plot_width * glyphs.across));
    for (const double value : drawn.back()) scale.include(value);
    legend.push_back(glyphs.mark + dash + series_[i].label);
  }
  if (scale.low > scale.high) legend.emplace_back("(no data)");
  scale.settle();

  const std::string rule_mark = style.ascii ? "-" : "\u2504";
  Canvas canvas(style.rows, plot_width, scale);
  for (const auto& rule : rules_) {
    canvas.rule(rule.values.front(), rule_mark);
    legend.push_back(rule_mark + dash + rule.label);
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) canvas.trace(drawn[i], glyphs_of(i, style.ascii));

  std::string page;
  append_line(page, centred(title_, page_width));
  append_legend(page, legend);
  if (!y_title_.empty()) append_line(page, fitted(y_title_, page_width));
  append_plot(page, canvas, scale, style);
  const double end = has_x_range_ ? x_end_ : static_cast<double>(longest - 1);
  append_x_labels(page, fmt::format("{:.6g}", x_start_), x_title_, fmt::format("{:.6g}", end));
  return page;
}

std::string heat_map(int rows, int columns, const std::vector<double>& values,
                     const std::vector<std::string>& row_labels, const std::vector<std::string>& column_labels,
                     ChartStyle style) {
  const auto sized = [](std::size_t size, int expected) { return size == static_cast<std::size_t>(expected); };
  if (rows < 0 || columns < 0 || values.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) ||
      !(row_labels.empty() || sized(row_labels.size(), rows)) ||
      !(column_labels.empty() || sized(column_labels.size(), columns))) {
    throw std::invalid_argument(fmt::format("a heat map of {} x {} with {} values, {} row and {} column labels", rows,
                                            columns, values.size(), row_labels.size(), column_labels.size()));
  }
  int label = 0;
  for (const auto& text : row_labels) label = std::max(label, std::min(text_width(text), 16) + 1);
  const int room = page_width - label;
  const int merged = std::max(1, (columns + room - 1) / room);
  const int count = (columns + merged - 1) / merged;
  // Two characters are about as wide as a line is high.
  const int width = count * 2 <= room ? 2 : 1;
  const std::vector<std::string> ramp = style.ascii
                                            ? std::vector<std::string>{" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"}
                                            : std::vector<std::string>{" ", "\u2591", "\u2592", "\u2593", "\u2588"};
  std::vector<double> means;
  Scale scale;
  for (int i = 0; i < rows * count; ++i) {
    const auto* row = values.data() + i / count * columns;
    const int first = i % count * merged;
    means.push_back(mean_of(row + first, row + std::min(first + merged, columns)));
    scale.include(means.back());
  }
  const double low = scale.low;
  const double high = scale.high;
  scale.settle();

  std::string page;
  if (!column_labels.empty()) {
    std::string line(static_cast<std::size_t>(label), ' ');
    for (int c = 0; c < count; ++c) {
      line += padded(column_labels[static_cast<std::size_t>(c * merged)], width);
    }
    append_line(page, line);
  }
  for (int r = 0; r < rows; ++r) {
    auto line = row_labels.empty() ? "" : padded(fitted(row_labels[static_cast<std::size_t>(r)], 16), label);
    for (int c = 0; c < count; ++c) {
      const double share = (means[static_cast<std::size_t>(r * count + c)] - scale.low) / (scale.high - scale.low) *
                           static_cast<double>(ramp.size());
      const auto shade = std::isnan(share) ? 0 : std::min(static_cast<std::size_t>(share), ramp.size() - 1);
      line += repeated(std::isnan(share) ? "?" : ramp[shade], width);
    }
    append_line(page, line);
  }
  if (low <= high) append_line(page, fmt::format("{:.3g} [{}] {:.3g}", low, fmt::join(ramp, ""), high));
  return page;
}

}  // namespace examples
