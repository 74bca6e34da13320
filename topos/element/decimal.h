// Owns how a number reads as text: the plain decimal of messages and the literal of emitted modules.
#pragma once

#include <cstdint>
#include <string>

#include "topos/element/bfloat16.h"

namespace topos {

/// The fewest digits that read back as the same number of the same width, never in exponent form and with no forced
/// point: `1`, `0.6397`, `-0`, `0.00001`, `100000000000000000000`, `NaN`, `inf`, `-inf`.
std::string decimal(float value);
std::string decimal(double value);
std::string decimal(BFloat16 value);
std::string decimal(std::int64_t value);

/// The same digits as a StableHLO literal, always with a point: `2.0`, `1.0e-5`, `1.5e16`. Scientific from 1e16 on and
/// below 1e-4; infinities are their bit pattern in upper-case hex, and so is every NaN as the canonical quiet one.
/// An integer prints plainly.
std::string literal(float value);
std::string literal(double value);
std::string literal(BFloat16 value);
std::string literal(std::int64_t value);

}  // namespace topos
