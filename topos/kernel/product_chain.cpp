// A product and the chain that reads its result: both are the kernels that they would be as steps of their own. Where
// rows of the product are many and its right operand is small, the chain follows each block of rows while it is near.
#include <algorithm>
#include <utility>

#include "topos/kernel/chain.h"
#include "topos/kernel/families.h"

namespace topos::kernel {

/// The product and the chain over some rows of the result.
struct ProductBlock {
  Prepared product, epilogue;
};
struct ProductBlocks {
  Extent rows = 0;           // of a block
  ProductBlock whole, last;  // of so many rows, and of what is left
  bool beside = false;       // the product is in scratch, for its element is not the result's
  std::size_t kernels_scratch = 0;
  std::vector<std::size_t> steps;  // bytes between blocks, by operand; behind them the result
};

namespace {

constexpr Extent block_bytes = 192 << 10;  // of a product, which stays in a cache of its processor's own
constexpr Extent right_bytes = 512 << 10;  // of a right operand that is cheap to read again for each block
constexpr Extent least_rows = 48, rows_grain = 24;

std::size_t aligned_bytes(Extent bytes) { return (static_cast<std::size_t>(bytes) + 63) / 64 * 64; }
Extent size_of(const View& view) { return static_cast<Extent>(view.element.size()); }

View some_rows(View view, Extent rows) {
  view.shape[view.shape.rank() - 2] = rows;
  return view;
}
Extent row_stride(const View& view) { return view.strides[view.strides.size() - 2]; }

/// Rows of a block; all of them where blocks would gain nothing.
Extent block_rows(const Chain& chain, const View& result) {
  const auto rank = result.shape.rank();
  const auto m = result.shape[rank - 2], n = result.shape[rank - 1];
  const auto& b = chain.operands[1];
  const bool near = b.strides[rank - 1] == 1 && b.shape.volume() * size_of(b) <= right_bytes;
  const auto rows = block_bytes / (n * size_of(b)) / rows_grain * rows_grain;
  return rank == 2 && near && rows >= least_rows && m >= 2 * rows ? rows : m;
}

Task product_of(const Chain& chain, const View& result, Extent rows, bool beside) {
  Task task;
  task.kind = Kind::matmul;
  task.operand_count = 2;
  task.operands[0] = some_rows(chain.operands[0], rows);
  task.operands[1] = chain.operands[1];
  task.result = some_rows(result, rows);
  if (beside) task.result = contiguous({chain.operands[0].element, task.result.shape});
  return task;
}
Task epilogue_of(const Chain& chain, const View& result, Extent rows, const View& product) {
  auto after = std::make_shared<Chain>();
  after->operands = {product};
  for (std::size_t i = 2; i < chain.operands.size(); ++i) after->operands.push_back(some_rows(chain.operands[i], rows));
  after->links = chain.links;
  for (auto& link : after->links)
    for (std::size_t k = 0; k < link.operand_count; ++k)
      if (link.operands[k] != 0) --link.operands[k];
  Task task;
  task.kind = Kind::chain;
  task.operand_count = after->operands.size();
  task.result = some_rows(result, rows);
  task.chain = std::move(after);
  return task;
}
/// False where a kernel is missing.
bool prepare_block(const Chain& chain, const View& result, Extent rows, bool beside, ProductBlock& block) {
  const auto product = product_of(chain, result, rows, beside);
  block.product = prepare(product);
  block.epilogue = prepare(epilogue_of(chain, result, rows, product.result));
  return block.product.run != nullptr && block.epilogue.run != nullptr;
}

Extent run_product_chain(const Task& task, const void* const* operands, void* result, void* scratch) {
  const auto& blocks = *task.chain->blocks;
  const auto count = task.operand_count;
  const void* at[max_chain_operands];
  std::copy_n(operands, count, at);
  auto* out = static_cast<std::byte*>(result);
  void* const kernels_scratch = static_cast<std::byte*>(scratch) + blocks.kernels_scratch;
  for (Extent left = task.result.shape[task.result.shape.rank() - 2]; left > 0; left -= blocks.rows) {
    const auto& block = left >= blocks.rows ? blocks.whole : blocks.last;
    const void* const factors[max_operands] = {at[0], at[1]};
    void* const product = blocks.beside ? scratch : out;
    block.product.run(block.product.task, factors, product, kernels_scratch);
    at[1] = product;  // the chain's first operand, before the others
    block.epilogue.run(block.epilogue.task, at + 1, out, kernels_scratch);
    at[1] = factors[1];
    for (std::size_t i = 0; i < count; ++i) at[i] = static_cast<const std::byte*>(at[i]) + blocks.steps[i];
    out += blocks.steps[count];
  }
  return no_fault;
}

}  // namespace

void find_product_chain(Prepared& prepared) {
  auto& task = prepared.task;
  const auto& given = *task.chain;
  if (given.operands.size() < 2 || given.operands.size() > max_chain_operands || given.links.empty()) return;
  if (task.result.shape.volume() == 0) return void(prepared.run = run_product_chain);  // nothing is run
  auto blocks = std::make_shared<ProductBlocks>();
  blocks->rows = block_rows(given, task.result);
  blocks->beside = !(given.operands[0].element == task.result.element);
  const auto m = task.result.shape[task.result.shape.rank() - 2], rest = m % blocks->rows;
  if (!prepare_block(given, task.result, blocks->rows, blocks->beside, blocks->whole)) return;
  if (rest != 0 && !prepare_block(given, task.result, rest, blocks->beside, blocks->last)) return;

  const auto step = [&](const View& view) {
    return static_cast<std::size_t>(row_stride(view) * blocks->rows * size_of(view));
  };
  for (std::size_t i = 0; i < given.operands.size(); ++i) blocks->steps.push_back(i == 1 ? 0 : step(given.operands[i]));
  blocks->steps.push_back(step(task.result));
  if (blocks->beside) {
    const auto volume = task.result.shape.volume() / m * blocks->rows;
    blocks->kernels_scratch = aligned_bytes(volume * size_of(given.operands[0]));
  }
  std::size_t most = 0;
  for (const auto* block : {&blocks->whole, &blocks->last})
    most = std::max({most, block->product.scratch_bytes, block->epilogue.scratch_bytes});
  prepared.scratch_bytes = blocks->kernels_scratch + most;
  auto chain = std::make_shared<Chain>(given);
  chain->blocks = std::move(blocks);
  task.chain = std::move(chain);
  prepared.run = run_product_chain;
}

}  // namespace topos::kernel
