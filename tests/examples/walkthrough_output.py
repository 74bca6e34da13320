#!/usr/bin/env python3
"""Checks that a program prints each of the walkthrough's golden texts, in order, as one unbroken block of lines.

usage: walkthrough_output.py PROGRAM FOLDER

A text file is compared token by token, a .mlir file character for character.
"""

import pathlib
import subprocess
import sys


def find_block(lines, golden, start, exact):
    """The line after the first block from `start` that equals the golden lines, or None."""
    same = (lambda a, b: a == b) if exact else (lambda a, b: a.split() == b.split())
    for first in range(start, len(lines) - len(golden) + 1):
        if all(same(lines[first + i], line) for i, line in enumerate(golden)):
            return first + len(golden)
    return None


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    result = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"exit code {result.returncode}: {result.stderr}")
    lines, position = result.stdout.splitlines(), 0
    goldens = sorted(folder.glob("walkthrough-*"))
    if len(goldens) != 6:
        sys.exit(f"{len(goldens)} golden texts in {folder}, expected 6")
    for path in goldens:
        golden = path.read_text(encoding="utf-8").splitlines()
        after = find_block(lines, golden, position, path.suffix == ".mlir")
        if after is None:
            sys.exit(f"no block after line {position} equals {path.name}; the output was:\n{result.stdout}")
        for neighbour in (after - len(golden) - 1, after):
            if 0 <= neighbour < len(lines) and lines[neighbour].strip():
                sys.exit(f"line {neighbour + 1} touches the block of {path.name}: {lines[neighbour]}")
        position = after
    print(f"{len(goldens)} golden texts found in {len(lines)} lines")


if __name__ == "__main__":
    main()
