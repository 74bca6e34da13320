#include "topos/execute/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "topos/execute/compiled_plan.h"
#include "topos/interpret/interpret.h"

namespace topos {
namespace {

PatternMatch match_of(const Schedule& schedule, const Pattern& pattern) {
  const auto family = schedule.spec().graph.family();
  auto indices = pattern.claimed;
  indices.insert(indices.end(), pattern.named.begin(), pattern.named.end());
  indices.push_back(pattern.root);
  std::sort(indices.begin(), indices.end());
  std::vector<Symbol> nodes;
  for (const auto i : indices) nodes.emplace_back(family, i);
  return {pattern.kind, Symbol(family, pattern.root), std::move(nodes)};
}

}  // namespace

Plan BoundEntry::lower() const {
  for (std::size_t k = 0; k < entry_.replaced.size(); ++k) check(entry_.replaced[k], k);  // an entry may be bound whole
  for (const auto source : entry_.steady) check_steady(source);
  return Plan(std::make_shared<const CompiledPlan>(spec_, parameter_nodes_, results(), entry_));
}

Run BoundEntry::interpret(const Parameters& parameters, Feeds feeds, std::optional<Watch> watch) const {
  std::vector<Index> declared;
  for (const auto symbol : results()) declared.push_back(symbol.index());
  const Schedule schedule(spec_, declared, false);
  const auto wanted = schedule.marks();
  auto values = topos::interpret(*spec_, parameters, feeds, {&wanted, watch, true, "BoundEntry::interpret"});
  // The declared first: they may be read. Their ancestors stay for backward.
  auto nodes = declared;
  std::vector<Index> positions(schedule.size(), nowhere);
  for (const auto i : schedule.nodes())
    if (!schedule.readable(i)) nodes.push_back(i);
  auto* state = new RunState;
  Run run(state);
  for (Index k = 0; k < nodes.size(); ++k) {
    positions[nodes[k]] = k;
    state->payloads.push_back(std::move(values[nodes[k]]));
  }
  state->spec = spec_;
  state->parameter_nodes = parameter_nodes_;
  state->readable = declared.size();
  state->size = schedule.size();
  state->backward = true;
  state->nodes = std::make_shared<const std::vector<Index>>(std::move(nodes));
  state->positions = std::make_shared<const std::vector<Index>>(std::move(positions));
  return run;
}
Run BoundEntry::interpret(const Parameters& parameters, Feeds feeds) const {
  return interpret(parameters, feeds, std::optional<Watch>());
}
Run BoundEntry::interpret(const Parameters& parameters, Feeds feeds, Watch watch) const {
  return interpret(parameters, feeds, std::optional<Watch>(watch));
}
Run BoundEntry::interpret(const Parameters& parameters, FeedList feeds, Watch watch) const {
  return interpret(parameters, Feeds(feeds.begin(), feeds.size()), watch);
}
Run BoundEntry::interpret(const Parameters& parameters, FeedList feeds) const {
  return interpret(parameters, Feeds(feeds.begin(), feeds.size()));
}

Run Plan::forward(const Parameters& parameters, Feeds feeds) const {
  auto* state = compiled_->results->take_state();
  Run run(state);
  if (!state->nodes) {
    state->spec = compiled_->schedule.shared_spec();
    state->parameter_nodes = compiled_->parameter_nodes;
    state->nodes = compiled_->kept;
    state->positions = compiled_->positions;
    state->readable = compiled_->schedule.results().size();
    state->size = compiled_->schedule.size();
    state->backward = compiled_->schedule.backward();
    state->payloads.resize(compiled_->kept->size());
  }
  execute(*compiled_, *state, parameters, feeds);
  return run;
}
Run Plan::forward(const Parameters& parameters, FeedList feeds) const {
  return forward(parameters, Feeds(feeds.begin(), feeds.size()));
}

Run Plan::forward(const Parameters& parameters, Feeds feeds, Watch watch) const {
  const auto& schedule = compiled_->schedule;
  const auto wanted = schedule.marks();
  topos::interpret(schedule.spec(), parameters, feeds, {&wanted, watch, false, "Plan::forward"});
  return forward(parameters, feeds);
}
Run Plan::forward(const Parameters& parameters, FeedList feeds, Watch watch) const {
  return forward(parameters, Feeds(feeds.begin(), feeds.size()), watch);
}
void Plan::forward_into(Run& run, const Parameters& parameters, Feeds feeds) const {
  auto* state = run.state();
  const bool ours = state != nullptr && state->home == compiled_->results.get() &&
                    state->holders.load(std::memory_order_acquire) == 1;
  if (ours)
    execute(*compiled_, *state, parameters, feeds);
  else
    run = forward(parameters, feeds);
}
void Plan::forward_into(Run& run, const Parameters& parameters, FeedList feeds) const {
  forward_into(run, parameters, Feeds(feeds.begin(), feeds.size()));
}

std::string Plan::describe() const { return compiled_->schedule.describe(); }
std::string Plan::program() const { return program_text(compiled_->schedule, compiled_->program, compiled_->numerics); }

std::vector<Symbol> Plan::results() const {
  std::vector<Symbol> symbols;
  for (const auto i : compiled_->schedule.results()) symbols.emplace_back(compiled_->schedule.spec().graph.family(), i);
  return symbols;
}

std::vector<Symbol> Plan::arguments() const {
  std::vector<Symbol> symbols;
  for (const auto i : compiled_->schedule.arguments())
    symbols.emplace_back(compiled_->schedule.spec().graph.family(), i);
  return symbols;
}

const std::vector<Replacement>& Plan::replacements() const { return compiled_->replaced; }

std::vector<Node> Plan::nodes() const {
  std::vector<Node> nodes;
  for (const auto i : compiled_->schedule.nodes()) nodes.emplace_back(compiled_->schedule.shared_spec(), i);
  return nodes;
}

Node Plan::node(Symbol symbol) const {
  const auto& schedule = compiled_->schedule;
  const auto i = index_in(schedule.spec(), symbol, "Plan::node", "is not in the plan's prefix");
  if (i >= schedule.size())
    throw Error(ErrorKind::coverage, "Plan::node", fmt::format("node {} was recorded after this plan was made", i));
  return {schedule.shared_spec(), i};
}

std::vector<PatternMatch> Plan::patterns() const {
  std::vector<PatternMatch> matches;
  const auto& schedule = compiled_->schedule;
  for (const auto k : schedule.fused()) matches.push_back(match_of(schedule, schedule.candidates()[k]));
  return matches;
}
std::vector<PatternMatch> Plan::candidates() const {
  std::vector<PatternMatch> matches;
  const auto& schedule = compiled_->schedule;
  for (const auto& pattern : schedule.candidates()) matches.push_back(match_of(schedule, pattern));
  return matches;
}

std::vector<Extent> Plan::live_series() const { return compiled_->schedule.live_series(); }
std::size_t Plan::size() const { return compiled_->schedule.size(); }
bool Plan::can_backward() const { return compiled_->schedule.backward(); }
Numerics Plan::numerics() const { return compiled_->numerics; }
std::size_t Plan::arena_bytes() const { return compiled_->program.arena_bytes; }

}  // namespace topos
