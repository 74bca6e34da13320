#include "harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "timing.h"

namespace bench {
namespace {

std::vector<Row>& all_rows() {
  static std::vector<Row> list;
  return list;
}
std::vector<void (*)()>& fillers() {
  static std::vector<void (*)()> list;
  return list;
}

/// Calls until a sample is long enough, and a call before them to warm up.
long calls_of(const Contender& contender, double nanoseconds) {
  contender.run();
  long calls = 1;
  while (true) {
    const auto time = timing::nanoseconds([&] {
      for (long i = 0; i < calls; ++i) contender.run();
    });
    if (time >= nanoseconds || calls > 1L << 30) return calls;
    calls =
        time < nanoseconds / 16 ? calls * 8 : static_cast<long>(static_cast<double>(calls) * nanoseconds / time) + 1;
  }
}

double geometric_mean(const std::vector<double>& ratios) {
  double sum = 0;
  for (const auto ratio : ratios) sum += std::log(ratio);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

/// 950 ns, 12.3 us, 4.56 ms.
std::string duration(double nanoseconds) {
  if (nanoseconds < 1e3) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.3g} us", nanoseconds / 1e3);
  return fmt::format("{:.3g} ms", nanoseconds / 1e6);
}

}  // namespace

void add(Row row) { all_rows().push_back(std::move(row)); }
const std::vector<Row>& rows() { return all_rows(); }
Rows::Rows(void (*fill)()) { fillers().push_back(fill); }
void collect() {
  for (const auto fill : fillers()) fill();
  std::stable_sort(all_rows().begin(), all_rows().end(), [](const Row& a, const Row& b) { return a.group < b.group; });
}

Measured measure(const Row& row, const Options& options) {
  const auto contest = row.make();
  if (contest.check) contest.check();
  std::vector<const Contender*> contenders{&contest.ours};
  for (const auto& peer : contest.theirs) contenders.push_back(&peer);
  std::vector<long> calls;
  for (const auto* contender : contenders) calls.push_back(calls_of(*contender, options.sample_milliseconds * 1e6));
  std::vector<std::vector<double>> times(contenders.size());
  for (int sample = 0; sample < options.samples; ++sample)
    for (std::size_t c = 0; c < contenders.size(); ++c)
      times[c].push_back(timing::nanoseconds([&] {
                           for (long i = 0; i < calls[c]; ++i) contenders[c]->run();
                         }) /
                         static_cast<double>(calls[c]));
  Measured measured{&row, timing::median(times[0]), {}};
  for (std::size_t c = 1; c < contenders.size(); ++c) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times[c].size(); ++i) ratios.push_back(times[c][i] / times[0][i]);
    measured.peers.push_back({contenders[c]->name, timing::median(times[c]), timing::median(ratios)});
  }
  return measured;
}

std::string table(const std::vector<Measured>& measured) {
  std::string text;
  std::map<std::string, std::vector<double>> of_all;
  for (std::size_t begin = 0; begin < measured.size();) {
    const auto& group = measured[begin].row->group;
    auto end = begin;
    while (end < measured.size() && measured[end].row->group == group) ++end;
    text += fmt::format("{}\n  {:<36} {:>10} {:>14}  {:<16} {:>10} {:>7}\n", group, "row", "topos", "", "peer",
                        "theirs", "ratio");
    std::map<std::string, std::vector<double>> of_peer;
    for (auto i = begin; i < end; ++i) {
      const auto& m = measured[i];
      const auto speed = fmt::format("{:.4g} {}", m.row->work / m.nanoseconds, m.row->unit);
      if (m.peers.empty())
        text += fmt::format("  {:<36} {:>10} {:>14}  {:<16}\n", m.row->name, duration(m.nanoseconds), speed, "-");
      for (std::size_t p = 0; p < m.peers.size(); ++p) {
        const auto& peer = m.peers[p];
        text += fmt::format("  {:<36} {:>10} {:>14}  {:<16} {:>10} {:>7.2f}\n", p == 0 ? m.row->name : "",
                            p == 0 ? duration(m.nanoseconds) : "", p == 0 ? speed : "", peer.name,
                            duration(peer.nanoseconds), peer.ratio);
        of_peer[peer.name].push_back(peer.ratio);
        of_all[peer.name].push_back(peer.ratio);
      }
    }
    for (const auto& [peer, ratios] : of_peer)
      text +=
          fmt::format("  geometric mean: {:.2f} against {} ({} rows)\n", geometric_mean(ratios), peer, ratios.size());
    text += '\n';
    begin = end;
  }
  std::vector<double> every;
  for (const auto& [peer, ratios] : of_all) every.insert(every.end(), ratios.begin(), ratios.end());
  if (!every.empty())
    text += fmt::format("geometric mean: {:.2f} over all {} comparisons\n", geometric_mean(every), every.size());
  return text;
}

}  // namespace bench
