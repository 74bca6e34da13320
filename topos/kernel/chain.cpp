// Chains reuse the kernels of their links: each is prepared once for a tile of the result, and a run takes every tile
// through all links. What lies between two links is a buffer of one tile, or nothing where both are plain arithmetic.
#include "topos/kernel/chain.h"

#include <algorithm>
#include <utility>

#include "topos/kernel/chain_stages.h"
#include "topos/kernel/families.h"

namespace topos::kernel {
namespace {

constexpr Extent tile_bytes = 8192;  // of the widest buffer: some fit into the nearest cache together
constexpr std::size_t line_bytes = 64;
constexpr Extent line_numbers = 64;  // of any size

std::size_t aligned_bytes(Extent bytes) {
  return (static_cast<std::size_t>(bytes) + line_bytes - 1) / line_bytes * line_bytes;
}

// --- form ------------------------------------------------------------------------------------------------------------

/// Drops axes of extent 1 and merges neighbours that every view steps through as through one.
void merge_axes(std::vector<View*> views) {
  const auto given = views.front()->shape;
  std::vector<std::vector<Extent>> strides(views.size());
  std::vector<Extent> shape;
  for (std::size_t axis = 0; axis < given.rank(); ++axis) {
    const auto extent = given[axis];
    if (extent == 1) continue;
    bool joins = !shape.empty();
    for (std::size_t i = 0; joins && i < views.size(); ++i)
      joins = strides[i].back() == views[i]->strides[axis] * extent;
    if (!joins) shape.push_back(1);
    shape.back() *= extent;
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (joins) strides[i].pop_back();
      strides[i].push_back(views[i]->strides[axis]);
    }
  }
  for (std::size_t i = 0; i < views.size(); ++i) {
    views[i]->shape = shape;
    views[i]->strides = strides[i];
  }
}

Extent widest(const Chain& chain, const View& result) {
  auto size = result.element.size();
  for (const auto& link : chain.links) size = std::max(size, link.element.size());
  for (const auto& operand : chain.operands) size = std::max(size, operand.element.size());
  return static_cast<Extent>(size);
}

/// Whole inner axes and a length of the one before them, of about equal tiles.
void choose_tile(const Shape& shape, Extent most, ChainTiles& tiles) {
  auto axis = shape.rank();
  Extent inner = 1;
  while (axis > 0 && inner * shape[axis - 1] <= most) inner *= shape[--axis];
  tiles.axis = axis == 0 ? 0 : axis - 1;
  if (shape.rank() == 0) return;
  const auto extent = shape[tiles.axis];
  if (axis == 0) {
    tiles.length = std::max<Extent>(extent, 1);
    return;
  }
  const auto longest = std::max<Extent>(most / inner, 1);
  const auto count = (extent + longest - 1) / longest;
  tiles.length = (extent + count - 1) / count;
  if (inner == 1) tiles.length = (tiles.length + line_numbers - 1) / line_numbers * line_numbers;
}

/// The links' buffers: one takes the place of another that nobody reads any more. Returns the bytes of all.
std::size_t place_buffers(const Chain& chain, std::size_t buffer_bytes, ChainTiles& tiles) {
  const auto first = chain.operands.size(), count = chain.links.size();
  std::vector<std::size_t> last_reader(count, 0), free;
  for (std::size_t l = 0; l < count; ++l)
    for (std::size_t k = 0; k < chain.links[l].operand_count; ++k)
      if (const auto value = chain.links[l].operands[k]; value >= first) last_reader[value - first] = l;
  std::size_t made = 0;
  for (std::size_t l = 0; l + 1 < count; ++l) {
    // A result may stand where an operand of the same size stood, and elsewhere only where no operand is.
    const auto release = [&](bool same_size) {
      for (std::size_t value = 0; value < l; ++value)
        if (last_reader[value] == l &&
            (chain.links[value].element.size() == chain.links[l].element.size()) == same_size)
          free.push_back(tiles.buffers[value]);
    };
    release(true);
    if (free.empty()) free.push_back(made++ * buffer_bytes);
    tiles.buffers.push_back(free.back());
    free.pop_back();
    release(false);
  }
  return made * buffer_bytes;
}

Shape tile_shape(const Shape& shape, const ChainTiles& tiles, Extent length) {
  if (shape.rank() == 0) return {};
  std::vector<Extent> tile(shape.begin() + tiles.axis, shape.end());
  tile[0] = length;
  return tile;
}

/// Operands as arithmetic reads them, behind `offset` bytes of scratch. Returns where they end.
std::size_t place_operands(const Chain& chain, const Shape& tile, std::size_t offset, ChainTiles& tiles) {
  for (const auto& operand : chain.operands) {
    auto& room = tiles.rooms.emplace_back();
    if (arithmetic_of(operand.element) == nullptr) continue;
    const auto view = tile_view(operand, tile);
    const bool number =
        std::all_of(operand.strides.begin(), operand.strides.end(), [](Extent stride) { return stride == 0; });
    if (number)
      room.repeated = std::exchange(offset, offset + repeated_bytes);
    else if (!is_row_major(view.shape, view.strides))
      room.laid_out =
          std::exchange(offset, offset + aligned_bytes(tile.volume() * static_cast<Extent>(operand.element.size())));
  }
  return offset;
}

void list_steps(const Chain& chain, const View& result, ChainTiles& tiles) {
  for (std::size_t axis = 0; axis < result.shape.rank(); ++axis) {
    auto& steps = tiles.steps.emplace_back();
    for (const auto& view : chain.operands)
      steps.push_back(view.strides[axis] * static_cast<Extent>(view.element.size()));
    steps.push_back(result.strides[axis] * static_cast<Extent>(result.element.size()));
  }
}

bool covers(const Chain& chain, const View& result) {
  if (chain.links.empty() || chain.links.size() > max_links || chain.operands.size() > max_chain_operands) return false;
  for (const auto& link : chain.links) {
    const bool elementwise = link.kind <= Kind::convert;
    const bool refuses = link.function == Function::divide && link.kind == Kind::binary && link.element == i64;
    if (!elementwise || refuses) return false;
  }
  return chain.links.back().element == result.element;
}

// --- runs ------------------------------------------------------------------------------------------------------------

/// A run of a chain: where the first numbers of its values are, for the tile at hand.
struct ChainRun {
  const Chain& chain;
  const ChainTiles& tiles;
  std::size_t count, result;  // operands, and the place of the result among the values
  std::byte* scratch;
  std::byte* values[max_chain_operands + max_links];

