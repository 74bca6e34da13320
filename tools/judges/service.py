"""The resident process: answers framed requests on a stream with one engine, each with exactly one frame.

LOAD  text of a module                                     -> OK u32 program, u32 arguments, u32 results
PUT   u32 slot, u32 zero, tensor                           -> OK, and the slot holds the tensor
GET   u32 slot, u32 zero                                   -> OK tensor
DROP  u32 kind (0 slot, 1 program), u32 number             -> OK
RUN   u32 program, u32 n, n arguments, u32 m, u32 zero, m results -> OK tensors of the results sent back, in order
      argument  u32 kind, u32 slot: 0 a tensor follows, 1 what the slot holds, 2 that, and the slot is given up
      result    u32 kind, u32 slot: 0 sent back, 1 kept in the slot, 2 dropped
QUIT                                                       -> OK, and the process ends

A request that fails is answered with ERROR and a text; nothing has changed then, and the process goes on.
"""

import os
import signal
import struct
import sys

from judges import frames, modules, toolchain
from judges.frames import FrameError, Reader
from judges.modules import Spec


class RequestError(ValueError):
    """A request that asks for something that is not there."""


class Service:
    """Programs and slots of one engine, and the answers to requests about them."""

    def __init__(self, engine):
        self._engine = engine
        self._programs, self._slots, self._loaded = {}, {}, 0
        self._verbs = {frames.LOAD: self._load, frames.PUT: self._put, frames.GET: self._get,
                       frames.DROP: self._drop, frames.RUN: self._run, frames.QUIT: self._quit}

    def answer(self, verb, payload):
        """The pieces of the frame that answers a request."""
        try:
            if verb not in self._verbs:
                raise RequestError(f"unknown verb {verb}: LOAD is 2, PUT 3, GET 4, RUN 5, QUIT 6, DROP 7")
            return frames.frame(frames.OK, self._verbs[verb](Reader(payload)))
        except (FrameError, RequestError, modules.ModuleError, toolchain.ToolchainError) as error:
            return failure(str(error))
        except MemoryError:
            return failure("not enough memory")
        except Exception as error:  # whatever the engine throws belongs to the client
            return failure(f"{type(error).__name__}: {error}")

    def _load(self, reader):
        program = self._engine(reader.text())
        number, self._loaded = self._loaded, self._loaded + 1
        self._programs[number] = program
        return [struct.pack("<III", number, len(program.inputs), len(program.outputs))]

    def _put(self, reader):
        number = self._numbered(reader)
        array = reader.tensor()
        reader.end()
        self._slots[number] = Spec.of(array), self._engine.put(array)
        return []

    def _get(self, reader):
        number = self._numbered(reader)
        reader.end()
        return frames.pack(self._engine.get(self._slot(number)[1]))

    def _drop(self, reader):
        kind, number = reader.numbers("II")
        reader.end()
        if kind not in (frames.SLOTS, frames.PROGRAMS):
            raise RequestError(f"unknown kind {kind} of thing to drop: 0 is a slot, 1 a program")
        if kind == frames.SLOTS:
            self._held(number)
            del self._slots[number]
        else:
            self._program(number)
            del self._programs[number]
        return []

    def _run(self, reader):
        number, count = reader.numbers("II")
        program = self._program(number)
        arguments, given_up = self._arguments(reader, count, program)
        results = self._results(reader, program)
        reader.end()
        values = program.execute(arguments)
        for slot in given_up:
            del self._slots[slot]
        sent = []
        for (kind, slot), value, spec in zip(results, values, program.outputs):
            if kind == frames.KEEP:
                self._slots[slot] = spec, value
            elif kind == frames.SEND:
                sent.append(self._engine.get(value))
        return frames.pack_all(sent)

    def _quit(self, reader):
        reader.end()
        return []

    def _arguments(self, reader, count, program):
        """(values, slots given up) of a RUN. Throws ModuleError, FrameError, RequestError."""
        found, kept, given_up = [], set(), set()
        for index in range(count):
            kind, slot = reader.numbers("II")
            if kind == frames.INLINE:
                array = reader.tensor()
                found.append((Spec.of(array), array, True))
                continue
            if kind not in (frames.SLOT, frames.GIVEN_UP):
                raise RequestError(f"argument {index} is of the unknown kind {kind}")
            if slot in given_up or (kind == frames.GIVEN_UP and slot in kept):
                raise RequestError(f"argument {index} is slot {slot}, which the same run gives up elsewhere")
            (given_up if kind == frames.GIVEN_UP else kept).add(slot)
            found.append((*self._slot(slot), False))
        modules.check_arguments([spec for spec, _, _ in found], program.inputs)
        return [self._engine.put(value) if inline else value for _, value, inline in found], given_up

    @staticmethod
    def _results(reader, program):
        """(kind, slot) for each result of a RUN. Throws RequestError."""
        count, _ = reader.numbers("II")
        if count != len(program.outputs):
            raise RequestError(f"{count} results named, the module has {len(program.outputs)}")
        results = [reader.numbers("II") for _ in range(count)]
        for index, (kind, _) in enumerate(results):
            if kind not in (frames.SEND, frames.KEEP, frames.DISCARD):
                raise RequestError(f"result {index} is of the unknown kind {kind}")
        slots = [slot for kind, slot in results if kind == frames.KEEP]
        if len(set(slots)) < len(slots):
            raise RequestError(f"two results are to be kept in one slot: {slots}")
        return results

    @staticmethod
    def _numbered(reader):
        number, _ = reader.numbers("II")
        return number

    def _program(self, number):
        if number not in self._programs:
            raise RequestError(f"no program {number} is loaded")
        return self._programs[number]

    def _held(self, number):
        if number not in self._slots:
            raise RequestError(f"slot {number} holds nothing")
        return self._slots[number]

    def _slot(self, number):
        """(Spec, value) of a slot. Throws RequestError if it holds nothing that can still be read."""
        spec, value = self._held(number)
        if self._engine.is_gone(value):
            raise RequestError(f"slot {number} holds a buffer that a run was given to overwrite (donated)")
        return spec, value


def failure(text):
    """The pieces of an ERROR frame."""
    return frames.frame(frames.ERROR, [text.encode("utf-8", "replace")])


def serve(engine, limit=0):
    """Answers requests on stdin until QUIT or its end. Returns the exit code: 0, or 1 after a broken stream.

    engine: a name of engines.ENGINES. With a limit, a request that takes more seconds ends the process (SIGALRM).
    """
    source = os.fdopen(os.dup(0), "rb", buffering=0)
    sink = os.fdopen(os.dup(1), "wb", buffering=1 << 20)
    os.dup2(2, 1)  # whatever a library prints must not land between frames
    if engine == "xla-default":
        os.environ["TOPOS_XLA_FLAGS"] = ""
    from judges.engines import ENGINES  # reads the flags
    try:
        answer_all(Service(ENGINES[engine]), source, sink, limit)
    except (FrameError, BrokenPipeError) as error:
        sys.stderr.write(f"serve-stablehlo: {error}\n")
        return 1
    return 0


def answer_all(service, source, sink, limit):
    """Answers the requests of a stream up to QUIT or its end. Throws FrameError, BrokenPipeError."""
    while (request := frames.read_frame(source)) is not None:
        signal.alarm(limit)
        answer = service.answer(*request)
        signal.alarm(0)
        for piece in answer:
            sink.write(piece)
        sink.flush()
        if request[0] == frames.QUIT:
            break
