"""Many modules parsed, verified and round-tripped in child processes: a crash costs its module, not the others."""

import dataclasses
import json
import os
import pathlib
import signal
import tempfile

from judges import modules
from judges.worker import ending

SECONDS = 60  # for one module; a parser that does not end is a crash


@dataclasses.dataclass
class Verdict:
    """What came of one module."""

    file: str
    valid: bool
    message: str
    bytes: int | None = None
    trip: str | None = None

    def line(self):
        """One line: `NAME: valid, ...`, or the message, which begins with NAME."""
        return f"{self.file}: {self.message}" if self.valid else self.message


def read(file, standard_input):
    """A module's text. Throws ModuleError."""
    try:
        data = standard_input if file == "-" else pathlib.Path(file).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise modules.ModuleError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise modules.ModuleError(f"{file}: not UTF-8 at byte {error.start}") from None


def judge(file, text, target, promised, context):
    """The Verdict on one module. target: a version or None; promised: whether CHLO is refused for it."""
    module = modules.parse(text, file, context)
    if target is None:
        return Verdict(file, True, "valid")
    chlo = modules.first_of_chlo(module, file)
    if chlo and promised:
        raise modules.ModuleError(f"{chlo}: no portable artifact for version {target} holds operations of CHLO")
    if chlo:
        return Verdict(file, True, "valid, not serialised: it has operations of CHLO")
    artifact, trip = modules.check_round_trip(module, target, file)
    return Verdict(file, True, f"valid, {len(artifact)} bytes at {target}", len(artifact), trip)


def judge_all(files, target, promised, standard_input, sink):
    """Writes a line of JSON for each file to sink as soon as it is judged."""
    context = modules.context()  # one for all: nearly twice as fast as one for each
    for file in files:
        signal.alarm(SECONDS)
        try:
            verdict = judge(file, read(file, standard_input), target, promised, context)
        except modules.ModuleError as error:
            verdict = Verdict(file, False, str(error))
        signal.alarm(0)
        sink.write(json.dumps(dataclasses.asdict(verdict)) + "\n")
        sink.flush()


class Child:
    """A forked process that judges files; `source` gives its lines."""

    def __init__(self, files, *how):
        self.files, self.verdicts = files, []
        self._said = tempfile.TemporaryFile()
        end, start = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.dup2(self._said.fileno(), 2)
                with open(start, "w", encoding="utf-8") as sink:
                    judge_all(files, *how, sink)
            except BaseException as error:
                os.write(2, f"{type(error).__name__}: {error}\n".encode())
                os._exit(1)
            os._exit(0)
        os.close(start)
        self.source = open(end, encoding="utf-8")

    def finish(self):
        """Reads to the end; gives the files that are left after one that ended the process."""
        with self.source:
            for line in self.source:
                if line.endswith("\n"):  # a line cut short belongs to the file that ended the process
                    self.verdicts.append(Verdict(**json.loads(line)))
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        left = self.files[len(self.verdicts):]
        if left:
            self._said.seek(0)
            said = self._said.read().decode(errors="replace").strip().splitlines()
            self.verdicts.append(Verdict(left[0], False, f"{left[0]}: the parser's process ended with {ending(code)}"
                                         + "".join(f": {line.strip()}" for line in said[:1])))
        self._said.close()
        return left[1:]


def validate(files, target, promised, standard_input=b"", jobs=1):
    """Yields the Verdicts in the order of the files. target: a version, None for no round trip."""
    size = max(1, min(200, -(-len(files) // jobs)))
    chunks = [files[start:start + size] for start in range(0, len(files), size)]
    how = target, promised, standard_input
    running = [Child(chunk, *how) for chunk in chunks[:jobs]]
    waiting = chunks[jobs:]
    while running:
        child = running.pop(0)
        left = child.finish()
        yield from child.verdicts
        if left:
            running.insert(0, Child(left, *how))
        elif waiting:
            running.append(Child(waiting.pop(0), *how))
