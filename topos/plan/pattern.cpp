#include "topos/plan/pattern.h"

#include <fmt/format.h>

#include <ostream>

namespace topos {

std::string_view name_of(PatternKind kind) {
  switch (kind) {
    case PatternKind::window_product: return "WindowProduct";
    case PatternKind::reduce_window: return "ReduceWindow";
    case PatternKind::batch_norm_training: return "BatchNormTraining";
    case PatternKind::batch_norm_inference: return "BatchNormInference";
    case PatternKind::window_product_input_gradient: return "WindowProductInputGradient";
    case PatternKind::window_product_kernel_gradient: return "WindowProductKernelGradient";
    case PatternKind::reduce_window_gradient: return "ReduceWindowGradient";
  }
  return {};
}

std::string PatternMatch::text() const {
  return fmt::format("{} rooted at node {}, covering {} node{}", name(), root_.index(), nodes_.size(),
                     nodes_.size() == 1 ? "" : "s");
}

std::ostream& operator<<(std::ostream& out, const PatternMatch& match) { return out << match.text(); }

}  // namespace topos
