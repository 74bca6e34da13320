"""The conformance job: every recorded module parsed, verified, run by the engines and compared with our oracle.

A module is a pair of files that the tests write (frames.read_case). What is compared, and how strictly:

parser       the module parses and verifies, and its portable artifact reads back as the same text
interpreter  StableHLO's reference interpreter: bit for bit our oracle where no sum or product is in the way; bit for
             bit our oracle run in the text's own order where its numbers can be predicted; else within the radius
             round our oracle in f64; and the text that was read back gives the same bits
xla          XLA on CPU with strict flags: within the radius, and so within twice that of our oracle
"""
import json
import queue
import shutil
import subprocess
import tempfile
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from judges import bounds, frames
from judges.worker import EngineCrash, EngineError, EngineTimeout, Worker

ENGINES = ("interpreter", "xla")
PARSED = "parsed and verified"
TRIP = "its artifact reads back as the same text"
TRIP_RUN = "the text read back, bit for bit"
OURS = "our oracle, bit for bit"
ORDERED = "our oracle in the text's order, bit for bit"
NEAR_OURS = "our oracle, within both radii"
NEAR_CENTER = "the f64 evaluation, within its radius"
ANSWERED = "answers"


@dataclass
class Module:
    """A recorded module; `case` is read when it is needed, for some are large."""

    path: Path
    about: dict
    text: str

    @property
    def name(self):
        return self.path.stem

    def argument_sets(self):
        return list(frames.read_case(self.path.with_suffix(".case")).argument_sets())

    def operations(self):
        return self.text.count(" = ")


def load_modules(folder):
    """The modules of a folder, by name. Raises ValueError for a text without its case."""
    modules = {}
    for path in sorted(Path(folder).glob("*.mlir")):
        case = path.with_suffix(".case")
        if not case.exists():
            raise ValueError(f"{path}: {case.name} is missing")
        modules[path.stem] = Module(path, frames.read_case(case).json, path.read_text(encoding="utf-8"))
    return modules


@dataclass
class Findings:
    """What the judges say; filled from several threads."""

    comparisons: Counter = field(default_factory=Counter)  # (engine, against)
    misses: list = field(default_factory=list)             # (module, engine, against, text)
    skips: dict = field(default_factory=lambda: defaultdict(set))  # (engine, reason) to module names
    open_elements: Counter = field(default_factory=Counter)        # engine to numbers that nothing is known of
    elements: Counter = field(default_factory=Counter)
    margins: dict = field(default_factory=lambda: defaultdict(list))  # (engine, element) to (allowed, measured)
    judged: dict = field(default_factory=lambda: defaultdict(set))  # engine to names of modules it answered
    lock: threading.Lock = field(default_factory=threading.Lock)

    def compare(self, module, engine, against, difference, where=""):
        with self.lock:
            self.comparisons[engine, against] += 1
            if difference is not None:
                self.misses.append((module, engine, against, f"{where}{difference}"))

    def skip(self, module, engine, reason):
        with self.lock:
            self.skips[engine, reason].add(module.name)

    def left_open(self, engine, count, of):
        with self.lock:
            self.open_elements[engine] += count
            self.elements[engine] += of

    def margin(self, engine, element, margin):
        """How far a result may lie from its center, and does, to its largest element."""
        with self.lock:
            self.margins[engine, element].append(margin)

    def answered(self, module, engine):
        with self.lock:
            self.judged[engine].add(module.name)


