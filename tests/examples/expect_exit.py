"""Runs a program and demands its exit status: expect_exit.py STATUS PROGRAM [ARGUMENT...]."""

import subprocess
import sys

expected = int(sys.argv[1])
result = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
output = result.stdout.decode(errors="replace")
print(output, end="")
if not output.strip():
    sys.exit("the program printed nothing")
if result.returncode != expected:
    sys.exit(f"exit status {result.returncode}, expected {expected}")
