#!/usr/bin/env python3
"""Runs makemore_mlp_emitted with resident and with shipped parameters and checks that both print the same numbers.

usage: emitted_output.py PROGRAM OPTION...

Exits with 77, for a skipped test, where the program says that the server's toolchain is not installed.
"""

import re
import subprocess
import sys

LAST_LINE = r"losses of \d+ steps apart by \d\.\d+e-\d+ at most, \d\.\d+e-\d+ on average; within the envelope of 1e-\d+"


def lines_of(command):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode == 2 and "run scripts/setup --conformance" in result.stderr:
        print(f"skipped: {result.stderr}")
        sys.exit(77)
    if result.returncode != 0 or result.stderr:
        sys.exit(f"exit code {result.returncode}: {result.stderr}\n{result.stdout}")
    # Only how long it took and where the parameters were may differ.
    return [line for line in result.stdout.splitlines() if not line.startswith(("timing: ", "the parameters "))]


def main():
    resident, shipped = lines_of(sys.argv[1:]), lines_of(sys.argv[1:] + ["--ship"])
    if len(resident) != len(shipped):
        sys.exit(f"{len(resident)} lines, with shipped parameters {len(shipped)}")
    for number, (a, b) in enumerate(zip(resident, shipped), 1):
        if a != b:
            sys.exit(f"line {number} differs when the parameters are shipped:\n{a}\n{b}")
    if not re.fullmatch(LAST_LINE, resident[-1]):
        sys.exit(f"the last line does not match {LAST_LINE}: {resident[-1]}")
    print("\n".join(resident))


if __name__ == "__main__":
    main()
