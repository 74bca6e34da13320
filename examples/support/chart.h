// The text charts of the examples: line charts and heat maps, at most 80 columns wide.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace examples {

/// Whether the locale's text is UTF-8, by the first of LC_ALL, LC_CTYPE and LANG that is set.
bool utf8_locale();

/// The number of code points in a UTF-8 text, which is its width on a terminal for the text drawn here.
int text_width(std::string_view text);

/// How a chart is drawn.
struct ChartStyle {
  /// Draw with ASCII characters alone; by default wherever the locale is not UTF-8.
  bool ascii = !utf8_locale();
  /// Space the y axis by powers of ten; values that are not positive are left out.
  bool log_y = false;
  /// Text rows of the plot area, kept between 4 and 60.
  int rows = 15;
};

/// A line chart of one or more series, 80 columns wide.
class Chart {
 public:
  /// A chart without series, which draws as an empty frame.
  explicit Chart(std::string title, ChartStyle style = {}) : title_(std::move(title)), style_(style) {}

  /// Adds a series that is spread evenly over the whole x axis. A series with more values than the plot has columns
  /// is drawn as the mean of each column's window. Values that are not finite are gaps.
  Chart& add(std::string label, std::vector<double> values) {
    series_.push_back({std::move(label), std::move(values)});
    return *this;
  }
  /// Adds a horizontal line.
  Chart& rule(double value, std::string label) {
    rules_.push_back({std::move(label), {value}});
    return *this;
  }
  /// Titles the axes.
  Chart& axes(std::string x_title, std::string y_title) {
    x_title_ = std::move(x_title);
    y_title_ = std::move(y_title);
    return *this;
  }
  /// Labels the two ends of the x axis; by default 0 and the last index of the longest series.
  Chart& x_range(double start, double end) {
    has_x_range_ = true;
    x_start_ = start;
    x_end_ = end;
    return *this;
  }

  /// The drawing, each line ended by a newline.
  std::string text() const;

 private:
  // A rule is a line of one value.
  struct Line {
    std::string label;
    std::vector<double> values;
  };

  std::string title_;
  ChartStyle style_;
  std::vector<Line> series_;
  std::vector<Line> rules_;
  std::string x_title_;
  std::string y_title_;
  bool has_x_range_ = false;
  double x_start_ = 0;
  double x_end_ = 0;
};

/// A table of numbers as shades, darkest at the largest value, with a line below that explains the shades.
/// `values` is row-major; either list of labels may be empty. Tables with more columns than fit are drawn by the mean
/// of neighbouring columns; values that are not finite are drawn as `?`.
/// Throws std::invalid_argument where the sizes do not agree.
std::string heat_map(int rows, int columns, const std::vector<double>& values,
                     const std::vector<std::string>& row_labels = {},
                     const std::vector<std::string>& column_labels = {}, ChartStyle style = {});

}  // namespace examples
