// Frames of the case files, little-endian: a header of 16 bytes, then JSON text or tensors.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "topos/tensor/tensor.h"

namespace topos::test {

/// u32 verb, u32 zero, u64 length, payload; the verb is 0.
std::string frame_of(std::string_view payload);
/// u8 dtype, u8 rank, 6 zero bytes, i64 extents, the numbers row-major, zero bytes up to a multiple of 8.
void append_tensor(const Tensor& tensor, std::string& out);

/// `"text"`, and lists of them.
std::string json_text(std::string_view text);
std::string json_list(const std::vector<std::string>& texts);

/// 16 hexadecimal digits that stand for a text.
std::string content_name(std::string_view text);

}  // namespace topos::test
