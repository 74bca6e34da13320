// A number alone is no value: only beside a value does it know its tape.
// error: Value
#include <topos/topos.h>

topos::Value shifted(const topos::Value& x) {
#ifdef BROKEN
  const topos::Value one = 1.0;
  return x + one;
#else
  return x + 1.0;
#endif
}
