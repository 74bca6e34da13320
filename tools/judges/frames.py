"""Frames, tensors and case files: how the tools and the tests hand tensors to each other. All little-endian.

frame    u32 verb, u32 zero, u64 length, then `length` bytes of payload
tensor   u8 dtype, u8 rank, 6 zero bytes, i64 extents[rank], elements row-major (i1: a byte each),
         zero bytes up to a multiple of 8
text     UTF-8, no terminator
case     a frame with JSON text, then a frame of tensors for each set of arguments: the arguments, and for
         each result ours, in_text_order, center and radius
"""

import dataclasses
import json
import math
import pathlib
import struct

import ml_dtypes
import numpy as np

OK, ERROR, LOAD, PUT, GET, RUN, QUIT, DROP = range(8)
INLINE, SLOT, GIVEN_UP = range(3)  # how RUN names an argument
SEND, KEEP, DISCARD = range(3)  # and what becomes of a result
SLOTS, PROGRAMS = range(2)  # what DROP drops

ELEMENTS = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8), "i16": np.dtype(np.int16), "i32": np.dtype(np.int32), "i64": np.dtype(np.int64),
    "ui8": np.dtype(np.uint8), "ui16": np.dtype(np.uint16), "ui32": np.dtype(np.uint32), "ui64": np.dtype(np.uint64),
    "bf16": np.dtype(ml_dtypes.bfloat16), "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32), "f64": np.dtype(np.float64),
}
NAMES = {dtype: name for name, dtype in ELEMENTS.items()}
DTYPES = dict(enumerate(ELEMENTS.values(), 1))
CODES = {dtype: code for code, dtype in DTYPES.items()}

HEADER = struct.Struct("<IIQ")
LONGEST = 1 << 34  # a longer frame is taken for a stream that is out of step
PIECE = 1 << 26  # memory is taken as bytes arrive, not as a header promises them


class FrameError(ValueError):
    """Bytes that are not what the format says; the message names what is wrong."""


class TruncatedError(FrameError):
    """A stream or payload that ends inside a frame or tensor."""


def read_exactly(stream, count):
    """`count` bytes of a raw or buffered stream as a memoryview, fewer only if the stream ends."""
    buffer, filled = bytearray(min(count, PIECE)), 0
    while filled < count:
        if filled == len(buffer):
            buffer.extend(bytes(min(count - filled, PIECE)))
        with memoryview(buffer) as view:
            got = stream.readinto(view[filled:])
        if not got:
            break
        filled += got
    return memoryview(buffer)[:filled]


def read_header(data):
    """(verb, length) of the 16 bytes before a payload. Throws FrameError if they cannot be a header."""
    verb, zero, length = HEADER.unpack(data)
    if zero:
        raise FrameError(f"not a frame: its second word is {zero}, not 0")
    if length > LONGEST:
        raise FrameError(f"a frame of {length} bytes; at most {LONGEST} are taken")
    return verb, length


def read_frame(stream):
    """The next (verb, payload) of a stream, None at its end. Throws FrameError, TruncatedError."""
    header = read_exactly(stream, HEADER.size)
    if not header:
        return None
    if len(header) < HEADER.size:
        raise TruncatedError(f"the stream ends inside a frame's header, after {len(header)} of {HEADER.size} bytes")
    verb, length = read_header(header)
    payload = read_exactly(stream, length)
    if len(payload) < length:
        raise TruncatedError(f"the stream ends inside a frame, after {len(payload)} of {length} bytes")
    return verb, payload


def frame(verb, parts=()):
    """The pieces of a frame whose payload is the concatenation of parts."""
    return [HEADER.pack(verb, 0, sum(memoryview(part).nbytes for part in parts)), *parts]


def write_frame(stream, verb, parts=()):
    """Writes one frame and flushes the stream."""
    for part in frame(verb, parts):
        stream.write(part)
    stream.flush()


