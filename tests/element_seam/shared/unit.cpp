// A shared library that uses an element of the program's.
#include "element_seam/numbers.h"

namespace seam {

[[gnu::visibility("default")]] topos::ElementType fixed_of_shared_library() { return topos::element_of<Fixed>(); }
[[gnu::visibility("default")]] topos::Tensor tensor_of_shared_library() {
  return topos::Tensor::from<Fixed>({2}, {Fixed{256}, Fixed{-128}});
}

}  // namespace seam
