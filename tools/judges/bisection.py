"""Finds the operation of a module at which an engine fails, or begins to differ from another."""

import dataclasses

import numpy as np

from judges import comparison, cutting
from judges.cutting import Source
from judges.worker import EngineCrash, EngineError, EngineTimeout, Worker

FAILURES = (EngineError, EngineCrash, EngineTimeout)
DEPTH = 3  # how many layers of producers a cut may take along


class Engines:
    """A worker for each engine, started when it is first asked."""

    def __init__(self, timeout):
        self._timeout, self._workers = timeout, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self._workers.values():
            worker.close()

    def load(self, engine, text):
        """Loads a module once, to see that it can be. Throws one of FAILURES."""
        worker = self._worker(engine)
        worker.drop(worker.load(text))

    def run(self, engine, text, arguments):
        """The results of a module. Throws one of FAILURES."""
        worker = self._worker(engine)
        program = worker.load(text)
        results = worker.run(program, arguments)
        worker.drop(program)
        return results

    def _worker(self, engine):
        return self._workers.setdefault(engine, Worker(engine, self._timeout))


@dataclasses.dataclass
class Finding:
    """The operation found, and the module cut down to it. `shows`: whether the cut shows the fault by itself."""

    step: cutting.Step
    text: str
    arguments: list
    shows: bool
    story: list


class Bisection:
    """One module, its arguments, the engine under suspicion and one to compare with (None: there is none)."""

    def __init__(self, engines, text, arguments, suspect, reference, bound=None, name="module"):
        self._engines, self._text, self._arguments = engines, text, arguments
        self._suspect, self._reference, self._bound = suspect, reference, bound
        self._steps = cutting.outline(text, name)

    def find_failure(self):
        """The Finding of the first operation that the suspect fails on; None if no prefix of the module fails."""
        able = [step for step in self._steps if step.results]
        low, high = 0, len(able)  # all before low pass, high is the first that is known to fail
        while low < high:
            middle = (low + high) // 2
            if self._fails(cutting.returning(self._text, able[middle].results), self._arguments):
                high = middle
            else:
                low = middle + 1
        if low == len(able):
            return None
        step = able[low]
        story = [f"{self._suspect} runs what comes before it, and fails with it"]
        text, wanted = cutting.cut(self._text, {step.index}, step.index)
        arguments = self._values(wanted, self._reference or self._suspect)
        shows = self._fails(text, arguments)
        story.append("the operation alone fails too" if shows else "the operation alone does not fail")
        return Finding(step, text, arguments, shows, story)

    def find_difference(self, index):
        """The Finding for the result with this index; None if the difference is gone when parts are run."""
        wanted = cutting.returned(self._text)[index]
        story, suspects = [], self._first_to_differ()
        if not suspects:
            story.append("with every intermediate value as a result the engines agree: "
                         "several operations are rewritten together")
            suspects = self._first_prefix_to_differ(wanted)
        for depth in range(DEPTH + 1):
            for step in suspects:
                finding = self._cut(step, depth, story)
                if finding.shows:
                    return finding
        return self._cut(suspects[0], 0, story) if suspects else None

    def _first_to_differ(self):
        """The steps with a result that differs although no operand does, each value being a result of the module."""
        exposed = [source for step in self._steps if step.operands for source in step.results]
        text = cutting.returning(self._text, exposed)
        wanted, got = (self._engines.run(engine, text, self._arguments) for engine in (self._reference, self._suspect))
        differing = {source for source, *pair in zip(exposed, got, wanted) if not self._agree(*pair)}
        return [step for step in self._steps
                if differing.intersection(step.results) and not differing.intersection(step.operands)]

    def _first_prefix_to_differ(self, wanted):
        """The first step that `wanted` depends on and that differs as the only result, as a list."""
        for index in cutting.ancestors(self._steps, [wanted]):
            step = self._steps[index]
            text = cutting.returning(self._text, step.results)
            if step.operands and step.results and self._differs(text, self._arguments):
                return [step]
        return []

    def _cut(self, step, depth, story):
        """The Finding for a step with its producers to a depth."""
        kept = cutting.with_producers(self._steps, step.index, depth)
        text, wanted = cutting.cut(self._text, kept, step.index)
        arguments = self._values(wanted, self._reference)
        shows = self._differs(text, arguments)
        taken = "the operation alone" if depth == 0 else f"the operation with {len(kept) - 1} before it"
        verdict = f"{taken}, run on {self._reference}'s values, " + ("differs" if shows else "does not differ")
        return Finding(step, text, arguments, shows, [*story, verdict])

    def _values(self, wanted, engine):
        """The values of Sources as an engine computes them."""
        computed = [source for source in wanted if source.step >= 0]
        text = cutting.returning(self._text, computed)
        found = dict(zip(computed, self._engines.run(engine, text, self._arguments))) if computed else {}
        found.update({Source(-1, number): array for number, array in enumerate(self._arguments)})
        return [found[source] for source in wanted]

    def _fails(self, text, arguments):
        """Whether the suspect fails on a module."""
        try:
            self._engines.run(self._suspect, text, arguments)
        except FAILURES:
            return True
        return False

    def _differs(self, text, arguments):
        """Whether the engines' results of a module differ."""
        wanted, got = (self._engines.run(engine, text, arguments) for engine in (self._reference, self._suspect))
        return not all(map(self._agree, got, wanted))

    def _agree(self, got, wanted):
        bound = self._bound if self._bound is not None else comparison.bound_for(got.dtype)
        bound = bound if comparison.is_float(got.dtype) else 0.0
        return comparison.measure(got, wanted, comparison.allowance(wanted, bound), flush=True).agrees


def write(prefix, finding):
    """Writes PREFIX.cut.mlir and, if it takes arguments, PREFIX.cut.npz. Gives the paths."""
    paths = [f"{prefix}.cut.mlir"]
    with open(paths[0], "w", encoding="utf-8") as stream:
        stream.write(finding.text)
    if finding.arguments:
        paths.append(f"{prefix}.cut.npz")
        np.savez(paths[1], *finding.arguments)
    return paths
