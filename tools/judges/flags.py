"""XLA's flags. It reads them once, when it starts, from TOPOS_XLA_FLAGS through engines.py."""

# Nearest to what a module says; subnormal numbers count as zero whatever the flags.
STRICT = " ".join([
    "--xla_cpu_max_isa=AVX",  # no fused multiply-add out of two operations
    "--xla_disable_hlo_passes=algsimp",  # no (x+1)-1 -> x, no x/3 -> x*(1/3)
    "--xla_cpu_enable_platform_dependent_math=false",  # no estimate for 1/sqrt
    "--xla_cpu_enable_fast_min_max=false",
    "--xla_allow_excess_precision=false",
    "--xla_cpu_use_fusion_emitters=false",  # they crash on a transposed bf16 once algsimp is off
])

# The same and compiled in less than half the time, for modules that run once.
STRICT_ONCE = " ".join([
    STRICT,
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_parallel_codegen_split_count=1",
])
