// Any bytes as a network's text: from_text throws an Error of the file, or gives a network whose text reads back.
#include <cstdint>
#include <string_view>

#include "topos/topos.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text;
  try {
    const auto network = topos::from_text({reinterpret_cast<const char*>(data), size});
    topos::verify(network);
    text = topos::to_text(network);
  } catch (const topos::Error& error) {
    if (error.kind() != topos::ErrorKind::file || error.operation() != "load") __builtin_trap();
    return 0;
  }
  // Outside of the handler: an error here is a finding.
  if (topos::to_text(topos::from_text(text)) != text) __builtin_trap();
  return 0;
}
