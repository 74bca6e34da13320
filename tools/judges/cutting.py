"""Parts of a module as modules of their own: some values as its results, or one operation with its operands."""

import dataclasses
import re

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func

from judges import modules
from judges.frames import ELEMENTS


@dataclasses.dataclass(frozen=True, order=True)
class Source:
    """Where a value of the function that is run comes from: a result of a step, or an argument (step -1)."""

    step: int
    number: int


@dataclasses.dataclass(frozen=True)
class Step:
    """One operation of that function, with the values that it and its regions read from outside."""

    index: int
    operation: str
    label: str  # `%name = operation (NAME:LINE:COLUMN)`
    results: tuple  # the Sources of its results that are tensors of fixed shape
    operands: tuple


def outline(text, name="module"):
    """The Steps of a module's function, without its return. Throws ModuleError."""
    module = modules.parse(text, name)  # lives as long as its operations are read
    block = modules.entry(module).entry_block
    known, lines = sources(block), text.splitlines()
    return [step_of(index, operation.operation, known, lines, name) for index, operation in enumerate(body(block))]


def body(block):
    """A block's operations as a list, without its last, which returns."""
    return list(block.operations)[:-1]


def sources(block):
    """Value -> Source for the block's arguments and the results of its operations."""
    known = {value: Source(-1, number) for number, value in enumerate(block.arguments)}
    for index, operation in enumerate(body(block)):
        known.update({value: Source(index, number) for number, value in enumerate(operation.operation.results)})
    return known


def step_of(index, operation, known, lines, name):
    """The Step of an operation."""
    results = tuple(known[value] for value in operation.results if can_be_handed_over(value.type))
    where = modules.place(operation.location, name)
    found = re.search(r":(\d+):\d+$", where)
    spelled = re.match(r"\s*(%[\w$.-]+)", lines[int(found[1]) - 1]) if found else None
    label = f"{spelled[1]} = {operation.name} ({where})" if spelled else f"{operation.name} ({where})"
    return Step(index, operation.name, label, results, tuple(read_by(operation, known)))


def read_by(operation, known):
    """The Sources that an operation and its regions read, each once, in order."""
    found = {}

    def visit(inner):
        found.update({known[value]: None for value in inner.operands if value in known})
        return ir.WalkResult.ADVANCE

    operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def can_be_handed_over(type_):
    """Whether a value of this type can be a result of a run."""
    return (isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
            and str(type_.element_type) in ELEMENTS)


def returning(text, wanted):
    """The text of a module with the Sources wanted as its results; what comes after the last of them is left out."""
    module = modules.parse(text)
    main = modules.entry(module)
    block = main.entry_block
    values = {source: value for value, source in sources(block).items()}
    last = max((source.step for source in wanted), default=-1)
    replace_return(module, [values[source] for source in wanted])
    for operation in reversed(body(block)[last + 1:]):
        operation.operation.erase()
    finish(module)
    return modules.text_of(module)


def cut(text, kept, target):
    """(text, Sources of its arguments) of the module of some steps, whose results are those of the step target.

    kept: indices of the steps. Steps without operands that these read, such as constants, come along.
    """
    module = modules.parse(text)
    block = modules.entry(module).entry_block
    known, operations = sources(block), body(block)
    values = {source: value for value, source in known.items()}
    arguments, kept = [], set(kept)
    for index in sorted(kept):
        for source in read_by(operations[index].operation, known):
            if source.step >= 0 and not operations[source.step].operation.operands:
                kept.add(source.step)
            elif source.step not in kept and source not in arguments:
                arguments.append(source)
    results = [value for value in operations[target].operation.results if can_be_handed_over(value.type)]
    replace_return(module, results)
    old = len(block.arguments)
    with module.context, ir.Location.unknown():
        for source in arguments:
            values[source].replace_all_uses_with(block.add_argument(values[source].type, ir.Location.unknown()))
    for index in reversed(range(len(operations))):
        if index not in kept:
            operations[index].operation.erase()
    for _ in range(old):
        block.erase_argument(0)
    finish(module)
    return modules.text_of(module), arguments


def replace_return(module, values):
    """Makes a module's function return these values."""
    *_, last = modules.entry(module).entry_block.operations
    with module.context, ir.Location.unknown(), ir.InsertionPoint(last):
        func.ReturnOp(values)
    last.operation.erase()


def finish(module):
    """Brings the type of a module's function in line with its block, without attributes of arguments and results."""
    main = modules.entry(module)
    block = main.entry_block
    *_, last = block.operations
    for name in ("arg_attrs", "res_attrs"):
        if name in main.attributes:
            del main.attributes[name]
    with module.context:
        main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(
            [value.type for value in block.arguments], [value.type for value in last.operands]))
    try:
        module.operation.verify()
    except ir.MLIRError as error:
        raise modules.ModuleError(modules.explain(error, "the part of the module")) from None


def with_producers(steps, target, depth):
    """The indices of a step and of those that it reads from, to a depth."""
    kept = {target}
    for _ in range(depth):
        kept |= {source.step for index in kept for source in steps[index].operands if source.step >= 0}
    return kept


def ancestors(steps, wanted):
    """The indices of the steps that the Sources wanted depend on, ascending."""
    found, open_ = set(), [source.step for source in wanted]
    while open_:
        index = open_.pop()
        if index >= 0 and index not in found:
            found.add(index)
            open_ += [source.step for source in steps[index].operands]
    return sorted(found)


def returned(text):
    """The Sources of the values that a module returns."""
    module = modules.parse(text)
    block = modules.entry(module).entry_block
    known = sources(block)
    *_, last = block.operations
    return [known[value] for value in last.operands]
