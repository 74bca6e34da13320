// Reopening consumes the network, visibly: a named network must be moved.
// error(gcc): topos::Network
// error(clang): into_tape
#include <topos/topos.h>

#include <utility>

topos::Tape reopen(topos::Network& network) {
#ifdef BROKEN
  return network.into_tape();
#else
  return std::move(network).into_tape();
#endif
}
