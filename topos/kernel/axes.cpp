#include "topos/kernel/axes.h"

namespace topos::kernel {

void Axes::merge() {
  std::vector<Axis> merged;
  for (const auto& axis : axes_) {
    if (axis.extent == 1) continue;
    bool joins = !merged.empty();
    for (std::size_t view = 0; joins && view < axis.stride.size(); ++view)
      joins = merged.back().stride[view] == axis.stride[view] * axis.extent;
    if (joins) {
      merged.back().extent *= axis.extent;
      merged.back().stride = axis.stride;
    } else {
      merged.push_back(axis);
    }
  }
  axes_ = std::move(merged);
}

void Axes::append_to(View& view, std::size_t place) const {
  std::vector<Extent> shape(view.shape.begin(), view.shape.end());
  std::vector<Extent> strides(view.strides.begin(), view.strides.end());
  for (const auto& axis : axes_) {
    shape.push_back(axis.extent);
    strides.push_back(axis.stride[place]);
  }
  view.shape = shape;
  view.strides = strides;
}

}  // namespace topos::kernel
