"""Whether what docs/conformance.md says of the engines is still true: a small module for each line of its table."""
from pathlib import Path

from judges.worker import EngineCrash, EngineError, Worker


def check(exceptions, folder, evaluator, timeout):
    """Runs every probe; gives a text for each line that is no longer true, and how many were run.

    A probe is FOLDER/NAME.mlir, a module that matches the line's pattern if it has one. It has no arguments; where
    the table says that an engine `differs`, its results are predicates, true where the engine is right."""
    wrong = []
    for exception in exceptions:
        path = Path(folder) / f"{exception.name}.mlir"
        if not path.exists():
            wrong.append(f"{exception.name}: no probe {path}")
            continue
        text = path.read_text(encoding="utf-8")
        if exception.pattern and not exception.covers(exception.engine, text):
            wrong.append(f"{exception.name}: its probe does not match its pattern {exception.pattern.pattern}")
            continue
        outcome = _outcome(text, exception.engine, evaluator, timeout)
        if outcome != exception.outcome:
            wrong.append(f"{exception.name}: the probe {outcome}, the table says {exception.outcome}; mend the table")
    return wrong, len(exceptions)


def _outcome(text, engine, evaluator, timeout):
    with Worker(engine, timeout, [*evaluator, "--resident"]) as worker:
        try:
            results = worker.run(worker.load(text), [])
        except EngineCrash:
            return "aborts"
        except EngineError:
            return "is refused"
        return "is right" if all(result.all() for result in results) else "differs"
