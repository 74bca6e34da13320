"""Compiles both halves of a twin: check_twin.py FILE FAMILY COMPILER [FLAG...]. See CMakeLists.txt for the format."""

import re
import subprocess
import sys

path, family, command = sys.argv[1], sys.argv[2], sys.argv[3:]
# An include path that a dependency already has by default would change the order of the system's own.
command = [flag for flag in command if flag not in ("-isystem/usr/include", "-I/usr/include")]


def compile_half(*flags):
    result = subprocess.run([*command, "-fsyntax-only", "-fdiagnostics-color=never", *flags, path],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode, result.stdout.decode(errors="replace")


def expected_texts():
    with open(path, encoding="utf-8") as file:
        marks = re.findall(r"^\s*// error(?:\((gcc|clang)\))?: (.*\S)\s*$", file.read(), re.M)
    return [text for only, text in marks if only in ("", family)]


texts = expected_texts()
if not texts:
    sys.exit(f"{path}: no line '// error: TEXT' for {family}")

status, output = compile_half()
if status != 0:
    sys.exit(f"the good half does not compile:\n{output}")

status, output = compile_half("-DBROKEN")
if status == 0:
    sys.exit("the broken half compiles")
errors = [line for line in output.splitlines() if re.search(r"\berror: ", line)]
first = errors[0] if errors else ""
print(f"first error line: {first}")
missing = [text for text in texts if text not in first]
if missing:
    sys.exit("the first error line lacks: " + "; ".join(missing) + "\n\n" + output[:8000])
