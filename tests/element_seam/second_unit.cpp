// Another translation unit that uses the same element.
#include "element_seam/numbers.h"

namespace seam {

topos::ElementType fixed_of_second_unit() { return topos::element_of<Fixed>(); }
topos::Tensor tensor_of_second_unit() { return topos::Tensor::from<Fixed>({2}, {Fixed{256}, Fixed{-128}}); }

}  // namespace seam
