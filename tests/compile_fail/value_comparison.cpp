// Values have no comparison operators: what would they compare? Numbers compare by a recorded node, names as symbols.
// error(gcc): no match for
// error(clang): invalid operands to binary expression
#include <topos/topos.h>

bool same_node(const topos::Value& a, const topos::Value& b) {
#ifdef BROKEN
  return a == b;
#else
  return a.symbol() == b.symbol();
#endif
}
