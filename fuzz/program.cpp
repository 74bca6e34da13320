// Random programs: the input chooses what is recorded; every reading of it must give the interpreter's bits.
#include <cstdio>
#include <cstdlib>

#include "support/fuzzed.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  if (const auto difference = topos::test::disagreement_of(bytes, count)) {
    std::fprintf(stderr, "%s\n", difference->c_str());
    std::abort();
  }
  return 0;
}
