// Payloads as text: one value for all, a short list of decimals, or lines of bytes. Internal.
#pragma once
#include <span>
#include <string>

#include "topos/spec/text_cursor.h"
#include "topos/tensor/tensor.h"

namespace topos {

/// `all 0.5`, `[0.5, -0.25]` or `bytes` and lines of hex digits below; without the last line's end.
void append_payload(const Tensor& payload, std::string& out);

/// The payload of `type` from the rest of the cursor's line and, for bytes, the lines after it. Throws Error(file).
Tensor read_payload(TextCursor& cursor, const TensorType& type);

}  // namespace topos
