// Owns the descriptions of the built-in elements for programs that do without tensors, and so without their tables.
#include "topos/element/element.h"

namespace topos {

constinit const ElementInfo f32_info{"f32", "f32", 4, ElementClass::floating, {}, nullptr};
constinit const ElementInfo f64_info{"f64", "f64", 8, ElementClass::floating, {}, nullptr};
constinit const ElementInfo bf16_info{"bf16", "bf16", 2, ElementClass::floating, {}, nullptr};
constinit const ElementInfo i64_info{"i64", "i64", 8, ElementClass::integer, {}, nullptr};
constinit const ElementInfo boolean_info{"boolean", "i1", 1, ElementClass::boolean, {}, nullptr};

}  // namespace topos
