#include "topos/kernel/product_pack.h"

namespace topos::kernel {
namespace {

constexpr Extent page = 4096;  // rows whole pages apart would share few places of a cache
constexpr Extent line = 64;

/// Numbers that the view spans, and its strides.
Extent lay_out(View& view) {
  const auto size = static_cast<Extent>(view.element.size());
  const auto rank = view.shape.rank();
  auto row = view.shape[rank - 1];
  if (row * size % page == 0) row += line / size;
  Extent next = row;
  view.strides[rank - 1] = 1;
  for (std::size_t axis = rank - 1; axis-- > 0;) {
    const bool repeats = axis + 2 < rank && view.strides[axis] == 0;
    view.strides[axis] = repeats ? 0 : next;
    if (!repeats) next *= view.shape[axis];
  }
  return next;
}

}  // namespace

View packed(const Task& product) {
  auto view = product.operands[1];
  lay_out(view);
  return view;
}

std::size_t pack_bytes(const Task& product) {
  auto view = product.operands[1];
  return static_cast<std::size_t>(lay_out(view)) * view.element.size();
}

void pack(const Task& product, const void* operand, void* out) {
  Task copy;
  copy.kind = Kind::copy;
  copy.operand_count = 1;
  copy.operands[0] = product.operands[1];
  copy.result = packed(product);
  for (std::size_t axis = 0; axis + 2 < copy.result.shape.rank(); ++axis)
    if (copy.result.strides[axis] == 0 && copy.result.shape[axis] > 1)
      copy.result.shape[axis] = copy.operands[0].shape[axis] = 1;
  const auto prepared = prepare(copy);
  const void* const operands[max_operands] = {operand};
  prepared.run(prepared.task, operands, out, nullptr);
}

}  // namespace topos::kernel
