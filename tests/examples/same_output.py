#!/usr/bin/env python3
"""Runs a program twice and checks that its lines are the same, but for those that tell a time.

usage: same_output.py LAST-LINE-PATTERN PROGRAM ARGUMENT...

The last line must match the pattern from its beginning to its end.
"""

import re
import subprocess
import sys


def lines_of(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"exit code {result.returncode}: {result.stderr}")
    return [line for line in result.stdout.splitlines() if not line.startswith("trained ")]


def main():
    pattern, command = sys.argv[1], sys.argv[2:]
    first, second = lines_of(command), lines_of(command)
    for number, (a, b) in enumerate(zip(first, second), 1):
        if a != b:
            sys.exit(f"line {number} differs between two runs:\n{a}\n{b}")
    if len(first) != len(second):
        sys.exit(f"{len(first)} lines, then {len(second)}")
    if not first or not re.fullmatch(pattern, first[-1]):
        sys.exit(f"the last line does not match {pattern}: {first[-1:]}")
    print(first[-1])


if __name__ == "__main__":
    main()
