// Owns the tables of the elementary functions as vectors look them up: two columns side by side. Internal.
#pragma once
#include <cstddef>

#include "topos/element/elementary.h"

namespace topos::kernel::tables {

/// Entries of two tables, alone and in pairs: short vectors load pairs, long ones keep whole columns.
template <std::size_t n>
struct Pairs {
  static constexpr std::size_t size = n;
  alignas(64) double pair[n][2];
  alignas(64) double first[n];
  alignas(64) double second[n];
};
template <std::size_t n>
constexpr Pairs<n> paired(const double (&first)[n], const double (&second)[n]) {
  Pairs<n> both{};
  for (std::size_t i = 0; i < n; ++i) {
    both.pair[i][0] = both.first[i] = first[i];
    both.pair[i][1] = both.second[i] = second[i];
  }
  return both;
}

namespace numbers = elementary::table;
inline constexpr double none[16] = {};
inline constexpr auto power = paired(numbers::power_high, numbers::power_low);
inline constexpr auto reciprocal_and_log = paired(numbers::reciprocal, numbers::log_reciprocal);
inline constexpr auto log_reciprocal = paired(numbers::log_reciprocal_high, numbers::log_reciprocal_low);
inline constexpr auto reciprocal = paired(numbers::reciprocal, none);
/// 1 / (1 + i / 16) and log(1 + i / 16).
inline constexpr double sixteenth_inverse[17] = {0x1p+0,
                                                 0x1.e1e1e1e1e1e1ep-1,
                                                 0x1.c71c71c71c71cp-1,
                                                 0x1.af286bca1af28p-1,
                                                 0x1.999999999999ap-1,
                                                 0x1.8618618618618p-1,
                                                 0x1.745d1745d1746p-1,
                                                 0x1.642c8590b2164p-1,
                                                 0x1.5555555555555p-1,
                                                 0x1.47ae147ae147bp-1,
                                                 0x1.3b13b13b13b14p-1,
                                                 0x1.2f684bda12f68p-1,
                                                 0x1.2492492492492p-1,
                                                 0x1.1a7b9611a7b96p-1,
                                                 0x1.1111111111111p-1,
                                                 0x1.0842108421084p-1,
                                                 0x1p-1};
inline constexpr double sixteenth_log[17] = {0.0,
                                             0x1.f0a30c01162a6p-5,
                                             0x1.e27076e2af2e6p-4,
                                             0x1.5ff3070a793d4p-3,
                                             0x1.c8ff7c79a9a22p-3,
                                             0x1.1675cababa60ep-2,
                                             0x1.4618bc21c5ec2p-2,
                                             0x1.739d7f6bbd007p-2,
                                             0x1.9f323ecbf984cp-2,
                                             0x1.c8ff7c79a9a22p-2,
                                             0x1.f128f5faf06edp-2,
                                             0x1.0be72e4252a83p-1,
                                             0x1.1e85f5e7040d0p-1,
                                             0x1.307d7334f10bep-1,
                                             0x1.41d8fe84672aep-1,
                                             0x1.52a2d265bc5abp-1,
                                             0x1.62e42fefa39efp-1};
inline constexpr auto sixteenth = paired(sixteenth_inverse, sixteenth_log);
/// Coefficients 2 j and 2 j + 1.
inline constexpr Pairs<16> erf_quotient[6] = {paired(numbers::erf_quotient[0], numbers::erf_quotient[1]),
                                              paired(numbers::erf_quotient[2], numbers::erf_quotient[3]),
                                              paired(numbers::erf_quotient[4], numbers::erf_quotient[5]),
                                              paired(numbers::erf_quotient[6], numbers::erf_quotient[7]),
                                              paired(numbers::erf_quotient[8], numbers::erf_quotient[9]),
                                              paired(numbers::erf_quotient[10], numbers::erf_quotient[11])};

}  // namespace topos::kernel::tables
