"""Runs a README program and looks for the lines that the README shows: run.py PROGRAM EXPECTED.

The expected lines must appear in this order; white space counts as one blank, a line of dots stands for anything.
"""

import subprocess
import sys

result = subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
output = result.stdout.decode(errors="replace")
print(output, end="")
if result.returncode != 0:
    sys.exit(f"exit status {result.returncode}")

printed = iter(line.split() for line in output.splitlines())
with open(sys.argv[2], encoding="utf-8") as file:
    for line in file:
        words = line.split()
        if words and words != ["..."] and words not in printed:
            sys.exit(f"the output lacks, at its place: {line}")
