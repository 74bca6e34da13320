// Owns the tables of the elementary functions: sixteenth powers of two and logarithms of reciprocals.
#pragma once

/// Tables of elementary.h. A table has 16 entries, so that a look-up is one or two register permutations on AVX-512.
namespace topos::elementary::table {

/// 2^(i/16) rounded to double.
alignas(64) inline constexpr double power_high[16] = {
    0x1p0,
    0x1.0b5586cf9890fp0,
    0x1.172b83c7d517bp0,
    0x1.2387a6e756238p0,
    0x1.306fe0a31b715p0,
    0x1.3dea64c123422p0,
    0x1.4bfdad5362a27p0,
    0x1.5ab07dd485429p0,
    0x1.6a09e667f3bcdp0,
    0x1.7a11473eb0187p0,
    0x1.8ace5422aa0dbp0,
    0x1.9c49182a3f09p0,
    0x1.ae89f995ad3adp0,
    0x1.c199bdd85529cp0,
    0x1.d5818dcfba487p0,
    0x1.ea4afa2a490dap0,
};

/// 2^(i/16) - power_high[i] rounded to double.
alignas(64) inline constexpr double power_low[16] = {
    0.0,
    0x1.8a62e4adc610bp-54,
    -0x1.19041b9d78a76p-55,
    0x1.9b07eb6c70573p-54,
    0x1.6f46ad23182e4p-55,
    0x1.ada0911f09ebcp-55,
    0x1.d4397afec42e2p-56,
    0x1.6324c054647adp-54,
    -0x1.bdd3413b26456p-54,
    -0x1.41577ee04992fp-55,
    0x1.6e9f156864b27p-54,
    0x1.c7c46b071f2bep-56,
    0x1.7a1cd345dcc81p-54,
    0x1.11065895048ddp-55,
    0x1.2ed02d75b3707p-55,
    -0x1.e9c23179c2893p-54,
};

/// About 1/m at the middle of cell i of [0.703125, 1.40625), 11 bits wide; exactly 1 around m = 1.
alignas(64) inline constexpr double reciprocal[16] = {
    0x1.644p0, 0x1.554p0, 0x1.47cp0, 0x1.3bp0,  0x1.2f8p0, 0x1.248p0,  0x1.1a8p0, 0x1.11p0,
    0x1.084p0, 0x1p0,     0x1.e2p-1, 0x1.c7p-1, 0x1.afp-1, 0x1.998p-1, 0x1.86p-1, 0x1.748p-1,
};

/// -log(reciprocal[i]) rounded to double.
alignas(64) inline constexpr double log_reciprocal[16] = {
    -0x1.5262deeb98879p-2, -0x1.26561f133862dp-2, -0x1.fa01c3bb57cbcp-3, -0x1.a8becfc882f19p-3, -0x1.5c940075972b9p-3,
    -0x1.10f8e422539b1p-3, -0x1.9375e55595edep-4, -0x1.075983598e471p-4, -0x1.03d5d85e73eefp-5, 0.0,
    0x1.eea31c006b87cp-5,  0x1.e3707ee30487bp-4,  0x1.60b3100b09476p-3,  0x1.c97f8079d44ecp-3,  0x1.16b5ccbacfb73p-2,
    0x1.45b8c0a17df13p-2,
};

/// -log(reciprocal[i]) with the low bits cleared, so that adding a multiple of log2_high is exact.
alignas(64) inline constexpr double log_reciprocal_high[16] = {
    -0x1.5262deeb99p-2, -0x1.26561f1338p-2, -0x1.fa01c3bb58p-3, -0x1.a8becfc882p-3, -0x1.5c94007598p-3,
    -0x1.10f8e42254p-3, -0x1.9375e55594p-4, -0x1.075983599p-4,  -0x1.03d5d85e7p-5,  0.0,
    0x1.eea31c0068p-5,  0x1.e3707ee304p-4,  0x1.60b3100b0ap-3,  0x1.c97f8079d4p-3,  0x1.16b5ccbadp-2,
    0x1.45b8c0a17ep-2,
};

/// -log(reciprocal[i]) - log_reciprocal_high[i] rounded to double.
alignas(64) inline constexpr double log_reciprocal_low[16] = {
    0x1.e1b9f70894a01p-44,  -0x1.8b48866faa45fp-44,
    0x1.a1f71fae1d786p-46,  -0x1.e3185cf21b9cfp-44,
    0x1.a8d948cd23322p-44,  0x1.93b3843396307p-45,
    -0x1.eddc37380c364p-44, 0x1.b8ecfe4b59987p-44,
    -0x1.f778960ed29cfp-44, 0.0,
    0x1.c3dd83606d891p-44,  0x1.0f684e6766abdp-45,
    -0x1.71456c988f814p-44, 0x1.3b161a8c6e6c5p-45,
    -0x1.23299042d74bfp-44, -0x1.d9120e7d0a853p-47,
};

}  // namespace topos::elementary::table
