// The network's text, written and saved.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "topos/element/elementary_f64.h"
#include "topos/spec/spec.h"
#include "topos/spec/text.h"
#include "topos/spec/text_payload.h"

namespace topos {
namespace {

/// Constants are numbered anew, by their first use: what a failed composite left behind is not written.
class ConstantSlots {
 public:
  explicit ConstantSlots(std::size_t count) : numbers_(count, nowhere) {}
  Index number(Index slot) {
    if (numbers_[slot] == nowhere) {
      numbers_[slot] = static_cast<Index>(used_.size());
      used_.push_back(slot);
    }
    return numbers_[slot];
  }
  const std::vector<Index>& used() const { return used_; }

 private:
  std::vector<Index> numbers_, used_;
};

std::string operands_text(std::span<const Index> operands) {
  std::string text = "(";
  for (const auto operand : operands) text += fmt::format("{}%{}", text.size() == 1 ? "" : ", ", operand);
  return text += ')';
}

std::string provenance_text(const Graph& graph, Index i) {
  std::string text;
  const auto site = graph.site(i);
  if (site.known() || *site.file() != '\0') text += fmt::format(" @ {}:{}", string_text(site.file()), site.line());
  if (graph.by_composite(i)) text += " composite";
  if (const auto origin = graph.node(i).origin; origin != nowhere) text += fmt::format(" of %{}", origin);
  if (const auto label = graph.label(i); !label.empty()) text += " label " + string_text(label);
  return text;
}

std::string node_text(const Graph& graph, Index i, ConstantSlots& constants) {
  const auto& op = graph.op(i);
  const auto& type = graph.type(i);
  if (type.rank() > most_axes)
    throw Error(ErrorKind::file, "save",
                fmt::format("node {} has {} axes, at most {} are read", i, type.rank(), most_axes), {}, graph.site(i));
  auto text = fmt::format("%{} = {}", i, name_of(op));
  if (is_source(op))
    text += fmt::format(" slot={}", graph.is<op::Leaf>(i) ? constants.number(graph.slot(i)) : graph.slot(i));
  else
    text += operands_text(graph.operands(i));
  if (const auto attributes = attributes_of(op); !attributes.empty()) text += ' ' + attributes;
  text += " : " + type.text() + provenance_text(graph, i);
  if (text.size() > longest_line)
    throw Error(ErrorKind::file, "save",
                fmt::format("the line of node {} has {} bytes, at most {} are read", i, text.size(), longest_line), {},
                graph.site(i));
  return text += '\n';
}

void append_slot(std::string_view kind, std::size_t number, const Tensor& payload, std::string& out) {
  out += fmt::format("{} {} = ", kind, number);
  append_payload(payload, out);
  out += '\n';
}

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::file, "save", fmt::format("cannot write {}: {}", path, reason));
}

}  // namespace

std::string to_text(const Network& network) {
  const auto& [graph, slots, working] = *network.spec();
  auto out =
      fmt::format("topos network, version 1, numerics {}\nelement {}\n", elementary::numerics_version, working.name());
  ConstantSlots constants(slots.constants.size());
  for (Index i = 0; i < graph.size(); ++i) out += node_text(graph, i, constants);
  for (const auto slot : constants.used()) append_slot("leaf", constants.number(slot), slots.constants[slot], out);
  for (std::size_t slot = 0; slot < slots.parameters.size(); ++slot)
    append_slot("parameter", slot, slots.parameters[slot], out);
  for (std::size_t slot = 0; slot < slots.inputs.size(); ++slot) append_slot("input", slot, slots.inputs[slot], out);
  return out += fmt::format("end {} nodes\n", graph.size());
}

void save(const Network& network, const std::string& path) {
  const auto text = to_text(network);
  // Beside the file, so that the rename stays on one file system and readers see the old text or the new one. Process
  // and address tell apart what several write at once.
  const auto beside = path + fmt::format(".{}.{:x}.partial", getpid(), reinterpret_cast<std::uintptr_t>(&text));
  std::error_code failure;
  {
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    if (!file) cannot_write(path, "the folder is missing or not writable");
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
      std::filesystem::remove(beside, failure);
      cannot_write(path, "the disk took only a part");
    }
  }
  std::filesystem::rename(beside, path, failure);
  if (!failure) return;
  const auto reason = failure.message();
  std::filesystem::remove(beside, failure);
  cannot_write(path, reason);
}

}  // namespace topos
