// Owns the table of the f32 trigonometric functions: 1/pi in pieces for every range of exponents.
#pragma once

/// Cell i is for |x| in [2^(15+8i), 2^(23+8i)), cell 0 for everything below: the four pieces add up to 2^(8i) / pi
/// without the multiples of 2^9, which are even multiples of pi for every such x. The first three have at most 29 bits,
/// so that their product with a float is exact.
namespace topos::elementary::table {

alignas(64) inline constexpr double inverse_pi_0[16] = {0x1.45f3p-2,    0x1.45f306cp6,  -0x1.067c91cp7, 0x1.836e4e4p7,
                                                        -0x1.236377cp6, -0x1.b1bbeaep7, -0x1.bbead6p7,  0x1.529fc2p3,
                                                        0x1.29fc276p7,  0x1.fc2757ep7,  0x1.3abe9p4,    -0x1.505c158p6,
                                                        -0x1.705659p4,  0x1.f534ddcp7,  0x1.34ddc0ep7,  0.0};
alignas(64) inline constexpr double inverse_pi_1[16] = {
    0x1.b72722p-24,   0x1.c9c882ap-22,  0x1.c882a54p-22,  0x1.054a7fp-23,
    -0x1.5ac07b2p-22, 0x1.3f84ebp-22,   -0x1.ec5417p-24,  0x1.d5f47d4p-23,
    -0x1.05c1596p-22, -0x1.c159644p-22, -0x1.596447ep-22, -0x1.6447e4ap-22,
    -0x1.1f924e8p-24, 0x1.b6c52cp-26,   -0x1.275a99cp-23, 0.0};
alignas(64) inline constexpr double inverse_pi_2[16] = {
    0x1.529fc28p-53, 0x1.4fe13acp-52,  -0x1.ec5418p-56,  0x1.3abe8fcp-52,
    0x1.5f47d4ep-51, -0x1.705659p-52,  -0x1.596448p-54,  0x1.a6ee06cp-52,
    -0x1.11f925p-52, -0x1.f924eb4p-52, -0x1.24eb534p-52, 0x1.8a5665p-51,
    -0x1.a99b0fp-51, -0x1.9b0ef1cp-51, 0x1.e21c82p-52,   0.0};
alignas(64) inline constexpr double inverse_pi_3[16] = {
    -0x1.505c1596447e5p-82, -0x1.70565911f924fp-84, 0x1.f534ddc0db629p-81, -0x1.65911f924eb53p-80,
    -0x1.911f924eb5336p-80, -0x1.1f924eb53361ep-80, 0x1.b6c52b3278872p-82, 0x1.b14acc9e21c82p-80,
    0x1.4acc9e21c821p-80,   -0x1.3361de37df00dp-80, 0x1.3c439041fe516p-81, -0x1.de37df00d74e3p-80,
    0x1.c820ff28b1d5fp-80,  0x1.07f9458eaf7afp-83,  0x1.fe5163abdebbcp-81, 0.0};

}  // namespace topos::elementary::table
