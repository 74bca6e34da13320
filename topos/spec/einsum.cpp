#include "topos/spec/einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "topos/spec/composite.h"
#include "topos/spec/composite_parts.h"

namespace topos {
namespace {

bool has(const std::string& term, char label) { return term.find(label) != std::string::npos; }

/// The three terms of a spelling.
class Labels {
 public:
  Labels(std::string_view text, const Site& site) : text_(text), site_(site) {
    std::string dense;
    for (const char c : text)
      if (c != ' ') dense += c;
    const auto comma = dense.find(',');
    if (comma == std::string::npos) refuse("does not name two operands");
    const auto arrow = dense.find("->");
    a = dense.substr(0, comma);
    b = dense.substr(comma + 1, arrow == std::string::npos ? arrow : arrow - std::min(arrow, comma + 1));
    if (arrow == std::string::npos)
      out = alone();
    else
      out = dense.substr(arrow + 2);
    for (const auto* term : {&a, &b, &out}) check(*term);
    for (const char label : out)
      if (!has(a, label) && !has(b, label)) refuse(fmt::format("has the label {} in its result alone", label));
  }

  std::string a, b, out;

  [[noreturn]] void refuse(const std::string& fault) const {
    throw Error(ErrorKind::argument, "einsum", fmt::format("\"{}\" {}", text_, fault), {}, site_);
  }

 private:
  std::string alone() const {
    std::string labels;
    for (const char label : a + b)
      if (has(a, label) != has(b, label)) labels += label;
    std::sort(labels.begin(), labels.end());
    return labels;
  }
  void check(const std::string& term) const {
    for (const char& c : term)
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
        refuse(fmt::format("holds {:?}, which is no label", std::string_view(&c, 1)));
    for (std::size_t i = 0; i < term.size(); ++i)
      if (term.find(term[i], i + 1) != std::string::npos)
        refuse(fmt::format("has the label {} twice in {}", term[i], term));
  }
  std::string_view text_;
  Site site_;
};

/// The extent of a label in an operand that has it.
Extent extent_of(char label, const std::string& term, const Value& x) { return x.shape()[term.find(label)]; }

void check_types(const Labels& labels, const Value& a, const Value& b, const Site& site) {
  const std::vector<std::string> types{a.type().text(), b.type().text()};
  if (a.shape().rank() != labels.a.size() || b.shape().rank() != labels.b.size())
    parts::refuse("einsum",
                  fmt::format("{} and {} do not have the ranks of {} and {}", types[0], types[1], labels.a, labels.b),
                  types, site);
  for (const char label : labels.a)
    if (has(labels.b, label) && extent_of(label, labels.a, a) != extent_of(label, labels.b, b))
      parts::refuse("einsum",
                    fmt::format("the label {} has extent {} in {} and {} in {}", label, extent_of(label, labels.a, a),
                                types[0], extent_of(label, labels.b, b), types[1]),
                    types, site);
}

/// One operand without the labels that it sums away.
struct Term {
  Value value;
  std::string labels;

  void sum_away(const std::string& other, const std::string& out) {
    Shape axes;
    std::string left;
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (has(other, labels[i]) || has(out, labels[i]))
        left += labels[i];
      else
        axes = axes.with(static_cast<Extent>(axes.size()), static_cast<Extent>(i));
    value = sum(value, axes);
    labels = left;
  }
  /// Axes in the order of `wanted`, a permutation of the labels.
  void arrange(const std::string& wanted) {
    if (wanted == labels) return;
    auto order = Shape::zeros(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) order[i] = static_cast<Extent>(labels.find(wanted[i]));
    value = permute(value, order);
    labels = wanted;
  }
  Extent volume(const std::string& part) const {
    Extent product = 1;
    for (const char label : part) product *= extent_of(label, labels, value);
    return product;
  }
  /// As matrices of these rows and columns behind the axes of a batch.
  void group(const std::string& batch, Extent rows, Extent columns) {
    auto shape = Shape::zeros(batch.size() + 2);
    for (std::size_t i = 0; i < batch.size(); ++i) shape[i] = value.shape()[i];
    shape[batch.size()] = rows;
    shape[batch.size() + 1] = columns;
    if (!(shape == value.shape())) value = reshape(value, shape);
  }
};

}  // namespace

Value einsum(std::string_view text, const Value& a, const Value& b, Site site) {
  const Labels labels(text, site);
  check_types(labels, a, b, site);
  Composite scope(a, site);
  Term left{a, labels.a};
  left.sum_away(labels.b, labels.out);
  std::string batch, summed, of_a, of_b;
  for (const char label : left.labels)
    (!has(labels.b, label) ? of_a : has(labels.out, label) ? batch : summed) += label;
  left.arrange(batch + of_a + summed);
  const auto rows = left.volume(of_a);
  auto extents = Shape::zeros(batch.size() + of_a.size());
  for (std::size_t i = 0; i < extents.size(); ++i) extents[i] = left.value.shape()[i];
  const auto shared = left.volume(summed);
  left.group(batch, rows, shared);

  Term right{b, labels.b};
  right.sum_away(labels.a, labels.out);
  for (const char label : right.labels)
    if (!has(labels.a, label)) of_b += label;
  right.arrange(batch + summed + of_b);
  const auto columns = right.volume(of_b);
  for (const char label : of_b)
    extents = extents.with(static_cast<Extent>(extents.size()), extent_of(label, right.labels, right.value));
  right.group(batch, shared, columns);

  const auto product = matmul(left.value, right.value);
  Term result{extents == product.shape() ? product : reshape(product, extents), batch + of_a + of_b};
  result.arrange(labels.out);
  return result.value;
}

}  // namespace topos
