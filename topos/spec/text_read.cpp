// The network's text, read and loaded: line by line, nothing taken on trust.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include "topos/element/elementary_f64.h"
#include "topos/element/registry.h"
#include "topos/spec/recorder.h"
#include "topos/spec/tape.h"
#include "topos/spec/text.h"
#include "topos/spec/text_payload.h"
#include "topos/spec/verify.h"

namespace topos {
namespace {

using Names = std::multiset<std::string, std::less<>>;

/// The file names of loaded sites, one string each. Never freed: a site keeps a pointer, and nodes have no owner here.
struct NameTable {
  std::mutex mutex;
  Names names;
};
NameTable& name_table() {
  static auto* table = new NameTable;
  return *table;
}

/// The names of one text, which join the table only when its network stands: a failed load leaves nothing behind.
class FileNames {
 public:
  const char* pointer(const std::string& name) {
    const auto [at, fresh] = seen_.try_emplace(name, nullptr);
    if (fresh) at->second = kept(name);
    return at->second;
  }
  /// Moves the strings without moving their characters, doubles of another thread's too.
  void keep() {
    const std::lock_guard lock(name_table().mutex);
    name_table().names.merge(own_);
  }

 private:
  const char* kept(const std::string& name) {
    const std::lock_guard lock(name_table().mutex);
    const auto& names = name_table().names;
    const auto found = names.find(name);
    return found != names.end() ? found->c_str() : own_.insert(name)->c_str();
  }

  std::map<std::string, const char*> seen_;
  Names own_;
};

/// The payloads of one kind of source while the text goes on: slots exist from their first node, payloads come later.
struct SlotReader {
  std::string_view kind;
  std::vector<Tensor>& payloads;
  std::vector<Index> nodes = {};  // the first node of each slot
  std::vector<bool> filled = {};
};

class Reader {
 public:
  Reader(std::string_view text, std::vector<ElementType> elements);
  Network read();

 private:
  void read_header();
  void read_node();
  Op read_opcode();
  Index read_source(const Op& op);
  void check_source_type(const Op& op, Index slot, const TensorType& type);
  std::vector<Index> read_operands(const Op& op);
  Index read_earlier(std::string_view expected);
  TensorType read_type();
  Index computed_type(Index op, const std::vector<Index>& operands);
  void read_provenance(Index& site, Index& origin);
  bool read_payload_line();
  void read_end();

