"""An engine in a process of its own: requests with a time-out, and a new process after a crash or a time-out.

    with Worker("interpreter", timeout=20) as worker:
        program = worker.load(text)
        results = worker.run(program, [array, Slot(0)])

One worker belongs to one thread at a time; several workers run side by side.
"""

import dataclasses
import fcntl
import os
import pathlib
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time

from judges import frames
from judges.frames import Reader

SERVER = pathlib.Path(__file__).resolve().parent.parent / "serve-stablehlo.py"
LONGEST = 3600  # seconds: a process whose client is gone does not compute for longer
PIPE_PIECE = 1 << 20


class EngineError(Exception):
    """The engine answered with an error; its text is the message."""


class EngineCrash(Exception):
    """The engine's process ended instead of answering. `code` is its exit code, negative for a signal."""

    def __init__(self, engine, code, said):
        self.engine, self.code, self.said = engine, code, said
        super().__init__(f"{engine}: the process ended with {ending(code)}" + (f": {said}" if said else ""))


class EngineTimeout(Exception):
    """The engine did not answer in time; its process was killed."""

    def __init__(self, engine, seconds):
        self.engine, self.seconds = engine, seconds
        super().__init__(f"{engine}: no answer within {seconds:g} s")


def ending(code):
    """An exit code in words, with the name of a signal."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"signal {-code}"


@dataclasses.dataclass(frozen=True)
class Slot:
    """What a numbered slot of the process holds; as a result, where it is kept."""

    number: int
    given_up: bool = False


@dataclasses.dataclass
class Program:
    """A loaded module. It is loaded again by itself when the process is a new one."""

    text: str
    number: int
    arguments: int
    results: int
    process: int


class Worker:
    """A client of serve-stablehlo.py. Every request throws EngineError, EngineCrash, EngineTimeout."""

    def __init__(self, engine, timeout=60.0, command=None):
        """engine: xla, xla-default or interpreter. timeout: seconds a request may take unless it says otherwise.
        command: the words of a resident process that takes `--engine` (default: serve-stablehlo.py)."""
        self.engine, self.timeout, self.starts = engine, timeout, 0
        self.command = command or [sys.executable, str(SERVER), "--limit", str(LONGEST)]
        self._process = self._stderr = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def load(self, text, timeout=None):
        """Compiles a module; gives its Program."""
        program = Program(text, 0, 0, 0, 0)
        self._load(program, timeout)
        return program

    def run(self, program, arguments, results=None, timeout=None):
        """Runs a program; gives the arrays of the results that are sent back.

        arguments: an array or a Slot each. results: for each frames.SEND, frames.DISCARD or the Slot that keeps it;
        all are sent back by default. Slots are lost with the process.
        """
        if program.process != self.starts or not self._alive():
            self._load(program, timeout)
        results = [frames.SEND] * program.results if results is None else results
        parts = [struct.pack("<II", program.number, len(arguments))]
        for argument in arguments:
            parts += argument_parts(argument)
        parts.append(struct.pack("<II", len(results), 0))
        for result in results:
            parts.append(struct.pack("<II", *((frames.KEEP, result.number) if isinstance(result, Slot)
                                              else (result, 0))))
        return self.request(frames.RUN, parts, timeout).tensors()

    def put(self, slot, array, timeout=None):
        """Keeps an array in a slot."""
        self.request(frames.PUT, [struct.pack("<II", slot, 0), *frames.pack(array)], timeout)

    def get(self, slot, timeout=None):
        """The array of a slot."""
        return self.request(frames.GET, [struct.pack("<II", slot, 0)], timeout).tensor()

    def drop(self, thing, timeout=None):
        """Forgets a Slot or a Program. A Program of an earlier process is gone already."""
        if isinstance(thing, Slot):
            self.request(frames.DROP, [struct.pack("<II", frames.SLOTS, thing.number)], timeout)
        elif thing.process == self.starts and self._alive():
            self.request(frames.DROP, [struct.pack("<II", frames.PROGRAMS, thing.number)], timeout)
            thing.process = 0

    def request(self, verb, parts, timeout=None):
        """Sends one request and gives a Reader of the answer's payload, whose arrays may be kept."""
        seconds = self.timeout if timeout is None else timeout
        if not 0 < seconds <= LONGEST:
            raise ValueError(f"a time-out of {seconds} s: more than 0 and at most {LONGEST} are taken")
        if not self._alive():
            self._start()
        try:
            deadline = time.monotonic() + seconds
            self._send(frames.frame(verb, parts), deadline)
            answer, length = frames.read_header(self._receive(frames.HEADER.size, deadline))
            payload = self._receive(length, deadline)
        except TimeoutError:
            self._kill()
            raise EngineTimeout(self.engine, seconds) from None
        except (EOFError, BrokenPipeError):
            raise self._crash() from None
        except BaseException:
            self._kill()  # a half-read answer must not be taken for the next one
            raise
        if answer == frames.ERROR:
            raise EngineError(Reader(payload).text())
        return Reader(payload)

    def close(self):
        """Ends the process."""
        if self._process is not None:
            self._kill()

    def _load(self, program, timeout):
        reader = self.request(frames.LOAD, [program.text.encode()], timeout)
        program.number, program.arguments, program.results = reader.numbers("III")
        program.process = self.starts

    def _alive(self):
        return self._process is not None

    def _start(self):
        self._stderr = tempfile.TemporaryFile()
        self._process = subprocess.Popen([*self.command, "--engine", self.engine], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=self._stderr, bufsize=0)
        self.starts += 1
        for stream in (self._process.stdin, self._process.stdout):
            os.set_blocking(stream.fileno(), False)
            widen(stream)

    def _send(self, pieces, deadline):
        """Throws TimeoutError, BrokenPipeError."""
        for piece in merged(pieces):
            rest = memoryview(piece).cast("B")
            while rest:
                self._wait(self._process.stdin, select.POLLOUT, deadline)
                rest = rest[self._process.stdin.write(rest[:PIPE_PIECE]) or 0:]

    def _receive(self, count, deadline):
        """`count` bytes of the answer. Throws TimeoutError, EOFError."""
        buffer, filled = bytearray(count), 0
        view = memoryview(buffer)
        while filled < count:
            self._wait(self._process.stdout, select.POLLIN, deadline)
            got = self._process.stdout.readinto(view[filled:])
            if got == 0:
                raise EOFError
            filled += got or 0
        return view

    @staticmethod
    def _wait(stream, event, deadline):
        poll = select.poll()
        poll.register(stream, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError

    def _crash(self):
        """Ends a process that closed its stream, and gives the exception that tells how it ended."""
        try:
            code = self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        said = self._last_lines()
        self._kill()
        return EngineCrash(self.engine, code, said)

    def _last_lines(self):
        """The end of what the process wrote to stderr, on one line."""
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - 4000))
        lines = [line.strip() for line in self._stderr.read().decode(errors="replace").splitlines()]
        return " | ".join([line for line in lines if line][-5:])

    def _kill(self):
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            stream.close()
        self._process = self._stderr = None


def widen(pipe):
    """Asks for a pipe that takes a large tensor in few turns; does without where that is not to be had."""
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_PIECE)
    except (AttributeError, OSError):
        pass


def argument_parts(argument):
    """The pieces that name one argument of RUN."""
    if isinstance(argument, Slot):
        return [struct.pack("<II", frames.GIVEN_UP if argument.given_up else frames.SLOT, argument.number)]
    return [struct.pack("<II", frames.INLINE, 0), *frames.pack(argument)]


def merged(pieces):
    """The pieces with short neighbours joined: one system call for a small request."""
    joined = bytearray()
    for piece in pieces:
        if memoryview(piece).nbytes <= 1 << 16:
            joined += piece
            continue
        yield joined
        yield piece
        joined = bytearray()
    yield joined
