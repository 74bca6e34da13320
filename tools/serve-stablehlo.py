#!/usr/bin/env python3
"""Keeps StableHLO programs and tensors in one process and answers framed requests about them.

Requests are read from stdin and each is answered by one frame on stdout; tools/judges/frames.py describes frames
and tensors, tools/judges/service.py the requests. A request that fails is answered with a text, and the process goes
on. It ends with exit code 0 at the end of its input or when asked to (QUIT), and with 1, after a line on stderr, when
the input ends inside a frame or is none. The interpreter may end the process: the client sees the end of the stream.
"""

import argparse
import sys

from judges import toolchain

EXAMPLES = """examples:
  tools/serve-stablehlo.py --engine xla                        programs are compiled by XLA, with strict flags
  tools/serve-stablehlo.py --engine interpreter                the StableHLO reference interpreter
  TOPOS_XLA_FLAGS=--xla_cpu_max_isa=AVX tools/serve-stablehlo.py     XLA with flags of your own
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=["xla", "xla-default", "interpreter"], default="xla",
                        help="who runs the programs (default xla; xla-default is XLA with its own flags)")
    parser.add_argument("--limit", type=int, default=0, metavar="SECONDS",
                        help="end the process if one request takes longer (default 0: never)")
    options = parser.parse_args()
    toolchain.require()
    from judges import service
    try:
        return service.serve(options.engine, options.limit)
    except toolchain.ToolchainError as error:
        sys.exit(f"serve-stablehlo: {error}")


if __name__ == "__main__":
    sys.exit(main())
