"""The pinned Python packages of the tools, and what to say when they are absent or have moved."""

import importlib
import importlib.metadata
import importlib.util
import pathlib
import re
import sys

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")
# What the tools import of jaxlib. It is looked for, not imported: flags must be set before.
PARTS = ["jaxlib._jax", "jaxlib.xla_client", "jaxlib.mlir.ir", "jaxlib.mlir.passmanager", "jaxlib.mlir.dialects.chlo",
         "jaxlib.mlir.dialects.func", "jaxlib.mlir.dialects.stablehlo", "jaxlib.mlir._mlir_libs._jax_mlir_ext"]
CURE = "run scripts/setup --conformance, then use build/conformance/venv/bin/python"


class ToolchainError(Exception):
    """The Python packages are not the ones that the tools were written for."""


def pins():
    """Package name -> version, as requirements.txt pins them."""
    return dict(re.findall(r"^([\w-]+)==(\S+)$", REQUIREMENTS.read_text(encoding="utf-8"), re.M))


def installed(package):
    """The version of an installed package; "none" if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def moved(what):
    """The error for something of jaxlib that is not where the pinned version has it."""
    return ToolchainError(f"jaxlib {installed('jaxlib')} lacks {what}, which jaxlib {pins()['jaxlib']} has "
                          f"(tools/judges/requirements.txt): {CURE}")


def require():
    """Ends the program with a line that says what to do if something of the packages cannot be imported."""
    tool = pathlib.Path(sys.argv[0]).name
    for package in pins():
        try:
            importlib.import_module(package)
        except ImportError as error:
            sys.exit(f"{tool}: Python package {package} {pins()[package]} is needed ({error}): {CURE}")
    for module in PARTS:
        if not importlib.util.find_spec(module):
            sys.exit(f"{tool}: {moved(module)}")
