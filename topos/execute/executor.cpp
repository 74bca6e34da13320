// One run: sources bound, steps executed, results delivered.
#include <fmt/format.h>

#include <chrono>

#include "topos/base/float_environment.h"
#include "topos/execute/compiled_plan.h"
#include "topos/interpret/interpret.h"
#include "topos/kernel/product_pack.h"
#include "topos/kernel/walk.h"
#include "topos/tensor/reference.h"

namespace topos {
namespace {

/// Holds a workspace for one run and gives it back, also when the run throws.
class Lease {
 public:
  explicit Lease(const CompiledPlan& plan) : plan_(plan), workspace_(plan.workspaces.take(plan.program)) {}
  ~Lease() { plan_.workspaces.give_back(std::move(workspace_)); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Workspace& operator*() { return *workspace_; }

 private:
  const CompiledPlan& plan_;
  std::unique_ptr<Workspace> workspace_;
};

/// Whether both read the same numbers in the same way. Nobody writes into a buffer that a tensor holds.
bool is_same(const Tensor& one, const Tensor& other) {
  return !one.is_single() && !other.is_single() && one.first() == other.first() && one.type() == other.type() &&
         one.strides() == other.strides();
}

class Execution {
 public:
  Execution(const CompiledPlan& plan, Workspace& workspace, RunState& state, const Parameters& parameters, Feeds feeds)
      : plan_(plan),
        program_(plan.program),
        spec_(plan.schedule.spec()),
        workspace_(workspace),
        state_(state),
        parameters_(parameters),
        feeds_(feeds) {}

  void run(double* nanoseconds) {
    check_parameters(spec_, parameters_, slots_needed(), false, "Plan::forward");
    for (const auto& feed : feeds_) fed_node(spec_, plan_.schedule.size(), feed, "Plan::forward");
    bind();
    if (nanoseconds == nullptr) [[likely]] {
      for (const auto& step : program_.steps) run_step(step);
    } else {
      for (std::size_t i = 0; i < program_.steps.size(); ++i) {
        const auto start = std::chrono::steady_clock::now();
        run_step(program_.steps[i]);
        const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
        nanoseconds[i] += taken.count();
      }
    }
    deliver();
  }

 private:
  /// Parameters recorded after this plan's nodes are none of its business.
  std::size_t slots_needed() const { return plan_.parameter_nodes->size(); }

  std::byte* at(const Address& address) const {
    return static_cast<std::byte*>(workspace_.bases[address.base]) + address.offset;
  }

  void run_step(const Step& step) {
    const auto& call = plan_.calls[step.task];
    if (call.run == nullptr) [[unlikely]]
      return run_other(step);
    const void* const operands[] = {at(step.operands[0]), at(step.operands[1]), at(step.operands[2])};
    const auto fault = call.run(*call.task, operands, at(step.result), workspace_.arena->data() + step.scratch);
    if (fault != kernel::no_fault) [[unlikely]]
      refuse(step, fault);
  }
  /// A step in parts, or of more operands than a Step holds, or without a kernel.
  void run_other(const Step& step) {
    const auto& work = plan_.kernels[step.task];
    if (work.whole.run == nullptr) return run_by_reference(step);
    const void* operands[kernel::max_chain_operands] = {};
    std::size_t count = 0;
    for (const auto& operand : program_.operands_of(step)) operands[count++] = at(operand);
    const auto fault = kernel::run(work, operands, at(step.result), workspace_.arena->data() + step.scratch);
    if (fault != kernel::no_fault) refuse(step, fault);
  }

  void bind() {
    for (std::size_t b = 0; b < program_.bases.size(); ++b) {
      const auto& base = program_.bases[b];
      switch (base.kind) {
        case Base::Kind::arena: workspace_.bases[b] = workspace_.arena->data(); break;
        case Base::Kind::numbers: workspace_.bases[b] = plan_.numbers->data(); break;
        case Base::Kind::constant: bind_readable(b, plan_.constants[base.slot]); break;
        case Base::Kind::packed: bind_packed(b, base.slot); break;
        case Base::Kind::parameter: bind_parameter(b, base); break;
        case Base::Kind::input: bind_input(b, base); break;
        case Base::Kind::result: bind_result(b, base); break;
      }
    }
  }

