"""What the tests of the Python tools share: where the tools are, modules to run, and running a tool."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"
sys.path.insert(0, str(TOOLS))

from judges import toolchain

toolchain.require()

GOLDENS = sorted((ROOT / "tests" / "golden" / "plates").glob("*.mlir"))

DOUBLE = """module {
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %twice = stablehlo.add %a, %a : tensor<2xf32>
    return %twice : tensor<2xf32>
  }
}
"""

# The argument may be overwritten by the result.
DONATES = DOUBLE.replace("%a: tensor<2xf32>)", "%a: tensor<2xf32> {tf.aliasing_output = 0 : i32})")

# The interpreter ends its process on batch_norm_training.
CRASHES = """module {
  func.func @main(%a: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
    %twice = stablehlo.add %a, %a : tensor<2x3xf32>
    %norm:3 = "stablehlo.batch_norm_training"(%twice, %s, %s) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64}
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %late = stablehlo.negate %norm#0 : tensor<2x3xf32>
    return %late : tensor<2x3xf32>
  }
}
"""

NEVER_ENDS = """module {
  func.func @main() -> tensor<i1> {
    %true = stablehlo.constant dense<true> : tensor<i1>
    %end = stablehlo.while(%go = %true) : tensor<i1>
      cond { stablehlo.return %go : tensor<i1> }
      do { stablehlo.return %go : tensor<i1> }
    return %end : tensor<i1>
  }
}
"""

# exp(100) is infinite in f32. XLA's default flags make exp(a + b) of the product, which is finite for b = -50.
REWRITTEN = """module {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %sum = stablehlo.add %a, %b : tensor<4xf32>
    %left = stablehlo.exponential %a : tensor<4xf32>
    %right = stablehlo.exponential %b : tensor<4xf32>
    %product = stablehlo.multiply %left, %right : tensor<4xf32>
    %late = stablehlo.negate %product : tensor<4xf32>
    return %sum, %late : tensor<4xf32>, tensor<4xf32>
  }
}
"""

# XLA's tanh of f32 is some units off in the last place; the interpreter rounds correctly, and the rest is exact.
INEXACT = """module {
  func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
    %positive = stablehlo.abs %a : tensor<64xf32>
    %tanh = stablehlo.tanh %positive : tensor<64xf32>
    %late = stablehlo.negate %tanh : tensor<64xf32>
    return %late : tensor<64xf32>
  }
}
"""


def run_tool(name, *arguments, stdin=b"", timeout=120, **environment):
    """Runs tools/NAME; the completed process has stdout and stderr as text."""
    done = subprocess.run([sys.executable, str(TOOLS / name), *map(str, arguments)], input=stdin,
                          capture_output=True, timeout=timeout, env={**os.environ, **environment})
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done