class Job:
    """One run over a set of modules. `say` takes lines of progress."""

    def __init__(self, modules, exceptions, caps, validator, evaluator, workers=None, timeout=120.0, say=lambda _: None):
        self.modules = modules
        self.exceptions = exceptions
        self.caps = caps
        self.validator = validator
        self.evaluator = evaluator
        self.workers = workers or {"interpreter": 1, "xla": 2}
        self.timeout = timeout
        self.say = say
        self.findings = Findings()
        self.trips = {}  # by module, the text read back from its artifact

    def run(self, engines=ENGINES):
        """Judges every module. The findings are complete when it returns."""
        with tempfile.TemporaryDirectory() as folder:
            self._validate(Path(folder))
            waiting = {engine: queue.SimpleQueue() for engine in engines}
            for engine in engines:
                for module in self._admitted(engine):
                    waiting[engine].put(module)
            self._total = sum(each.qsize() for each in waiting.values())
            self._done = 0
            threads = [threading.Thread(target=self._serve, args=(engine, waiting[engine]), daemon=True)
                       for engine in engines for _ in range(self.workers[engine])]
            for thread in threads:
                thread.start()
            self._watch(threads)
        return self.findings

    # --- parsing and artifacts ---

    def _validate(self, folder):
        """By target, for the version is an argument of the validator."""
        by_target = defaultdict(list)
        for module in self.modules.values():
            by_target[module.about["target"]].append(module)
        for target, modules in by_target.items():
            self.say(f"validating {len(modules)} modules" + (f" for {target}" if target else ""))
            report = folder / "report.json"
            command = [*self.validator, *(["--target", target] if target else []), "--quiet", "--report", str(report),
                       *(str(module.path) for module in modules)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=10 * self.timeout, check=False)
            if not report.exists():
                raise RuntimeError(f"the validator {command[0]} wrote no report (exit {done.returncode}): "
                                   f"{done.stderr.strip()[-400:]}")
            said = json.loads(report.read_text(encoding="utf-8"))
            report.unlink()
            for module in modules:
                self._validated(module, said.get(str(module.path)))

    def _validated(self, module, verdict):
        if verdict is None or not verdict["valid"]:
            why = verdict["message"] if verdict else "the validator says nothing about it"
            self.findings.compare(module, "parser", PARSED, why)
            return
        self.findings.compare(module, "parser", PARSED, None)
        if verdict["trip"] is None:
            self.findings.skip(module, "parser", "chlo")
        else:
            self.findings.compare(module, "parser", TRIP, None)
            self.trips[module.name] = verdict["trip"]

    # --- who runs what ---

    def _admitted(self, engine):
        for module in self.modules.values():
            reason = self.refusal(module, engine)
            if reason is None:
                yield module
            else:
                self.findings.skip(module, engine, reason)

    def refusal(self, module, engine):
        quantity = {"multiply-adds": module.about["multiply_adds"], "operations": module.operations(),
                    "bytes": len(module.text)}
        for cap in self.caps:
            if cap.engine == engine and quantity[cap.quantity] > cap.limit:
                return cap.name
        for exception in self.exceptions:
            if exception.covers(engine, module.text):
                if exception.instead == "twin" and module.about["twin"] not in self.modules:
                    return f"{exception.name} without its twin"
                return exception.name
        return None

    def _serve(self, engine, waiting):
        with Worker(engine, self.timeout, [*self.evaluator, "--resident"]) as worker:
            while True:
                try:
                    module = waiting.get_nowait()
                except queue.Empty:
                    return
                judge(module, engine, worker, self.findings, self.trips.get(module.name))
                with self.findings.lock:
                    self._done += 1

    def _watch(self, threads):
        last = time.monotonic()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)
                if time.monotonic() - last > 10:
                    last = time.monotonic()
                    self.say(f"{self._done} of {self._total} runs, {len(self.findings.misses)} misses")


def judge(module, engine, worker, findings, trip=None):
    """Runs one module over its argument sets and compares every result; a failure of the engine is a miss."""
    try:
        sets = module.argument_sets()
        answers = _answers(worker, module.text, sets)
        findings.answered(module, engine)
        for recorded, results in zip(sets, answers):
            for k, got in enumerate(results):
                about = module.about["results"][k]
                where = f"{recorded.name} arguments, result {k} ({about['node']}): "
                compare(module, engine, about, got, recorded.results[k], findings, where, recorded.name == "recorded")
        if trip is not None and engine == "interpreter":
            again = _answers(worker, trip, sets)
            for results, repeated in zip(answers, again):
                for k, (got, want) in enumerate(zip(repeated, results)):
                    findings.compare(module, engine, TRIP_RUN, bounds.same_bits(got, want), f"result {k}: ")
    except (EngineError, EngineCrash, EngineTimeout) as failure:
        findings.compare(module, engine, ANSWERED, f"{type(failure).__name__}: {failure}")


def _answers(worker, text, sets):
    program = worker.load(text)
    answers = [worker.run(program, each.arguments) for each in sets]
    worker.drop(program)
    return answers


def compare(module, engine, about, got, want, findings, where="", plain=True):
    """One result of an engine against everything that is known of it; `plain` arguments count for the margins."""
    def say(against, difference):
        findings.compare(module, engine, against, difference, where)

    if engine == "interpreter" and not about["unpredictable"]:
        if not about["ordered"]:
            say(OURS, bounds.same_bits(got, want.ours))
        else:
            say(ORDERED, bounds.same_bits(got, want.in_text_order))
    findings.left_open(engine, bounds.open_elements(want.radius), want.radius.size)
    if got.dtype.kind in "biu" and not np.any(want.radius):
        return say(OURS, bounds.same_bits(got, want.ours))
    if np.all(np.isinf(want.radius)) and want.radius.size:
        return findings.skip(module, engine, "undecided")
    say(NEAR_CENTER, bounds.within(got, want.center, want.radius))
    margin = bounds.margin(got, want.center, want.radius)
    if margin and plain:
        findings.margin(engine, about["type"].rstrip(">").split("x")[-1].removeprefix("tensor<"), margin)
    if bounds.is_float(got.dtype):
        say(NEAR_OURS, bounds.within(got, want.ours.astype(np.float64), 2 * want.radius))


def keep(folder, misses, compare_command):
    """Copies every module that missed into `folder`, with what is known and the command that looks closer."""
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    by_module = defaultdict(list)
    for module, engine, against, text in misses:
        by_module[module.name].append((module, engine, against, text))
    for name, found in by_module.items():
        folder.mkdir(parents=True, exist_ok=True)
        module = found[0][0]
        for suffix in (".mlir", ".case"):
            shutil.copy2(module.path.with_suffix(suffix), folder / f"{name}{suffix}")
        lines = [f"test: {module.about['test']}", f"module: {module.about['title']}", ""]
        lines += [f"{engine}, {against}: {text}" for _, engine, against, text in found]
        lines += ["", f"look closer: {compare_command} {folder / (name + '.mlir')} --bisect", ""]
        (folder / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
