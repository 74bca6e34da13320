"""Runs a test of the tools in the Python that scripts/setup --conformance made; ends with 77, loudly, without it."""
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77

python = ROOT / "build" / "conformance" / "venv" / "bin" / "python"
if not python.exists():
    print(f"SKIPPED: {sys.argv[1]} needs the engines; scripts/setup --conformance installs them")
    sys.exit(SKIPPED)
os.execv(python, [str(python), *sys.argv[1:]])
