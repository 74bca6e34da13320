// A network as text that reads back: structure, payloads, labels and recording sites. The format: docs/spec_text.md.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "topos/spec/network.h"

namespace topos {

/// The whole network as text: `from_text` gives one that describes, runs and prints the same, to the bit. Throws
/// Error(file) for what the format has no room for: a tensor of more than 256 axes, a line of more than 2^24 bytes.
std::string to_text(const Network& network);

/// The network that `to_text` wrote, of a new family. `elements` are those that the text may name beside the library's
/// own and those in use already. Throws Error(file) that names the line, the piece at fault and what was expected
/// there; what it builds never takes more memory than a multiple of the text's.
Network from_text(std::string_view text, const std::vector<ElementType>& elements = {});

/// Writes `to_text` to a file, whole or not at all: a failure leaves what was there before. A
/// std::filesystem::path is a path too. Throws Error(file).
void save(const Network& network, const std::string& path);

/// Reads what `save` wrote. Throws Error(file), as `from_text` does and for a file that cannot be read.
Network load(const std::string& path, const std::vector<ElementType>& elements = {});

}  // namespace topos
