"""StableHLO modules in MLIR's Python bindings: parse, verify, describe, serialise."""

import dataclasses
import math
import re

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, func, stablehlo
from jaxlib.mlir.passmanager import PassManager

from judges.frames import ELEMENTS, NAMES

stablehlo.register_stablehlo_passes()


class ModuleError(ValueError):
    """A module that is refused. The message begins with NAME:LINE:COLUMN where a place is known."""


@dataclasses.dataclass(frozen=True)
class Spec:
    """Shape and element of a tensor; prints as in a module's text."""

    shape: tuple
    dtype: np.dtype

    def __str__(self):
        return f"tensor<{''.join(f'{extent}x' for extent in self.shape)}{NAMES.get(self.dtype, self.dtype)}>"

    @classmethod
    def of(cls, array):
        """The Spec of an array."""
        return cls(tuple(array.shape), array.dtype)

    @property
    def bytes(self):
        """Bytes of the elements."""
        return math.prod(self.shape) * self.dtype.itemsize


def context():
    """A new context that knows the dialects of our modules."""
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)  # func, arith and others
    made = ir.Context()
    made.append_dialect_registry(registry)
    stablehlo.register_dialect(made)
    chlo.register_dialect(made)
    return made


def parse(text, name="module", within=None):
    """Parses and verifies a module. Throws ModuleError `NAME:LINE:COLUMN: message`."""
    try:
        return ir.Module.parse(text, within or context())
    except ir.MLIRError as error:
        raise ModuleError(explain(error, name)) from None


def explain(error, name):
    """The first diagnostic of an error of the bindings as one line, with its notes but for dumps of operations."""
    errors = list(error.error_diagnostics)
    if not errors:
        return f"{name}: {str(error).strip().splitlines()[-1]}"
    first = errors[0]
    notes = [note.message for note in first.notes if not note.message.startswith("see current operation")]
    return f"{place(first.location, name)}: " + "; ".join([first.message, *notes]).replace("\n", " ")


def place(location, name):
    """NAME:LINE:COLUMN of a location of the text, the name alone if it has no line."""
    found = re.fullmatch(r'loc\(".*":(\d+):(\d+)\)', str(location))
    return f"{name}:{found[1]}:{found[2]}" if found else name


def entry(module):
    """The function that is run: main, or the only one. Throws ModuleError."""
    functions = [operation for operation in module.body.operations if isinstance(operation, func.FuncOp)]
    for function in functions:
        if function.name.value == "main":
            return function
    if len(functions) == 1:
        return functions[0]
    raise ModuleError(f"the module has {len(functions)} functions and none is called main")


def spec(type_, what):
    """The Spec of a tensor type. Throws ModuleError if its shape is not fixed or its element has no dtype."""
    if isinstance(type_, ir.RankedTensorType) and type_.has_static_shape and str(type_.element_type) in ELEMENTS:
        return Spec(tuple(type_.shape), ELEMENTS[str(type_.element_type)])
    raise ModuleError(f"{what} is {type_}; only tensors of fixed shape over {', '.join(ELEMENTS)} can be handed over")


def signature(module):
    """(Specs of the arguments, Specs of the results) of the function that is run. Throws ModuleError."""
    kind = entry(module).type
    return ([spec(type_, f"argument {index}") for index, type_ in enumerate(kind.inputs)],
            [spec(type_, f"result {index}") for index, type_ in enumerate(kind.results)])


def check_arguments(given, wanted):
    """Throws ModuleError unless the Specs given are the ones wanted."""
    if len(given) != len(wanted):
        raise ModuleError(f"{len(given)} arguments given, the module takes {len(wanted)}: "
                          f"({', '.join(map(str, wanted))})")
    for index, (one, other) in enumerate(zip(given, wanted)):
        if one != other:
            raise ModuleError(f"argument {index} is {one}, the module takes {other}")


def legalize(module):
    """Replaces operations of CHLO by StableHLO's, in place."""
    run_passes(module, "func.func(chlo-legalize-to-stablehlo)")


def run_passes(module, pipeline):
    """Runs a pipeline over the module, in place. Throws ModuleError."""
    try:
        with module.context:
            PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
    except ir.MLIRError as error:
        raise ModuleError(explain(error, "module")) from None


def first_of_chlo(module, name="module"):
    """NAME:LINE:COLUMN: and the name of the first operation of CHLO, None if there is none."""
    found = []

    def visit(operation):
        if not operation.name.startswith("chlo."):
            return ir.WalkResult.ADVANCE
        found.append(f"{place(operation.location, name)}: {operation.name}")
        return ir.WalkResult.INTERRUPT

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[0] if found else None


def oldest_promised():
    """The StableHLO version of twelve weeks before this one: the oldest that artifacts are promised for."""
    return stablehlo.get_version_from_compatibility_requirement(
        stablehlo.StablehloCompatibilityRequirement.WEEK_12)


def serialise(module, version, name="module"):
    """The portable artifact for a StableHLO version. Leaves the module unusable. Throws ModuleError."""
    said = []

    def note(diagnostic):
        said.append((place(diagnostic.location, name), diagnostic.message.split(": %")[0].replace("\n", " ")))
        return True

    handler = module.context.attach_diagnostic_handler(note)
    try:
        return stablehlo.serialize_portable_artifact(module, version)
    except (ir.MLIRError, ValueError) as error:
        where, why = said[0] if said else (name, str(error).strip())
        raise ModuleError(f"{where}: no portable artifact for version {version}: {why}") from None
    finally:
        handler.detach()


def deserialise(artifact, within):
    """The module of a portable artifact. Throws ModuleError."""
    try:
        return stablehlo.deserialize_portable_artifact(within, artifact)
    except (ir.MLIRError, ValueError) as error:
        raise ModuleError(f"the portable artifact cannot be read back: {str(error).strip()}") from None


def text_of(module):
    """The module's text as MLIR prints it."""
    return module.operation.get_asm()


def round_trip(module, version, name="module"):
    """(artifact, text read back). Leaves the module unusable. Throws ModuleError."""
    artifact = serialise(module, version, name)
    return artifact, text_of(deserialise(artifact, module.context))


def check_round_trip(module, version, name="module"):
    """(artifact, text read back) if a second trip gives the first's text. Leaves the module unusable.

    Throws ModuleError. The first trip's text is not the module's own: attributes at their defaults are not written.
    """
    artifact, once = round_trip(module, version, name)
    twice = round_trip(parse(once, f"{name} (read back)", module.context), version)[1]
    if once != twice:
        raise ModuleError(f"{name}: the text read back from a portable artifact for version {version} is another "
                          "after a second trip")
    return artifact, once