  TextCursor cursor_;
  std::vector<ElementType> elements_;
  FileNames files_;
  Tape tape_;
  Spec& spec_;
  Graph& graph_;
  SlotReader constants_{"leaf", spec_.slots.constants};
  SlotReader parameters_{"parameter", spec_.slots.parameters};
  SlotReader inputs_{"input", spec_.slots.inputs};
};

Reader::Reader(std::string_view text, std::vector<ElementType> elements)
    : cursor_(text), elements_(std::move(elements)), spec_(*tape_.recorder().spec), graph_(spec_.graph) {
  const auto known = known_elements();
  elements_.insert(elements_.begin(), known.begin(), known.end());
}

Network Reader::read() {
  read_header();
  bool in_payloads = false;
  for (;;) {
    if (!cursor_.next_line()) cursor_.refuse("the text stops before its line end ... nodes");
    if (cursor_.take("end")) break;
    if (cursor_.take("%")) {
      if (in_payloads) cursor_.fail("a payload or end: the nodes come before them", fmt::format("%{}", cursor_.line()));
      read_node();
    } else {
      in_payloads = true;
      if (!read_payload_line()) cursor_.fail("a node, a payload (leaf, parameter or input) or end");
    }
  }
  read_end();
  try {
    verify(spec_);
  } catch (const Error& error) {
    throw Error(ErrorKind::file, "load", error.text(), error.types());
  }
  files_.keep();
  return std::move(tape_).into_network();
}

void Reader::read_header() {
  if (!cursor_.next_line()) throw Error(ErrorKind::file, "load", "line 1: the text is empty");
  cursor_.demand("topos network, version", "topos network, version 1, numerics 1");
  const auto version = cursor_.number("a version", ~std::uint64_t{0});
  if (version != 1) cursor_.refuse(fmt::format("this library reads version 1, the text has version {}", version));
  cursor_.demand(", numerics", ", numerics 1");
  const auto numerics = cursor_.number("a version of the numerics", ~std::uint64_t{0});
  if (numerics != elementary::numerics_version)
    cursor_.refuse(
        fmt::format("the text was saved under numerics {}, this library computes by numerics {}: the same network "
                    "would give other bits here than where it was saved",
                    numerics, elementary::numerics_version));
  cursor_.finish("the end of the line");
  if (!cursor_.next_line()) cursor_.refuse("the text stops before its line element ...");
  cursor_.demand("element", "element and the working element's name");
  const auto name = cursor_.value();
  if (const auto expected = read_attribute(name, elements_, spec_.working); !expected.empty())
    cursor_.fail(expected, name);
  cursor_.finish("the end of the line");
}

void Reader::read_node() {
  const auto number = cursor_.number("a node's number", nowhere);
  if (number != graph_.size()) cursor_.refuse(fmt::format("expected node %{}, found %{}", graph_.size(), number));
  cursor_.demand("=", "= and an opcode");
  auto op = read_opcode();
  const bool source = is_source(op);
  const auto slot = source ? read_source(op) : nowhere;
  const auto operands = source ? std::vector<Index>{} : read_operands(op);
  op = topos::visit(
      [&]<class O>(O opcode) -> Op {
        read_attributes(opcode, [&](std::string_view name, auto& value) {
          if (!cursor_.take(name) || !cursor_.take("=")) cursor_.fail(fmt::format("the attribute {}=", name));
          const auto piece = cursor_.value();
          if (const auto expected = read_attribute(piece, elements_, value); !expected.empty())
            cursor_.fail(fmt::format("{} after {}=", expected, name), piece);
        });
        return opcode;
      },
      op);
  cursor_.demand(":", fmt::format(": and a type, as {} has no further attribute", name_of(op)));
  const auto type = read_type();
  const auto op_id = graph_.intern_op(op);
  if (source) check_source_type(op, slot, type);
  const auto type_id = source ? graph_.intern_type(type) : computed_type(op_id, operands);
  if (!(graph_.type_by_id(type_id) == type))
    cursor_.refuse(fmt::format("expected the type {}, which the rule of {} gives, found {}",
                               graph_.type_by_id(type_id).text(), name_of(op), type.text()));
  Index site = 0, origin = nowhere;
  read_provenance(site, origin);
  const auto i = source ? graph_.append_source(op_id, type_id, site, origin, slot)
                        : graph_.append(op_id, type_id, site, origin, operands);
  if (cursor_.take("label")) {
    if (auto label = cursor_.string("a label"); !label.empty()) graph_.label(i, std::move(label));
  }
  cursor_.finish("@ \"file\":line, composite, of, label, in this order, or the end of the line");
}

Op Reader::read_opcode() {
  const auto name = cursor_.word();
  if (name.empty()) cursor_.fail("the name of an opcode");
  const auto op = opcode_named(name);
  if (!op) cursor_.fail("the name of an opcode", name);
  return *op;
}

/// A source's slot. A constant's may be shared by several leaves; every other source has the next one.
Index Reader::read_source(const Op& op) {
  const bool constant = std::holds_alternative<op::Leaf>(op);
  auto& slots = constant ? constants_ : std::holds_alternative<op::Parameter>(op) ? parameters_ : inputs_;
  const auto next = static_cast<Index>(slots.nodes.size());
  if (!cursor_.take("slot") || !cursor_.take("=")) cursor_.fail("slot= and a number");
  const auto slot = static_cast<Index>(cursor_.number("a slot's number", nowhere));
  if (constant ? slot > next : slot != next)
    cursor_.refuse(fmt::format("expected slot={}, the next of its kind, found slot={}", next, slot));
  if (slot < next) return slot;
  slots.nodes.push_back(graph_.size());
  slots.filled.push_back(false);
  slots.payloads.emplace_back();
  if (&slots == &parameters_) spec_.slots.parameter_nodes.push_back(graph_.size());
  if (&slots == &inputs_) spec_.slots.input_nodes.push_back(graph_.size());
  return slot;
}

void Reader::check_source_type(const Op& op, Index slot, const TensorType& type) {
  if (std::holds_alternative<op::Parameter>(op) && !type.element.is_floating())
    cursor_.refuse("expected a floating type for a parameter, found " + type.text());
  if (!std::holds_alternative<op::Leaf>(op) || constants_.nodes[slot] == graph_.size()) return;
  const auto first = constants_.nodes[slot];
  if (!(graph_.type(first) == type))
    cursor_.refuse(fmt::format("expected the type {} of node %{}, whose slot this is, found {}",
                               graph_.type(first).text(), first, type.text()));
}

Index Reader::read_earlier(std::string_view expected) {
  cursor_.demand("%", expected);
  const auto node = cursor_.number(expected, nowhere);
  if (node >= graph_.size()) cursor_.refuse(fmt::format("expected an earlier node, found %{}", node));
  return static_cast<Index>(node);
}

std::vector<Index> Reader::read_operands(const Op& op) {
  cursor_.demand("(", "( and the operands");
  std::vector<Index> operands;
  while (!cursor_.take(")")) {
    if (!operands.empty()) cursor_.demand(",", "a comma or the closing parenthesis");
    operands.push_back(read_earlier("an operand such as %0"));
  }
  const int arity = arity_of(op);
  if (arity >= 0 && operands.size() != static_cast<std::size_t>(arity))
    cursor_.refuse(fmt::format("{} takes {} operands, found {}", name_of(op), arity, operands.size()));
  return operands;
}

TensorType Reader::read_type() {
  TensorType type;
  const auto name = cursor_.word();
  if (const auto expected = read_attribute(name, elements_, type.element); !expected.empty())
    name.empty() ? cursor_.fail("a type such as f32[2, 3]") : cursor_.fail(expected, name);
  const auto piece = cursor_.value();
  if (const auto expected = read_attribute(piece, elements_, type.shape); !expected.empty())
    cursor_.fail(expected, piece);
  try {
    // One value spread over the type: its rule holds all that extents must satisfy.
    return broadcast(TensorType{type.element, {}}, type.shape);
  } catch (const TypeFault& fault) {
    cursor_.refuse(fmt::format("expected a type that memory can hold, found {}: {}", type.text(), fault.text));
  }
}

Index Reader::computed_type(Index op, const std::vector<Index>& operands) {
  try {
    return graph_.infer(op, operands);
  } catch (const TypeFault& fault) {
    cursor_.refuse(fmt::format("{} ({}): {}", name_of(graph_.op_by_id(op)), fault.label, fault.text));
  } catch (const Error& error) {
    cursor_.refuse(fmt::format("{}: {}", name_of(graph_.op_by_id(op)), error.text()));
  }
}

void Reader::read_provenance(Index& site, Index& origin) {
  auto place = Site::none();
  if (cursor_.take("@")) {
    const auto file = cursor_.string("a file's name");
    if (file.find('\0') != std::string::npos) cursor_.refuse("a file's name has no \\x00, found " + string_text(file));
    cursor_.demand(":", ": and a line's number");
    const auto line = static_cast<std::uint32_t>(cursor_.number("a line's number", ~std::uint32_t{0}));
    place = Site::named(files_.pointer(file), line);
  }
  site = graph_.intern_site(place);
  if (cursor_.take("composite")) site |= composite_bit;
  if (cursor_.take("of")) origin = read_earlier("a node such as %0");
}

bool Reader::read_payload_line() {
  for (auto* slots : {&constants_, &parameters_, &inputs_}) {
    if (!cursor_.take(slots->kind)) continue;
    const auto slot = cursor_.number("a slot's number", nowhere);
    if (slot >= slots->nodes.size())
      cursor_.refuse(fmt::format("no node has {} slot {}, there are {}", slots->kind, slot, slots->nodes.size()));
    if (slots->filled[slot]) cursor_.refuse(fmt::format("the payload of {} {} stands here twice", slots->kind, slot));
    cursor_.demand("=", "= and a payload");
    slots->payloads[slot] = read_payload(cursor_, graph_.type(slots->nodes[slot]));
    slots->filled[slot] = true;
    return true;
  }
  return false;
}

void Reader::read_end() {
  const auto count = cursor_.number("the number of nodes", nowhere);
  cursor_.demand("nodes", "nodes");
  cursor_.finish("the end of the line");
  if (count != graph_.size())
    cursor_.refuse(fmt::format("expected end {} nodes, as many as stand above, found {}", graph_.size(), count));
  for (const auto* slots : {&constants_, &parameters_, &inputs_})
    for (std::size_t slot = 0; slot < slots->filled.size(); ++slot)
      if (!slots->filled[slot])
        cursor_.refuse(fmt::format("{} {} of node %{} has no payload above", slots->kind, slot, slots->nodes[slot]));
  if (cursor_.next_line()) cursor_.refuse("nothing stands after end, found " + TextCursor::shown(cursor_.line()));
}

[[noreturn]] void cannot_read(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::file, "load", fmt::format("cannot read {}: {}", path, reason));
}

}  // namespace

Network from_text(std::string_view text, const std::vector<ElementType>& elements) {
  return Reader(text, elements).read();
}

Network load(const std::string& path, const std::vector<ElementType>& elements) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure))
    cannot_read(path, failure ? failure.message() : "it is no file");
  const auto size = std::filesystem::file_size(path, failure);
  if (failure) cannot_read(path, failure.message());
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) cannot_read(path, "it ended early or may not be opened");
  try {
    return from_text(text, elements);
  } catch (const Error& error) {
    throw Error(error.kind(), error.operation(), fmt::format("{}: {}", path, error.text()), error.types());
  }
}

}  // namespace topos