  /// So many positions further along an axis.
  void advance(std::size_t axis, Extent positions) {
    const auto* steps = tiles.steps[axis].data();
    for (std::size_t i = 0; i < count; ++i) values[i] += steps[i] * positions;
    values[result] += steps[count] * positions;
  }
};

void do_program(const ChainRun& run, const Stage& stage, Extent n) {
  Placed placed[4 * max_links];
  auto* last = placed;
  for (const auto& [action, in_scratch, repeats, place] : stage.program)
    *last++ = {action, repeats ? 0 : -1, in_scratch ? run.scratch + place : run.values[place]};
  stage.arithmetic(placed, last, n);
}
void do_tile(const ChainRun& run, const ChainTile& tile) {
  for (const auto& stage : tile.stages) {
    if (stage.arithmetic != nullptr) {
      do_program(run, stage, tile.volume);
      continue;
    }
    const void* operands[max_operands] = {};
    void* result = run.scratch + stage.laid_out;
    if (stage.laid_out != 0) {
      operands[0] = run.values[stage.link];
    } else {
      const auto& link = run.chain.links[stage.link];
      for (std::size_t k = 0; k < link.operand_count; ++k) operands[k] = run.values[link.operands[k]];
      result = run.values[run.count + stage.link];
    }
    stage.kernel.run(stage.kernel.task, operands, result, run.scratch + run.tiles.kernels_scratch);
  }
}

/// All tiles of the axes from `axis` on.
void do_tiles(ChainRun& run, const Shape& shape, std::size_t axis) {
  const auto& tiles = run.tiles;
  const auto extent = shape[axis];
  Extent begin = 0;
  if (axis < tiles.axis) {
    for (; begin < extent; ++begin) {
      do_tiles(run, shape, axis + 1);
      run.advance(axis, 1);
    }
  } else {
    for (; begin + tiles.length <= extent; begin += tiles.length) {
      do_tile(run, tiles.whole);
      run.advance(axis, tiles.length);
    }
    if (begin < extent) do_tile(run, tiles.last);
  }
  if (axis > 0) run.advance(axis, -begin);
}

Extent run_chain(const Task& task, const void* const* operands, void* result, void* scratch) {
  const auto& chain = *task.chain;
  const auto& tiles = *chain.tiles;
  const auto count = chain.operands.size();
  ChainRun run{chain, tiles, count, count + chain.links.size() - 1, static_cast<std::byte*>(scratch), {}};
  for (std::size_t i = 0; i < count; ++i) {
    run.values[i] = static_cast<std::byte*>(const_cast<void*>(operands[i]));  // nothing is stored to operands
    if (const auto room = tiles.rooms[i].repeated; room != 0)
      repeat(operands[i], chain.operands[i].element.size(), run.scratch + room);
  }
  for (std::size_t l = 0; l < tiles.buffers.size(); ++l) run.values[count + l] = run.scratch + tiles.buffers[l];
  run.values[run.result] = static_cast<std::byte*>(result);
  if (task.result.shape.rank() == 0)
    do_tile(run, tiles.whole);
  else
    do_tiles(run, task.result.shape, 0);
  return no_fault;
}

}  // namespace

void find_chain(Prepared& prepared) {
  auto& task = prepared.task;
  if (task.chain == nullptr || !covers(*task.chain, task.result)) return;
  if (task.chain->follows_product) return find_product_chain(prepared);
  auto chain = std::make_shared<Chain>(*task.chain);
  std::vector<View*> views{&task.result};
  for (auto& view : chain->operands) views.push_back(&view);
  merge_axes(std::move(views));

  auto tiles = std::make_shared<ChainTiles>();
  const auto& shape = task.result.shape;
  const auto size = widest(*chain, task.result);
  choose_tile(shape, tile_bytes / size, *tiles);
  list_steps(*chain, task.result, *tiles);
  const auto whole = tile_shape(shape, *tiles, tiles->length);
  const auto buffers = place_buffers(*chain, aligned_bytes(whole.volume() * size), *tiles);
  // Nothing else stands at 0, which says that there is no room.
  tiles->kernels_scratch = place_operands(*chain, whole, std::max(buffers, line_bytes), *tiles);
  tiles->whole = stages_of(*chain, task.result, whole, *tiles);
  if (tiles->whole.stages.empty()) return;
  if (const auto rest = shape.rank() == 0 ? 0 : shape[tiles->axis] % tiles->length; rest != 0)
    tiles->last = stages_of(*chain, task.result, tile_shape(shape, *tiles, rest), *tiles);
  std::size_t most = 0;
  for (const auto* tile : {&tiles->whole, &tiles->last})
    for (const auto& stage : tile->stages) most = std::max(most, stage.kernel.scratch_bytes);
  prepared.scratch_bytes = tiles->kernels_scratch + most;
  chain->tiles = std::move(tiles);
  task.chain = std::move(chain);
  prepared.run = run_chain;
}

}  // namespace topos::kernel
