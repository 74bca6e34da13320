#include "topos/plan/lowering.h"

namespace topos {
namespace {

// One overload a view; what has none is no view.
struct Viewing {
  const TensorType& operand;
  const Seen& seen;
  const TensorType& result;

  std::optional<Seen> operator()(const op::Broadcast&) const { return Seen{Shape::zeros(result.rank()), seen.offset}; }
  std::optional<Seen> operator()(const op::BroadcastAlong& o) const {
    return Seen{seen.strides.with(o.axis, 0), seen.offset};
  }
  std::optional<Seen> operator()(const op::Reshape& o) const {
    auto strides = reshaped_strides(operand.shape, seen.strides, o.shape);
    if (!strides) return std::nullopt;
    return Seen{std::move(*strides), seen.offset};
  }
  std::optional<Seen> operator()(const op::Permute& o) const {
    auto strides = seen.strides;
    for (std::size_t i = 0; i < o.order.size(); ++i) strides[i] = seen.strides.at(o.order[i]);
    return Seen{std::move(strides), seen.offset};
  }
  std::optional<Seen> operator()(const op::Narrow& o) const {
    const auto start = result.shape.volume() == 0 ? 0 : o.start * seen.strides.at(o.axis);
    return Seen{seen.strides, seen.offset + start};
  }
  std::optional<Seen> operator()(const op::Unfold& o) const {
    auto strides = seen.strides;
    const auto stride = strides.at(o.axis);
    strides[static_cast<std::size_t>(o.axis)] = stride * o.step;
    return Seen{strides.with(o.axis + 1, stride * o.dilation), seen.offset};
  }
  std::optional<Seen> operator()(const op::StopGradient&) const { return seen; }
  template <class O>
  std::optional<Seen> operator()(const O&) const {
    return std::nullopt;
  }
};

struct Describing {
  kernel::Task& task;

  bool is(kernel::Kind kind) const {
    task.kind = kind;
    return true;
  }
  bool along(kernel::Kind kind, Extent axis) const {
    task.axes = {axis};
    return is(kind);
  }
  bool operator()(const op::Compare& o) const {
    task.direction = o.direction;
    return is(kernel::Kind::compare);
  }
  bool operator()(const op::Select&) const { return is(kernel::Kind::select); }
  bool operator()(const op::Convert&) const { return is(kernel::Kind::convert); }
  bool operator()(const op::Reshape&) const { return is(kernel::Kind::copy); }
  bool operator()(const op::MatMul&) const { return is(kernel::Kind::matmul); }
  bool operator()(const op::Sum& o) const {
    task.axes = o.axes;
    return is(kernel::Kind::sum);
  }
  bool operator()(const op::Softmax& o) const { return along(kernel::Kind::softmax, o.axis); }
  bool operator()(const op::LogSoftmax& o) const { return along(kernel::Kind::log_softmax, o.axis); }
  bool operator()(const op::LogSumExp& o) const { return along(kernel::Kind::logsumexp, o.axis); }
  bool operator()(const op::MaxAlong& o) const { return along(kernel::Kind::max_along, o.axis); }
  bool operator()(const op::ArgMaxAlong& o) const { return along(kernel::Kind::argmax_along, o.axis); }
  bool operator()(const op::Fold& o) const {
    task.step = o.step;
    task.dilation = o.dilation;
    return along(kernel::Kind::fold, o.axis);
  }
  bool operator()(const op::Gather&) const { return is(kernel::Kind::gather); }
  bool operator()(const op::Scatter&) const { return is(kernel::Kind::scatter); }
  template <class O>
  bool operator()(const O&) const {
    if constexpr (requires { O::function; }) {
      task.function = O::function;
      return is(O::arity == 1 ? kernel::Kind::unary : kernel::Kind::binary);
    } else {
      return false;
    }
  }
};

}  // namespace

std::optional<Seen> view_of(const Op& op, const TensorType& operand, const Seen& seen, const TensorType& result) {
  return topos::visit(Viewing{operand, seen, result}, op);
}

bool describe_task(const Op& op, kernel::Task& task) { return topos::visit(Describing{task}, op); }

}  // namespace topos
