#!/usr/bin/env python3
"""Runs one StableHLO module on several engines and says where, and by how much, their results differ.

The engines are the StableHLO reference interpreter, XLA with strict flags (xla) and XLA with its own flags
(xla-default). A .case file beside the module, or named as ARGUMENTS, gives arguments, the results that the tests
recorded, and for each element a center and a radius that every result must keep within; without it the first engine
that runs is what the others are compared with. Where XLA takes part, a subnormal number counts as zero and -0 as +0.

--bisect finds the operation: the first whose operands agree and whose result does not, or the first that an engine
fails on. It writes the module cut down to it, with its operands as arguments, as MODULE.cut.mlir and MODULE.cut.npz,
and says whether the cut module shows the fault by itself (if not, operations before it are taken along, up to three
deep).

Exit code 0 if all agree, 1 if not or if an engine fails, 2 for a mistake on the command line.
"""

import argparse
import sys

from judges import toolchain

EXAMPLES = """examples:
  tools/compare-engines.py build/conformance/modules/0123456789abcdef.mlir
  tools/compare-engines.py model.mlir arguments.npz --engines interpreter,xla
  tools/compare-engines.py model.mlir --seed 7 --bound 1e-7 --bisect
"""
ENGINES = ["interpreter", "xla", "xla-default"]


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", metavar="MODULE", help="the module's text")
    parser.add_argument("arguments", nargs="?", metavar="ARGUMENTS",
                        help=".npz, .case or a frame of tensors (default: MODULE's .case)")
    parser.add_argument("--set", metavar="NAME", help="the set of a .case file (default: its first)")
    parser.add_argument("--seed", type=int, metavar="N", help="draw the arguments")
    parser.add_argument("--engines", default=",".join(ENGINES), metavar="A,B", help=f"default {','.join(ENGINES)}")
    parser.add_argument("--bound", type=float, metavar="B",
                        help="how much of the largest element of a result a float may differ by (default: the radius "
                             "of a .case; without one 1e-12 for f64, 1e-5 f32, 2^-6 bf16, 2^-9 f16)")
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="seconds for one run (default 60)")
    parser.add_argument("--bisect", action="store_true", help="find the operation at fault")
    parser.add_argument("--output", metavar="PREFIX", help="where --bisect writes (default: MODULE without .mlir)")
    options = parser.parse_args()
    options.engines = options.engines.split(",")
    unknown = sorted(set(options.engines).difference(ENGINES))
    if unknown or len(set(options.engines)) < len(options.engines):
        parser.error(f"--engines: {', '.join(unknown) or 'one is named twice'}; there are {', '.join(ENGINES)}")
    if options.arguments and options.seed is not None:
        parser.error("ARGUMENTS and --seed exclude each other")
    if options.seed is not None and options.seed < 0:
        parser.error("--seed: a number of at least 0")
    if options.bound is not None and not options.bound >= 0:
        parser.error("--bound: a number of at least 0")
    if not 0 < options.timeout <= 3600:
        parser.error("--timeout: more than 0 seconds and at most 3600")
    return parser, options


def main():
    parser, options = read_options()
    toolchain.require()
    from judges import report
    try:
        return report.compare(options)
    except report.Mistake as mistake:
        parser.exit(2, f"compare-engines: {mistake}\n")


if __name__ == "__main__":
    sys.exit(main())
