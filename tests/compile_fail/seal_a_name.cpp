// Sealing consumes the tape, visibly: a named tape must be moved.
// error(gcc): topos::Tape
// error(clang): into_network
#include <topos/topos.h>

#include <utility>

topos::Network seal(topos::Tape& tape) {
#ifdef BROKEN
  return tape.into_network();
#else
  return std::move(tape).into_network();
#endif
}
