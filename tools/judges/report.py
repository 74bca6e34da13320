"""What compare-engines prints: each result of a module by each engine beside what is wanted."""

import dataclasses
import pathlib

import numpy as np

from judges import arguments as argument_files
from judges import bisection, comparison, frames, modules
from judges.bisection import FAILURES
from judges.modules import ModuleError, Spec


class Mistake(Exception):
    """Something on the command line, or in a file that it names, is not as it must be."""


@dataclasses.dataclass
class Row:
    """One line of the table: a result of an engine, or how the engine failed."""

    engine: str
    result: int | None
    difference: comparison.Difference | None = None
    size: int = 0  # elements of the result
    failure: Exception | None = None

    @property
    def agrees(self):
        """Whether the line tells of no fault."""
        return self.failure is None and self.difference.agrees


@dataclasses.dataclass
class Question:
    """A module, its arguments, and what a case file says about its results, if there is one."""

    path: pathlib.Path
    text: str
    arguments: list
    recorded: list | None
    unpredictable: list


def compare(options):
    """Prints the table and what --bisect finds; gives the exit code. Throws Mistake."""
    path = pathlib.Path(options.module)
    text = read(path)
    with bisection.Engines(options.timeout) as engines:
        try:
            engines.load("interpreter", text)  # in another process first: the module may crash the parser
        except FAILURES as failure:
            print(f"{path}: {failure}")
            return 1
        question = ask(path, text, options)
        outcomes = {engine: attempt(engines, engine, question) for engine in options.engines}
        rows = judge(question, outcomes, options.bound)
        print_table(rows)
        faults = [row for row in rows if not row.agrees]
        print(summary(question, rows, faults))
        if faults and options.bisect:
            bisect(engines, question, faults, outcomes, options)
        return 1 if faults else 0


def read(path):
    """The module's text. Throws Mistake."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Mistake(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Mistake(f"{path}: not UTF-8 at byte {error.start}") from None


def ask(path, text, options):
    """The Question that the options put. Throws Mistake."""
    specs, _ = modules.signature(modules.parse(text))
    beside = path.with_suffix(".case")
    source = options.arguments
    if source is None and options.seed is None and beside.exists():
        source = beside
    try:
        if source is not None and pathlib.Path(source).suffix == ".case":
            case = frames.read_case(source)
            chosen = argument_files.pick_set(case, options.set)
            question = Question(path, text, chosen.arguments, chosen.results,
                                [result.get("unpredictable", [""]) for result in case.results])
        elif source is not None:
            question = Question(path, text, argument_files.load(source, specs), None, [])
        elif options.seed is not None or not specs:
            question = Question(path, text, argument_files.draw(specs, options.seed), None, [])
        else:
            raise Mistake(f"{path} takes {len(specs)} arguments ({', '.join(map(str, specs))}) and {beside.name} is "
                          "not beside it: name a file with them, or draw them with --seed N")
        modules.check_arguments([Spec.of(array) for array in question.arguments], specs)
    except (argument_files.ArgumentsError, frames.FrameError, ModuleError) as error:
        raise Mistake(str(error)) from None
    except OSError as error:
        raise Mistake(f"{source}: cannot be read: {error.strerror}") from None
    return question


def attempt(engines, engine, question):
    """An engine's results, or the exception that tells how it failed."""
    try:
        return engines.run(engine, question.text, question.arguments)
    except FAILURES as failure:
        return failure


def judge(question, outcomes, bound):
    """The Rows of the table."""
    if question.recorded is not None:
        outcomes = {"recorded": [result.ours for result in question.recorded], **outcomes}
    ran = [engine for engine, outcome in outcomes.items() if not isinstance(outcome, Exception)]
    rows = []
    for engine, outcome in outcomes.items():
        if isinstance(outcome, Exception):
            rows.append(Row(engine, None, failure=outcome))
            continue
        for index, got in enumerate(outcome):
            wanted, allowed = expectation(question, outcomes, ran, index, bound)
            flush = "xla" in engine or (question.recorded is None and "xla" in ran[0])
            rows.append(Row(engine, index, comparison.measure(got, wanted, allowed, flush), got.size))
        if engine == "interpreter" and question.recorded is not None:
            rows += exact_rows(question, outcome)
    return sorted(rows, key=lambda row: -1 if row.result is None else row.result)


