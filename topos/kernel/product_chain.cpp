// A product and the chain that reads its result, as one task: both are the kernels that they would be by themselves.
// What it saves is the second division over threads; blocks of rows that both go through while they are near were
// tried, and cost more, in reading the right operand again, than they gained.
#include <algorithm>
#include <utility>

#include "topos/kernel/chain.h"
#include "topos/kernel/families.h"

namespace topos::kernel {

struct ProductSteps {
  Prepared product, after;
  bool beside = false;  // the product is in scratch, for its element is not the result's
  std::size_t kernels_scratch = 0;
};

namespace {

Task product_of(const Chain& chain, const View& result, bool beside) {
  Task task;
  task.kind = Kind::matmul;
  task.operand_count = 2;
  task.operands[0] = chain.operands[0];
  task.operands[1] = chain.operands[1];
  task.result = beside ? contiguous({chain.operands[0].element, result.shape}) : result;
  return task;
}
Task after_of(const Chain& chain, const View& result, const View& product) {
  auto after = std::make_shared<Chain>();
  after->operands = {product};
  after->operands.insert(after->operands.end(), chain.operands.begin() + 2, chain.operands.end());
  after->links = chain.links;
  for (auto& link : after->links)
    for (std::size_t k = 0; k < link.operand_count; ++k)
      if (link.operands[k] != 0) --link.operands[k];
  Task task;
  task.kind = Kind::chain;
  task.operand_count = after->operands.size();
  task.result = result;
  task.chain = std::move(after);
  return task;
}

Extent run_product_chain(const Task& task, const void* const* operands, void* result, void* scratch) {
  const auto& steps = *task.chain->steps;
  void* const kernels_scratch = static_cast<std::byte*>(scratch) + steps.kernels_scratch;
  void* const product = steps.beside ? scratch : result;
  const void* const factors[max_operands] = {operands[0], operands[1]};
  steps.product.run(steps.product.task, factors, product, kernels_scratch);
  const void* others[max_chain_operands] = {product};
  std::copy_n(operands + 2, task.operand_count - 2, others + 1);
  return steps.after.run(steps.after.task, others, result, kernels_scratch);
}

}  // namespace

void find_product_chain(Prepared& prepared) {
  auto& task = prepared.task;
  const auto& given = *task.chain;
  if (given.operands.size() < 2) return;
  auto steps = std::make_shared<ProductSteps>();
  steps->beside = !(given.operands[0].element == task.result.element);
  const auto product = product_of(given, task.result, steps->beside);
  steps->product = prepare(product);
  steps->after = prepare(after_of(given, task.result, product.result));
  if (steps->product.run == nullptr || steps->after.run == nullptr) return;
  if (steps->beside) {
    const TensorType type{product.result.element, product.result.shape};
    steps->kernels_scratch = (type.bytes() + 63) / 64 * 64;
  }
  prepared.scratch_bytes = steps->kernels_scratch + std::max(steps->product.scratch_bytes, steps->after.scratch_bytes);
  auto chain = std::make_shared<Chain>(given);
  chain->steps = std::move(steps);
  task.chain = std::move(chain);
  prepared.run = run_product_chain;
}

}  // namespace topos::kernel