def pack(array):
    """An array as the pieces of a tensor; contiguous elements are not copied. Throws FrameError."""
    array = np.asarray(array, order="C")
    if array.dtype not in CODES:
        raise FrameError(f"no tensor has elements of numpy's {array.dtype}: {', '.join(ELEMENTS)}")
    head = struct.pack(f"<BB6x{array.ndim}q", CODES[array.dtype], array.ndim, *array.shape)
    return [head, array.reshape(-1).view(np.uint8).data, bytes(-array.nbytes % 8)]


def pack_all(arrays):
    """The pieces of several tensors one after the other."""
    return [part for array in arrays for part in pack(array)]


class Reader:
    """Takes values off a payload, in order. A payload that is too short is a TruncatedError."""

    def __init__(self, payload):
        self.payload, self.position = memoryview(payload), 0

    def take(self, count):
        """The next `count` bytes."""
        if count > len(self.payload) - self.position:
            raise TruncatedError(f"the payload has {len(self.payload)} bytes, {self.position + count} are needed")
        self.position += count
        return self.payload[self.position - count:self.position]

    def numbers(self, layout):
        """Numbers laid out as the struct module's letters say."""
        layout = struct.Struct("<" + layout)
        return layout.unpack(self.take(layout.size))

    def tensor(self):
        """The next tensor, as an array that reads the payload in place. Throws FrameError."""
        code, rank, padding = self.numbers("BB6s")
        if code not in DTYPES:
            raise FrameError(f"unknown dtype code {code}: 1 to {len(DTYPES)} are {', '.join(ELEMENTS)}")
        if any(padding):
            raise FrameError("not a tensor: bytes 2 to 7 are not zero")
        shape = self.numbers(f"{rank}q")
        if any(extent < 0 for extent in shape):
            raise FrameError(f"a negative extent in {list(shape)}")
        size = math.prod(shape) * DTYPES[code].itemsize
        data = self.take(size)
        self.take(-size % 8)
        return as_array(data, DTYPES[code], shape)

    def tensors(self):
        """All tensors up to the end of the payload."""
        found = []
        while self.position < len(self.payload):
            found.append(self.tensor())
        return found

    def text(self):
        """The rest as text. Throws FrameError."""
        try:
            return bytes(self.take(len(self.payload) - self.position)).decode("utf-8")
        except UnicodeDecodeError as error:
            raise FrameError(f"the text is not UTF-8: {error.reason} at byte {error.start}") from None

    def end(self):
        """Throws FrameError if anything is left."""
        if self.position < len(self.payload):
            raise FrameError(f"{len(self.payload) - self.position} bytes too many in the payload")


def as_array(data, dtype, shape):
    """The bytes as an array. Throws FrameError for a boolean that is neither 0 nor 1, or too many axes."""
    if len(shape) > 64:
        raise FrameError(f"a tensor of rank {len(shape)}; numpy takes at most 64")
    if dtype == np.bool_:
        values = np.frombuffer(data, np.uint8)
        if values.size and values.max() > 1:
            raise FrameError(f"an i1 is a byte 0 or 1, not {values.max()}")
    try:
        return np.frombuffer(data, dtype).reshape(shape)
    except ValueError as error:  # extents whose product numpy refuses, although one of them is 0
        raise FrameError(f"no tensor has the extents {list(shape)}: {error}") from None


def read_tensors(path):
    """The arrays of a file that holds one OK frame. Throws FrameError; the text of an ERROR frame becomes one."""
    with open(path, "rb") as stream:
        found = read_frame(stream)
        if found is None:
            raise FrameError(f"{path} is empty")
        verb, payload = found
        if verb == ERROR:
            raise FrameError(f"{path} holds an error: {Reader(payload).text()}")
        if verb != OK:
            raise FrameError(f"{path} holds a frame with verb {verb}, not {OK}")
        return Reader(payload).tensors()