def expectation(question, outcomes, ran, index, bound):
    """(what is wanted of a result, the absolute bounds) by the case file, or else by the first engine that ran."""
    if question.recorded is not None:
        wanted = question.recorded[index].center
        if bound is None:
            return wanted, question.recorded[index].radius
        dtype = question.recorded[index].ours.dtype
    else:
        wanted = outcomes[ran[0]][index]
        dtype = wanted.dtype
        bound = comparison.bound_for(dtype) if bound is None else bound
    return wanted, comparison.allowance(wanted, bound if comparison.is_float(dtype) else 0.0)


def exact_rows(question, outcome):
    """Rows for the results that the interpreter must give bit for bit as evaluated in the text's order."""
    for index, got in enumerate(outcome):
        if not question.unpredictable[index]:
            wanted = question.recorded[index].in_text_order
            differs = ~comparison.same_bits(got, wanted)
            difference = comparison.measure(got, wanted, np.where(differs, -1.0, np.inf))
            yield Row("interpreter (bits)", index, difference, got.size)


def print_table(rows):
    """Prints the Rows as a table with aligned columns."""
    lines = [("result", "engine", "verdict", "absolute", "relative", "ulps", "first at", "got", "wanted")]
    lines += [cells(row) for row in rows]
    widths = [max(len(line[column]) for line in lines if len(line) > 3 or column < 2)
              for column in range(len(lines[0]))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def cells(row):
    """The cells of a Row."""
    if row.failure is not None:
        return "all", row.engine, f"FAILS: {row.failure}"
    found = row.difference
    head = str(row.result), row.engine, "agrees" if found.agrees else "DIFFERS"
    if found.index is None:
        return *head, "0", "0", "0", "", "", ""
    return (*head, f"{found.absolute:.3g}", f"{found.relative:.3g}", "" if found.ulps is None else str(found.ulps),
            str(list(found.index)), str(found.got), str(found.wanted))


def summary(question, rows, faults):
    """One line: all agree, or the first fault and how far it goes."""
    if not faults:
        engines = list(dict.fromkeys(row.engine for row in rows if row.engine != "interpreter (bits)"))
        return f"{question.path}: {', '.join(engines)} agree" if len(engines) > 1 else f"{question.path}: it runs"
    first = faults[0]
    if first.failure is not None:
        return f"{question.path}: {first.engine} fails"
    found = first.difference
    if first.engine.endswith("(bits)"):
        how_far = "not the bits of the text's order"
    elif np.isinf(found.excess):
        how_far = "beyond its bound, without limit"
    else:
        how_far = f"beyond its bound, by up to a factor of {found.excess:.3g}"
    return (f"{question.path}: result {first.result} of {first.engine} is the first that differs: "
            f"{found.beyond} of {first.size} elements {how_far}; at {list(found.index)} it is {found.got}, "
            f"wanted {found.wanted}")


def pick_reference(suspect, faults, outcomes):
    """An engine to compare the suspect with: one without faults, or else one that runs; None if there is none."""
    others = [engine for engine, outcome in outcomes.items()
              if engine != suspect and not isinstance(outcome, Exception)]
    faulty = {row.engine for row in faults}
    return next((engine for engine in others if engine not in faulty), others[0] if others else None)


def bisect(engines, question, faults, outcomes, options):
    """Finds the operation behind the first fault, writes the module cut down to it and tells about it."""
    fault = next((row for row in faults if row.engine != "recorded"), None)
    if fault is None:
        print("bisect: only the recorded results differ; no engine is to be blamed")
        return
    suspect = fault.engine.removesuffix(" (bits)")
    reference = pick_reference(suspect, faults, outcomes)
    if fault.failure is None and reference is None:
        print(f"bisect: there is no engine to compare {suspect} with")
        return
    search = bisection.Bisection(engines, question.text, question.arguments, suspect, reference, options.bound,
                                 question.path.name)
    try:
        finding = search.find_failure() if fault.failure is not None else search.find_difference(fault.result)
    except (*FAILURES, ModuleError) as error:
        print(f"bisect: given up, since a part of the module does not run: {error}")
        return
    if finding is None:
        print(f"bisect: no part of the module shows what {suspect} does")
        return
    prefix = options.output or str(question.path.with_suffix(""))
    paths = bisection.write(prefix, finding)
    print(f"bisect: {finding.step.label}", *(f"  {line}" for line in finding.story),
          f"  written: {', '.join(paths)}", sep="\n")
