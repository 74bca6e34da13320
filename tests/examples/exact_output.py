"""Checks that a program prints exactly a file's text: exact_output.py PROGRAM FILE."""

import pathlib
import subprocess
import sys

result = subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
if result.returncode != 0:
    sys.exit(f"exit status {result.returncode}: {result.stderr}")
expected = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
if result.stdout != expected:
    sys.exit(f"printed:\n{result.stdout}\nexpected:\n{expected}")
print(result.stdout, end="")