def write_tensors(path, arrays):
    """Writes the arrays as one OK frame."""
    with open(path, "wb") as stream:
        write_frame(stream, OK, pack_all(arrays))


@dataclasses.dataclass(frozen=True)
class Result:
    """What a case says about one result: four arrays of the result's shape, the last two f64."""

    ours: np.ndarray
    in_text_order: np.ndarray
    center: np.ndarray
    radius: np.ndarray


@dataclasses.dataclass(frozen=True)
class ArgumentSet:
    """The arguments of one run of a case, and its results as the tests recorded them."""

    name: str
    arguments: list
    results: list

    def parts(self):
        """The pieces of its frame's payload."""
        return pack_all(self.arguments) + pack_all(
            array for result in self.results
            for array in (result.ours, result.in_text_order, result.center, result.radius))


class Case:
    """A case file. Keys of its JSON are attributes; tensors are read when they are asked for."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        with open(self.path, "rb") as stream:
            payload = self._next(stream, "its JSON")
            self._after_json = stream.tell()
        try:
            self.json = json.loads(Reader(payload).text())
        except (ValueError, RecursionError) as error:
            raise FrameError(f"{self.path}: the first frame is not JSON: {error}") from None
        missing = {"sets", "arguments", "results"}.difference(self.json if isinstance(self.json, dict) else ())
        if missing:
            raise FrameError(f"{self.path}: the JSON lacks {', '.join(sorted(missing))}")

    def __getattr__(self, key):
        try:
            return self.__dict__["json"][key]
        except KeyError:
            raise AttributeError(f"{self.path}: the JSON has no {key}") from None

    def _next(self, stream, what):
        try:
            found = read_frame(stream)
        except FrameError as error:
            raise FrameError(f"{self.path}: {what}: {error}") from None
        if found is None:
            raise TruncatedError(f"{self.path}: the file ends before {what}")
        if found[0] != OK:
            raise FrameError(f"{self.path}: {what}: a frame with verb {found[0]}, not {OK}")
        return found[1]

    @property
    def name(self):
        """The name that the case shares with its module."""
        return self.path.stem

    @property
    def module(self):
        """The path of the module's text."""
        return self.path.with_suffix(".mlir")

    @property
    def text(self):
        """The module's text."""
        return self.module.read_text(encoding="utf-8")

    def argument_sets(self):
        """Reads the ArgumentSets one by one. Throws FrameError, naming file and set."""
        with open(self.path, "rb") as stream:
            stream.seek(self._after_json)
            for name in self.json["sets"]:
                yield self._argument_set(name, self._next(stream, f"set {name}"))
            if stream.read(1):
                raise FrameError(f"{self.path}: more frames than the {len(self.json['sets'])} sets that it names")

    def _argument_set(self, name, payload):
        try:
            tensors = Reader(payload).tensors()
        except FrameError as error:
            raise FrameError(f"{self.path}: set {name}: {error}") from None
        arguments, results = len(self.json["arguments"]), len(self.json["results"])
        if len(tensors) != arguments + 4 * results:
            raise FrameError(f"{self.path}: set {name} has {len(tensors)} tensors; {arguments} arguments and "
                             f"4 for each of {results} results make {arguments + 4 * results}")
        recorded = tensors[arguments:]
        return ArgumentSet(name, tensors[:arguments],
                           [Result(*recorded[4 * index:4 * index + 4]) for index in range(results)])


def read_case(path):
    """The Case of a file NAME.case. Throws FrameError, OSError."""
    return Case(path)


def write_case(path, description, argument_sets):
    """Writes a case file from its JSON as a dictionary and its ArgumentSets, whose names go into the JSON."""
    description = {**description, "sets": [one.name for one in argument_sets]}
    with open(path, "wb") as stream:
        write_frame(stream, OK, [json.dumps(description).encode()])
        for one in argument_sets:
            write_frame(stream, OK, one.parts())
