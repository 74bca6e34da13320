"""Runs a program and demands its exit status: expect_exit.py STATUS [--says TEXT] PROGRAM [ARGUMENT...].

With --says its output holds the text.
"""

import subprocess
import sys

expected, command, text = int(sys.argv[1]), sys.argv[2:], ""
if command[0] == "--says":
    text, command = command[1], command[2:]
result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
output = result.stdout.decode(errors="replace")
print(output, end="")
if not output.strip():
    sys.exit("the program printed nothing")
if result.returncode != expected:
    sys.exit(f"exit status {result.returncode}, expected {expected}")
if text not in output:
    sys.exit(f"the output does not hold: {text}")