  // Sources are never written: the steps only read through these bases.
  void bind_readable(std::size_t b, const Tensor& payload) { workspace_.bases[b] = const_cast<void*>(payload.first()); }
  /// A constant's is the plan's. What else is steady is laid out again only where its payload is not the last run's.
  void bind_packed(std::size_t b, Index slot) {
    if (plan_.packed[slot]) {
      workspace_.bases[b] = plan_.packed[slot]->data();
      return;
    }
    const auto& [source, offset, product] = program_.packed[slot];
    auto& packed = workspace_.packed[slot];
    const auto& payload = *workspace_.rooms[source].payload;
    if (!packed.laid_out) packed.laid_out = BufferHandle(Buffer::make(kernel::pack_bytes(product)));
    if (!is_same(packed.payload, payload)) {
      packed.payload = {};  // should laying out be cut short
      kernel::pack(product, static_cast<const std::byte*>(workspace_.bases[source]) + offset, packed.laid_out->data());
      packed.payload = payload;
    }
    workspace_.bases[b] = packed.laid_out->data();
  }
  /// In place where a kernel can read it there; otherwise laid out once, in room that the workspace keeps.
  void bind_payload(std::size_t b, const Tensor& payload) {
    workspace_.rooms[b].payload = &payload;
    if (payload.shape().rank() == 0 || (payload.is_contiguous() && !payload.is_single()))
      return bind_readable(b, payload);
    auto& room = workspace_.rooms[b];
    if (!room.laid_out) room.laid_out = BufferHandle(Buffer::make(payload.type().bytes()));
    payload.copy_to(room.laid_out->data());
    workspace_.bases[b] = room.laid_out->data();
  }
  void bind_parameter(std::size_t b, const Base& base) {
    const auto& payload = parameters_.payloads()[base.slot];
    const auto& type = spec_.graph.type(base.node);
    if (!(payload.type() == type))
      throw Error(ErrorKind::type, "Plan::forward",
                  fmt::format("parameter {} is {}, not {}", base.node, payload.type().text(), type.text()),
                  {payload.type().text(), type.text()}, spec_.graph.site(base.node));
    bind_payload(b, payload);
  }
  void bind_input(std::size_t b, const Base& base) {
    const Feed* fed = nullptr;
    for (const auto& feed : feeds_)
      if (feed.input.index() == base.node) fed = &feed;  // the last wins
    if (fed == nullptr) return bind_payload(b, spec_.slots.inputs[base.slot]);
    const auto& type = spec_.graph.type(base.node);
    auto& room = workspace_.rooms[b];
    if (fed->value.is_number() && type.rank() == 0 && fed->value.number().fits(type.element)) {
      store(fed->value.number(), type.element, room.number);
      workspace_.bases[b] = room.number;
    } else if (const auto* strong = fed->value.strong(); strong != nullptr && strong->type() == type) {
      bind_payload(b, *strong);  // the caller holds it for the length of the run
    } else {
      room.fed = fed_payload(spec_, base.node, *fed, "Plan::forward");
      bind_payload(b, room.fed);
    }
  }
  void bind_result(std::size_t b, const Base& base) {
    const auto& type = spec_.graph.type(base.node);
    if (type.rank() == 0) return;
    auto& payload = state_.payloads[base.slot];
    const auto bytes = type.bytes();
    const bool ours = payload.buffer() && payload.type() == type && payload.is_contiguous() &&
                      payload.buffer()->bytes() == bytes && payload.buffer()->is_unique();
    if (!ours) payload = Tensor::over(type, plan_.results->take(bytes));
    workspace_.bases[b] = const_cast<void*>(payload.first());
  }

  /// A step over a user's element, which has no kernel: the operands are laid out as tensors.
  void run_by_reference(const Step& step) {
    const auto& task = program_.tasks[step.task];
    std::vector<Tensor> values;
    values.reserve(task.operand_count);
    std::vector<const Tensor*> in;
    for (std::size_t k = 0; k < task.operand_count; ++k) {
      const auto& view = task.operands[k];
      std::byte* data = nullptr;
      values.push_back(Tensor::uninitialised({view.element, view.shape}, data));
      if (view.shape.volume() != 0) kernel::lay_out(view, 0, at(step.operands[k]), data);
      in.push_back(&values.back());
    }
    const auto& graph = spec_.graph;
    try {
      express<Tensor>(graph.op(step.node), in).copy_to(at(step.result));
    } catch (const Error& error) {  // an index out of range, for one: name the node that read it
      throw Error(error.kind(), error.operation(), fmt::format("node {}: {}", step.node, error.text()), error.types(),
                  graph.site(step.node));
    }
  }

  void deliver() {
    for (const auto& delivery : program_.deliveries) {
      auto& payload = state_.payloads[delivery.result];
      const auto i = program_.kept[delivery.result];
      if (delivery.task == nowhere) {
        payload = Tensor::single(spec_.graph.type(i), at(delivery.from));
        continue;
      }
      const void* const operands[] = {at(delivery.from), nullptr, nullptr};
      kernel::run(plan_.kernels[delivery.task], operands, workspace_.bases[delivery.base], nullptr);
    }
  }

  /// The number at a row-major place of an operand.
  std::int64_t number_at(const Step& step, std::size_t operand, Extent place) const {
    const auto& view = program_.tasks[step.task].operands[operand];
    Extent offset = 0;
    for (std::size_t axis = view.shape.rank(); axis-- > 0; place /= view.shape[axis])
      offset += place % view.shape[axis] * view.strides[axis];
    std::int64_t number = 0;
    std::memcpy(&number, at(step.operands[operand]) + offset * 8, sizeof number);
    return number;
  }
  /// A kernel met a number that it must refuse.
  [[noreturn]] void refuse(const Step& step, Extent place) const {
    const auto& task = program_.tasks[step.task];
    const auto& graph = spec_.graph;
    const auto name = std::string(name_of(graph.op(step.node)));
    if (task.kind == kernel::Kind::binary)
      throw Error(ErrorKind::argument, name,
                  fmt::format("node {}: the divisor {} is zero at element {}", step.node,
                              TensorType{task.result.element, task.result.shape}.text(), place),
                  {graph.type(step.node).text()}, graph.site(step.node));
    const auto extent = task.kind == kernel::Kind::gather ? task.operands[0].shape[0] : task.result.shape[0];
    throw Error(ErrorKind::index, name,
                fmt::format("node {}: index {} at place {} is outside the {} rows", step.node,
                            number_at(step, 1, place), place, extent),
                {}, graph.site(step.node));
  }

  const CompiledPlan& plan_;
  const Program& program_;
  const Spec& spec_;
  Workspace& workspace_;
  RunState& state_;
  const Parameters& parameters_;
  Feeds feeds_;
};

}  // namespace

void execute(const CompiledPlan& plan, RunState& state, const Parameters& parameters, Feeds feeds,
             double* nanoseconds) {
  const FloatEnvironment exact;
  Lease workspace(plan);
  Execution(plan, *workspace, state, parameters, feeds).run(nanoseconds);
}

}  // namespace topos
