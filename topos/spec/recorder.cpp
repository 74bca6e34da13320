#include "topos/spec/recorder.h"

#include <fmt/format.h>

#include <mutex>

namespace topos {
namespace {

/// Sessions that no tape uses now. Leaked on purpose: values with static lifetime may ask theirs at any time.
struct SessionPool {
  std::mutex mutex;
  std::vector<Session*> free;
  std::uint64_t openings = 0;
};
SessionPool& pool() {
  static auto* sessions = new SessionPool;
  return *sessions;
}

constinit Session no_session;

}  // namespace

Value::Value() : session_(&no_session), key_(~std::uint64_t{0}), index_(nowhere) {}

std::uint64_t Recorder::fresh_family() {
  static constinit std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

Recorder::Recorder(std::shared_ptr<Spec> spec)
    : spec(std::move(spec)),
      recent_{{{0, nowhere, 0},
               {0, nowhere, 0},
               {0, nowhere, 0},
               {0, nowhere, 0},
               {0, nowhere, 0},
               {0, nowhere, 0},
               {0, nowhere, 0},
               {0, nowhere, 0}}} {
  const std::lock_guard lock(pool().mutex);
  if (pool().free.empty()) pool().free.push_back(new Session);
  session_ = pool().free.back();
  pool().free.pop_back();
  key_ = this->spec->graph.family() << 24 | (++pool().openings & 0xFFFFFF);
  session_->recorder.store(this, std::memory_order_relaxed);
  session_->key.store(key_, std::memory_order_release);
}

Recorder::~Recorder() {
  const std::lock_guard lock(pool().mutex);
  session_->key.store(0, std::memory_order_release);
  session_->recorder.store(nullptr, std::memory_order_relaxed);
  pool().free.push_back(session_);
}

void Recorder::stale(const Value& value, std::string_view operation, const Site& site) {
  if (value.index_ == nowhere)
    throw Error(ErrorKind::family, std::string(operation), "this value belongs to no tape: it was never recorded", {},
                site);
  throw Error(ErrorKind::family, std::string(operation),
              "its tape was sealed or destroyed: resolve its symbol on the reopened tape", {}, site);
}

void Recorder::foreign(const Value& value, std::string_view operation, const Site& site) const {
  const Site& at = ambient != nullptr ? *ambient : site;
  const auto& other = of(value, operation, at);  // a stale value says so first
  throw Error(ErrorKind::family, std::string(operation), "the values are on different tapes",
              {other.spec->graph.type(value.index_).text()}, at);
}

Index Recorder::own(Symbol symbol, std::string_view operation) const {
  return index_in(*spec, symbol, operation, "is not allocated on this tape");
}

Index Recorder::intern_site(const Site& site) {
  return ambient != nullptr ? spec->graph.intern_site(*ambient) | composite_bit : spec->graph.intern_site(site);
}

Index Recorder::checked(Index op, std::span<const Index> operands, const Site& site) {
  auto& graph = spec->graph;
  try {
    return graph.infer(op, operands);
  } catch (TypeFault& fault) {
    std::vector<const TensorType*> types;
    for (const auto i : operands) types.push_back(&graph.type(i));
    auto operation = fmt::format("{} ({})", title_of(graph.op_by_id(op), types), fault.label);
    // Labels tell which values these were.
    for (const auto i : operands)
      if (const auto label = graph.label(i); !label.empty()) fault.text += fmt::format(" ({} is node {})", label, i);
    throw Error(ErrorKind::type, std::move(operation), fault.text, std::move(fault.types),
                ambient != nullptr ? *ambient : site);
  }
}

Index Recorder::constant_slot(Index type, Number number) {
  const auto hash = number.hash() ^ type;
  auto& recent = recent_[(hash >> 40) % recent_.size()];
  if (recent.type == type && recent.number == number) return recent.slot;
  for (auto [at, end] = constants_.equal_range(hash); at != end; ++at)
    if (at->second.type == type && at->second.number == number) {
      recent = at->second;
      return recent.slot;
    }
  auto& constants = spec->slots.constants;
  const auto slot = static_cast<Index>(constants.size());
  constants.push_back(Tensor::full(spec->graph.type_by_id(type), number));
  recent = {number, type, slot};
  constants_.emplace(hash, recent);
  return slot;
}

Value Recorder::constant(Index type, Number number, const Site& site) {
  const auto& wanted = spec->graph.type_by_id(type);
  if (!number.fits(wanted.element))
    throw Error(ErrorKind::type, "Leaf (C1)", fmt::format("{} is not a number of {}", number.text(), wanted.text()),
                {wanted.text()}, ambient != nullptr ? *ambient : site);
  auto& graph = spec->graph;
  return value(graph.append_source(graph.intern(op::Leaf{}), type, intern_site(site), origin,
                                   constant_slot(type, number.as(wanted.element))));
}

Value Recorder::constant(const TensorType& type, Number number, const Site& site) {
  return constant(spec->graph.intern_type(type), number, site);
}

Value Recorder::source(const Op& op, Tensor payload, const Site& site) {
  auto& graph = spec->graph;
  auto& slots = spec->slots;
  const bool parameter = std::holds_alternative<op::Parameter>(op);
  const bool input = std::holds_alternative<op::Input>(op);
  auto& payloads = parameter ? slots.parameters : input ? slots.inputs : slots.constants;
  const auto index = graph.append_source(graph.intern_op(op), graph.intern_type(payload.type()), intern_site(site),
                                         origin, static_cast<Index>(payloads.size()));
  payloads.push_back(std::move(payload));
  if (parameter) slots.parameter_nodes.push_back(index);
  if (input) slots.input_nodes.push_back(index);
  return value(index);
}

Value Recorder::lift(const Literal& literal, const Value& beside, const Site& site) {
  const auto neighbour = own(beside);
  if (literal.is_number()) return constant(spec->graph.node(neighbour).type, literal.number(), site);
  return source(op::Leaf{}, literal.strong() != nullptr ? *literal.strong() : literal.tensor(beside.element()), site);
}

const TensorType& Value::type() const {
  const auto& recorder = Recorder::of(*this);
  return recorder.spec->graph.type(index_);
}

Value Value::label(std::string text) const {
  Recorder::of(*this).spec->graph.label(index_, std::move(text));
  return *this;
}

Value Value::resolve(Symbol symbol) const {
  const auto& recorder = Recorder::of(*this);
  return recorder.value(recorder.own(symbol, "Value::resolve"));
}

}  // namespace topos
