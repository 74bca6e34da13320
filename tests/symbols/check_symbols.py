#!/usr/bin/env python3
"""Looks at the object files of the library: of the mathematical library they may use fma and sqrt alone, which IEEE 754
defines to the last bit. All else there differs between versions and machines."""
import argparse
import ctypes.util
import pathlib
import subprocess
import sys

ALLOWED = {"fma", "fmaf", "sqrt", "sqrtf"}
VECTOR_MATHS = "_ZGV"  # how compilers call vector functions of the mathematical library


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"check_symbols: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def path_of_maths(compiler):
    name = ctypes.util.find_library("m") or "libm.so.6"
    path = run([compiler, f"-print-file-name={name}"]).strip()
    if not pathlib.Path(path).is_absolute():
        sys.exit(f"check_symbols: {compiler} finds no {name}")
    return path


def exported(nm, library):
    """The names that a shared library offers, without their versions."""
    lines = run([nm, "--dynamic", "--defined-only", library]).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.split()}


def undefined(nm, archive):
    """(object file, name) of all that an archive or object file needs from elsewhere."""
    file = pathlib.Path(archive).name
    for line in run([nm, "--undefined-only", archive]).splitlines():
        words = line.split()
        if len(words) == 1 and line.endswith(":"):
            file = f"{pathlib.Path(archive).name}({line[:-1]})"
        elif len(words) == 2 and words[0] in "Uw":
            yield file, words[1].split("@")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", default="nm", help="lists symbols (default: nm)")
    parser.add_argument("--compiler", default="c++", help="knows where the mathematical library is (default: c++)")
    parser.add_argument("archives", nargs="+", help="archives or object files")
    arguments = parser.parse_args()

    maths = exported(arguments.nm, path_of_maths(arguments.compiler))
    if "tanhf" not in maths or not ALLOWED <= maths:
        sys.exit("check_symbols: the names of the mathematical library were not found")
    needed = [(file, name) for archive in arguments.archives for file, name in undefined(arguments.nm, archive)]
    if not needed:
        sys.exit("check_symbols: no undefined name in any file: are these archives?")
    wrong = [(file, name) for file, name in needed
             if name in maths - ALLOWED or name.startswith(VECTOR_MATHS)]
    for file, name in wrong:
        print(f"{file} calls {name}: the bits would depend on the mathematical library")
    print(f"{len(arguments.archives)} archives, {len(needed)} undefined names, {len(wrong)} of the mathematical library")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
