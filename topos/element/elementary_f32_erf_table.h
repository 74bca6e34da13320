// Owns the table of the f32 error function: polynomials of erf(x) / x in sixteen intervals.
#pragma once

namespace topos::elementary::table {

/// erf(c + t) / (c + t) = sum over j of erf_quotient[j][i] * t^j, for c + t in [i/4, (i+1)/4]; c is the middle of the
/// interval, 0 in the first.
alignas(64) inline constexpr double erf_quotient[12][16] = {
    {0x1.20dd750429b6dp0, 0x1.13e08c7a16a26p0, 0x1.fe8f1614e4ebbp-1, 0x1.cacbc181f7fbdp-1, 0x1.9450bb1ec6057p-1,
     0x1.611065fc93172p-1, 0x1.3448f8704c35dp-1, 0x1.0ee12190b194ap-1, 0x1.e09a79ee7db91p-2, 0x1.aed200cd67bebp-2,
     0x1.8603df090937fp-2, 0x1.64282886fef72p-2, 0x1.47ad3ff3018a1p-2, 0x1.2f6827c1b08c7p-2, 0x1.1a7b909ae7a4ap-2,
     0x1.08420fc7a4912p-2},
    {0x1.ae18dd49fb894p-48, -0x1.09ac3c1b2b12fp-2, -0x1.7edef5d89a391p-2, -0x1.b293239599bcep-2, -0x1.ad1533f367888p-2,
     -0x1.82ad1810b6ca3p-2, -0x1.48b7c44d5257ep-2, -0x1.0e9e17d6132bap-2, -0x1.b87061646fb5ep-3, -0x1.675759c9fb4b1p-3,
     -0x1.284241dbd5d39p-3, -0x1.ef1beecc9bf67p-4, -0x1.a35763ed2ef1cp-4, -0x1.6793ed0a040bfp-4, -0x1.37b3d82995263p-4,
     -0x1.10c83ad00a3f2p-4},
    {-0x1.812746b03aaa1p-2, -0x1.276ba5c0626a9p-2, -0x1.5275c582e5a5ep-3, -0x1.4574d9b082f3p-5, 0x1.bbf4930fce79fp-5,
     0x1.ab151a796733cp-4, 0x1.df8987f775f8ep-4, 0x1.b7e9ea2ad60d3p-4, 0x1.6bfb99623dcf2p-4, 0x1.1e314dd8eeeaep-4,
     0x1.ba09e2a35a218p-5, 0x1.560bd27a01249p-5, 0x1.0bd914bd57b37p-5, 0x1.a9f5181df914ap-6, 0x1.57e94aec02073p-6,
     0x1.199374fd57372p-6},
    {0x1.49a5d52f8f6edp-35, 0x1.24d6bbb464444p-3, 0x1.671c4f2a78ddep-3, 0x1.367b5cb82f9c1p-3, 0x1.8a284b2850831p-4,
     0x1.3fc0da03d6b5ep-5, -0x1.685f0e5a9bdd7p-10, -0x1.5d2c61900c675p-6, -0x1.ae6bfd18b3d25p-6, -0x1.8349c312ca964p-6,
     -0x1.32448249523e7p-6, -0x1.cac3dca96e623p-7, -0x1.52a6a0f70d8fep-7, -0x1.f70a65d7b52e9p-8, -0x1.7b2696397a8f9p-8,
     -0x1.229a7defb6d72p-8},
    {0x1.ce2f2151cb62fp-4, 0x1.01ba55d9e4dfp-4, 0x1.d2c79450e1c4bp-10, -0x1.6f0e99092cabbp-5, -0x1.f10767cc1d07dp-5,
     -0x1.9e43d4ca367dp-5, -0x1.e76d97534fad7p-6, -0x1.6e17e71c4b506p-7, -0x1.6324964bf828bp-15, 0x1.21e01efc3660cp-8,
     0x1.4b850d0d04c47p-8, 0x1.143ef768d7bf9p-8, 0x1.9a16386a9ff19p-9, 0x1.24967765b1c1cp-9, 0x1.a01e86d052211p-10,
     0x1.2b9392a6728ep-10},
    {0x1.734ef448e5245p-26, -0x1.7d1fdd70b63d4p-5, -0x1.7ea6ec363b775p-5, -0x1.a399dc40883d7p-6, -0x1.2f7c0897147a8p-11,
     0x1.dbc14cc165583p-7, 0x1.166e31fcdce05p-6, 0x1.8b92ad8c66332p-7, 0x1.82ac17a2ec331p-8, 0x1.b23f6f0786a74p-10,
     -0x1.4fd3da3e31969p-12, -0x1.c8407ef6f6de8p-11, -0x1.ac1cef420b726p-11, -0x1.41544cad933bdp-11,
     -0x1.bfb6a779ffe88p-12, -0x1.3304d690f3de9p-12},
    {-0x1.b82e036f2fe0bp-6, -0x1.390f0a08b7befp-7, 0x1.19501fd73bc8bp-7, 0x1.1d6966425fddfp-6, 0x1.d56744c3c64cbp-7,
     0x1.6c40d72bcc8ecp-8, -0x1.a015f2f6b3da3p-10, -0x1.16753b06e27ap-8, -0x1.dc45f8542aaedp-9, -0x1.0747f766380f8p-9,
     -0x1.80ca305ed014ap-11, -0x1.89ab07c2fc921p-14, 0x1.e8e0b4e96c585p-14, 0x1.21dbae06d19d3p-13,
     0x1.c04a482523157p-14, 0x1.3327d6ee5605bp-14},
    {0x1.2e8dd35943111p-19, 0x1.65d156432650bp-7, 0x1.172f29ab84ca7p-7, 0x1.6032078b3a99cp-10, -0x1.12da4af9708c5p-8,
     -0x1.4c8c24b292554p-8, -0x1.72cb51a573249p-9, -0x1.7bfb4c114f3f7p-12, 0x1.b3531163759bdp-11, 0x1.d6a206e3bf392p-11,
     0x1.1a9353f71a1cdp-11, 0x1.c60696ea4be09p-13, 0x1.9273639111c42p-15, -0x1.660ecf3dabc6ep-17,
     -0x1.5ccec21d5436dp-16, -0x1.1a47a627433d8p-16},
    {0x1.5583975f500acp-8, 0x1.cc54cd3763414p-11, -0x1.8090d4a66bc16p-9, -0x1.ddd1e5072d58ap-9, -0x1.ac23c6158b3ap-10,
     0x1.363047d067018p-11, 0x1.6b6035b421029p-10, 0x1.f5654c14af0b7p-11, 0x1.10ee86c9190f1p-12, -0x1.0bf35ff61c991p-13,
     -0x1.9303c52cb39b9p-13, -0x1.00ef63e92aeb2p-13, -0x1.aae3cf9d29883p-15, -0x1.b5c01b65a0c5ep-17,
     0x1.cd0e57522300bp-23, 0x1.81abe98dd7a8cp-19},
    {0x1.9fd0b1cf5dfecp-15, -0x1.077c3f3bbea23p-9, -0x1.2548fee06a3dfp-10, 0x1.d1a4fb945c694p-12, 0x1.289e2ed0866f6p-10,
     0x1.77fa028221753p-11, 0x1.f9a47134d80bdp-17, -0x1.4c54ac29bb29fp-12, -0x1.0f7355eaf679dp-12,
     -0x1.726e5dabdf96p-14, 0x1.f9fea44a14c69p-17, 0x1.368998adb4f64p-15, 0x1.997b11f54112ep-16, 0x1.4b263b152fa18p-17,
     0x1.6a845a4704803p-19, 0x1.2ffb98ea44695p-23},
    {-0x1.0064602c5bde6p-10, -0x1.33f4b613eaa1p-19, 0x1.3eddfc8f193cp-11, 0x1.111fb5ca49f13p-11, 0x1.5db47c0708021p-16,
     -0x1.2f87fe226ab5p-12, -0x1.e1743683da10dp-13, -0x1.65173fd0b50e5p-15, 0x1.0737eee0b5e82p-14,
     0x1.f0265c1ba1297p-15, 0x1.8c58c1de2576ap-16, -0x1.2c9bd944a83a8p-23, -0x1.109eaacb17c4bp-17,
     -0x1.6b615fc56d355p-18, -0x1.3107127a50e88p-19, -0x1.7dca2b06ec9f1p-20},
    {0x1.7a21411f79312p-13, 0x1.4168b75fb4742p-12, 0x1.b0ea3be05a091p-14, -0x1.39040cdac772ep-13,
     -0x1.6a9272bf13369p-13, -0x1.06f3a5140a6a5p-15, 0x1.0db8dacc1c43p-14, 0x1.0ba4dfba99515p-14, 0x1.030496d0a2d7cp-16,
     -0x1.845827d0d8331p-17, -0x1.b4ff20065137dp-17, -0x1.71ccac5f14819p-18, 0x1.1def62a96f702p-20,
     0x1.27e5ee988f919p-17, 0x1.35b000308ac4cp-20, 0x1.beca149c4329fp-21},
};

}  // namespace topos::elementary::table
