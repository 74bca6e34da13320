// A compiled entry: a schedule bound to payloads and kernels, run in one arena.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "topos/execute/emit_options.h"
#include "topos/interpret/run.h"
#include "topos/plan/entry.h"
#include "topos/plan/pattern.h"

namespace topos {

struct CompiledPlan;

/// Stateless and immutable: any number of threads may run one at once. Keeps working after its network is reopened and
/// extended. A copy shares it.
class Plan {
 public:
  explicit Plan(std::shared_ptr<const CompiledPlan> compiled) : compiled_(std::move(compiled)) {}

  /// Runs. Bit for bit the interpreter's results. Throws Error(family) for foreign parameters or symbols,
  /// Error(coverage) for fewer slots than the plan reads, Error(feed), and Error(index) for an index out of range.
  Run forward(const Parameters& parameters, Feeds feeds) const;
  Run forward(const Parameters& parameters, FeedList feeds = {}) const;
  /// The same, watched: the schedule is first run node by node, by the interpreter, whose bits are the plan's. Throws
  /// Error(number) at the first node that holds a NaN, or an infinity, while none of its operands does.
  Run forward(const Parameters& parameters, Feeds feeds, Watch watch) const;
  Run forward(const Parameters& parameters, FeedList feeds, Watch watch) const;
  /// Runs into an earlier run of this plan: buffers that nobody else holds are written again, and nothing is
  /// allocated.
  void forward_into(Run& run, const Parameters& parameters, Feeds feeds) const;
  void forward_into(Run& run, const Parameters& parameters, FeedList feeds = {}) const;

  /// The licensed schedule: one line a scheduled node and what becomes of it, then the accounting.
  std::string describe() const;
  /// What is executed: one line a kernel call with operands, arena offset, bytes, flops and the nodes it covers.
  std::string program() const;
  /// The schedule as a StableHLO module: `arguments()` in, `results()` out. Throws Error(emission) for what has no
  /// spelling, and Error(argument) for a target that is no version or older than 0.9.0. Defined in emit/.
  std::string emit_stablehlo(const EmitOptions& options = {}) const;

  /// The scheduled parameters, then the scheduled inputs, each in recording order: an emitted module's arguments.
  std::vector<Symbol> arguments() const;
  /// Roots, then observes, each once: the order of an emitted module's results.
  std::vector<Symbol> results() const;
  /// What the entry lets a module overwrite, as declared.
  const std::vector<Replacement>& replacements() const;
  /// The scheduled nodes, in order.
  std::vector<Node> nodes() const;
  /// Throws Error(family), or Error(coverage) for a node that the plan was made before.
  Node node(Symbol symbol) const;
  /// The compositions that `describe` marks as fused.
  std::vector<PatternMatch> patterns() const;
  /// All that the catalog recognises, whoever carries it out: emission raises them. They may share nodes.
  std::vector<PatternMatch> candidates() const;
  /// Live elements after each scheduled node that `describe` does not mark as fused.
  std::vector<Extent> live_series() const;
  /// Nodes of the graph that the plan was made from, scheduled or not.
  std::size_t size() const;
  bool can_backward() const;
  Numerics numerics() const;
  /// Bytes of working memory that a run needs, known before it starts.
  std::size_t arena_bytes() const;

  /// For emission and reports.
  const CompiledPlan& compiled() const { return *compiled_; }

 private:
  std::shared_ptr<const CompiledPlan> compiled_;
};

}  // namespace topos
