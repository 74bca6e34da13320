#!/usr/bin/env python3
"""Parses and verifies StableHLO modules and takes each through a portable artifact and back.

Prints a line a module, in the order given: `NAME: valid, N bytes at VERSION`, or `NAME:LINE:COLUMN: message`.
The text read back from the artifact must be the same after a second trip. Exit code 1 if a module is refused, even
if it is because the parser crashed on it; 2 for a mistake on the command line.

Without --target, the version is the oldest that artifacts are promised for (twelve weeks), and modules with
operations of CHLO, which no artifact holds, are only parsed and verified. With it they are refused.
"""

import argparse
import json
import os
import pathlib
import sys

from judges import toolchain

EXAMPLES = """examples:
  tools/validate-stablehlo.py model.mlir
  topos-emit | tools/validate-stablehlo.py -
  tools/validate-stablehlo.py --target 1.0.0 --report report.json build/conformance/modules
  tools/validate-stablehlo.py --target none *.mlir
"""


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="a module, a folder of *.mlir, or - for stdin")
    parser.add_argument("--target", metavar="VERSION", help="the StableHLO version, as 1.0.0, or none: no round trip")
    parser.add_argument("--report", metavar="FILE", type=pathlib.Path,
                        help='write JSON: {file: {"valid", "message", "bytes", "trip": the text read back}}')
    parser.add_argument("--trips", metavar="DIR", type=pathlib.Path, help="write each text read back to DIR/NAME")
    parser.add_argument("--quiet", action="store_true", help="print the modules that are refused only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="processes (default: one a processor)")
    options = parser.parse_args()
    options.files = expand(parser, options.files)
    if options.jobs < 1:
        parser.error("--jobs: at least 1")
    return parser, options


def expand(parser, names):
    """The files, with those of a folder in its place."""
    files = []
    for name in names:
        if name != "-" and pathlib.Path(name).is_dir():
            found = sorted(str(path) for path in pathlib.Path(name).glob("*.mlir"))
            if not found:
                parser.error(f"{name}: no *.mlir in this folder")
            files += found
        else:
            files.append(name)
    if len(set(files)) < len(files):
        parser.error("a file is named twice")
    return files


def version(parser, target):
    """(version or None, whether CHLO is refused). Ends the program for what is no version."""
    from judges import modules
    if target is None:
        return modules.oldest_promised(), False
    if target == "none":
        return None, False
    try:
        modules.serialise(modules.parse("module {}"), target)
    except modules.ModuleError as error:
        parser.error(f"--target: {error}")
    return target, True


def prepare_trips(parser, options):
    """Makes the folder of trips. Ends the program if two files would have one name there."""
    names = [pathlib.Path(file).name for file in options.files]
    if len(set(names)) < len(names):
        parser.error("--trips: two files have the same name")
    options.trips.mkdir(parents=True, exist_ok=True)


def main():
    parser, options = read_options()
    toolchain.require()
    from judges import validation
    target, promised = version(parser, options.target)
    if options.trips:
        prepare_trips(parser, options)
    standard_input = sys.stdin.buffer.read() if "-" in options.files else b""
    report, refused = {}, 0
    for verdict in validation.validate(options.files, target, promised, standard_input, options.jobs):
        refused += not verdict.valid
        if not (options.quiet and verdict.valid):
            print(verdict.line(), flush=True)
        if options.trips and verdict.trip is not None:
            (options.trips / pathlib.Path(verdict.file).name).write_text(verdict.trip, encoding="utf-8")
        if options.report:
            report[verdict.file] = {"valid": verdict.valid, "message": verdict.message,
                                    "bytes": verdict.bytes, "trip": verdict.trip}
    if options.report:
        options.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
