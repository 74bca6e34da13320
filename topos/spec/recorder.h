// What appends: the spec under construction and the session that its values check. Internal.
#pragma once
#include <array>
#include <atomic>

#include "topos/spec/spec.h"
#include "topos/spec/value.h"

namespace topos {

/// A tape's presence: pooled and never freed, so that a stale value may always ask it. A value is live while its key
/// is the session's.
struct Session {
  std::atomic<std::uint64_t> key{0};
  std::atomic<Recorder*> recorder{nullptr};
};

/// Appends nodes to one spec. Belongs to a tape, on one thread at a time.
class Recorder {
 public:
  explicit Recorder(std::shared_ptr<Spec> spec);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  static std::uint64_t fresh_family();
  /// The recorder of a live value. Throws Error(family) for a stale one.
  static Recorder& of(const Value& value, std::string_view operation = "Value", const Site& site = Site::none()) {
    if (value.session_->key.load(std::memory_order_acquire) != value.key_) stale(value, operation, site);
    return *value.session_->recorder.load(std::memory_order_relaxed);
  }
  Value value(Index i) const { return {session_, key_, i}; }
  /// A value's node. Throws Error(family) unless it lives on this tape.
  Index own(const Value& value, std::string_view operation = "Value", const Site& site = Site::none()) const {
    if (value.key_ != key_) foreign(value, operation, site);
    return value.index_;
  }
  Index own(Symbol symbol, std::string_view operation) const;

  template <class O>
  Value record(const O& opcode, std::span<const Index> operands, const Site& site) {
    const auto op = spec->graph.intern(opcode);
    const auto type = checked(op, operands, site);
    return value(spec->graph.append(op, type, intern_site(site), origin, operands));
  }
  template <class O, class... V>
  static Value record_over(const O& opcode, const Site& site, const Value& first, const V&... rest) {
    auto& recorder = of(first, O::name, site);
    const std::array<Index, 1 + sizeof...(V)> operands{recorder.own(first), recorder.own(rest, O::name, site)...};
    return recorder.record(opcode, operands, site);
  }
  /// A leaf that holds one number everywhere.
  Value constant(Index type, Number number, const Site& site);
  Value constant(const TensorType& type, Number number, const Site& site);
  /// A leaf, parameter or input with its payload.
  Value source(const Op& op, Tensor payload, const Site& site);
  /// What stands beside a value: a number of its type and shape, or a tensor as it is.
  Value lift(const Literal& literal, const Value& beside, const Site& site);

  std::shared_ptr<Spec> spec;
  const Site* ambient = nullptr;  // the line that called the composite being recorded
  Index origin = nowhere;         // the forward node whose derivative is being recorded

 private:
  [[noreturn]] static void stale(const Value& value, std::string_view operation, const Site& site);
  [[noreturn]] void foreign(const Value& value, std::string_view operation, const Site& site) const;
  Index checked(Index op, std::span<const Index> operands, const Site& site);
  Index intern_site(const Site& site);
  Index constant_slot(Index type, Number number);

  struct KnownConstant {
    Number number;
    Index type;
    Index slot;
  };
  Session* session_;
  std::uint64_t key_;
  std::unordered_multimap<std::uint64_t, KnownConstant> constants_;
  std::array<KnownConstant, 8> recent_;
};

}  // namespace topos
