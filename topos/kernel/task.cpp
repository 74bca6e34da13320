#include "topos/kernel/task.h"

#include "topos/kernel/chain.h"

namespace topos::kernel {

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::unary: return "unary";
    case Kind::binary: return "binary";
    case Kind::compare: return "compare";
    case Kind::select: return "select";
    case Kind::convert: return "convert";
    case Kind::chain: return "chain";
    case Kind::copy: return "copy";
    case Kind::fill_zero: return "fill_zero";
    case Kind::matmul: return "matmul";
    case Kind::sum: return "sum";
    case Kind::softmax: return "softmax";
    case Kind::log_softmax: return "log_softmax";
    case Kind::logsumexp: return "logsumexp";
    case Kind::max_along: return "max_along";
    case Kind::argmax_along: return "argmax_along";
    case Kind::fold: return "fold";
    case Kind::gather: return "gather";
    case Kind::scatter: return "scatter";
    case Kind::window_product: return "window_product";
    case Kind::window_input_gradient: return "window_input_gradient";
    case Kind::window_kernel_gradient: return "window_kernel_gradient";
    case Kind::window_maximum: return "window_maximum";
    case Kind::window_maximum_gradient: return "window_maximum_gradient";
  }
  return "";
}

const View& operand_of(const Task& task, std::size_t operand) {
  return task.kind == Kind::chain ? task.chain->operands[operand] : task.operands[operand];
}

View contiguous(const TensorType& type) { return {type.element, type.shape, row_major_strides(type.shape)}; }

}  // namespace topos::kernel
