"""The format of frames, tensors and case files, and what a broken one is answered with."""

import io
import pathlib
import struct
import tempfile
import unittest

import support
import numpy as np

from judges import frames
from judges.frames import ELEMENTS, FrameError, Reader, TruncatedError


def pack(array):
    return b"".join(frames.pack(array))


def unpack(data):
    reader = Reader(data)
    array = reader.tensor()
    reader.end()
    return array


def tensor_bytes(code, extents, data=b"", rank=None):
    return struct.pack(f"<BB6x{len(extents)}q", code, len(extents) if rank is None else rank, *extents) + data


class Tensors(unittest.TestCase):
    def test_every_element_and_rank_comes_back_with_its_bits(self):
        generator = np.random.default_rng(1)
        for name, dtype in ELEMENTS.items():
            for shape in [(), (0,), (3,), (2, 0, 3), (2, 3, 1), (1,) * 12]:
                raw = generator.integers(0, 2 if name == "i1" else 256, (*shape, dtype.itemsize), np.uint8)
                array = raw.view(dtype).reshape(shape)
                data = pack(array)
                back = unpack(data)
                with self.subTest(element=name, shape=shape):
                    self.assertEqual(len(data) % 8, 0)
                    self.assertEqual((back.dtype, back.shape), (dtype, shape))
                    self.assertEqual(back.tobytes(), array.tobytes())

    def test_the_bytes_are_those_of_the_format(self):
        self.assertEqual(pack(np.array([[1.0], [2.0]], np.float32)),
                         bytes([12, 2, 0, 0, 0, 0, 0, 0]) + struct.pack("<qqff", 2, 1, 1.0, 2.0))
        self.assertEqual(pack(np.array(True)), bytes([1, 0, 0, 0, 0, 0, 0, 0]) + bytes([1, 0, 0, 0, 0, 0, 0, 0]))
        self.assertEqual({name: frames.CODES[dtype] for name, dtype in ELEMENTS.items()},
                         {"i1": 1, "i8": 2, "i16": 3, "i32": 4, "i64": 5, "ui8": 6, "ui16": 7, "ui32": 8, "ui64": 9,
                          "bf16": 10, "f16": 11, "f32": 12, "f64": 13})

    def test_a_view_is_written_row_by_row(self):
        array = np.arange(6, dtype=np.int32).reshape(2, 3).T
        self.assertTrue((unpack(pack(array)) == array).all())

    def test_an_element_without_a_code_is_refused(self):
        with self.assertRaisesRegex(FrameError, "complex64"):
            frames.pack(np.zeros(2, np.complex64))

    def test_hostile_tensors_are_refused_with_their_fault(self):
        for data, message in [
            (tensor_bytes(0, [1]), "unknown dtype code 0"),
            (tensor_bytes(14, [1]), "unknown dtype code 14"),
            (tensor_bytes(12, [2, -1]), r"negative extent in \[2, -1\]"),
            (tensor_bytes(12, [2], bytes(4)), "24 are needed"),
            (tensor_bytes(12, [1], bytes(4)), "24 are needed"),  # the padding is missing
            (tensor_bytes(12, [], rank=3), "32 are needed"),
            (tensor_bytes(12, [1 << 62, 1 << 62]), "are needed"),
            (tensor_bytes(12, [0, 1 << 62, 1 << 62]), "no tensor has the extents"),
            (tensor_bytes(12, [1] * 70, bytes(8)), "rank 70"),
            (tensor_bytes(1, [1], b"\2" + bytes(7)), "byte 0 or 1, not 2"),
            (b"\x0c\0\1\0\0\0\0\0" + bytes(8), "bytes 2 to 7"),
            (b"\x0c", "8 are needed"),
        ]:
            with self.subTest(message=message), self.assertRaisesRegex(FrameError, message):
                unpack(data)

    def test_more_than_a_tensor_is_refused(self):
        with self.assertRaisesRegex(FrameError, "8 bytes too many"):
            unpack(pack(np.array(1.0)) + bytes(8))


class Frames(unittest.TestCase):
    def test_frames_follow_each_other(self):
        stream = io.BytesIO()
        frames.write_frame(stream, frames.PUT, [b"one", b"", b"two"])
        frames.write_frame(stream, frames.OK)
        stream.seek(0)
        self.assertEqual(frames.read_frame(stream), (frames.PUT, b"onetwo"))
        self.assertEqual(frames.read_frame(stream), (frames.OK, b""))
        self.assertIsNone(frames.read_frame(stream))

    def test_a_long_frame_is_read_piece_by_piece(self):
        data = np.arange(frames.PIECE // 8 + 1000).tobytes()
        self.assertEqual(frames.read_frame(io.BytesIO(b"".join(frames.frame(3, [data])))), (3, data))

    def test_streams_that_end_early_are_told_apart_from_an_end(self):
        whole = b"".join(frames.frame(frames.PUT, [b"12345678"]))
        for length in range(1, len(whole)):
            with self.subTest(length=length), self.assertRaises(TruncatedError):
                frames.read_frame(io.BytesIO(whole[:length]))

    def test_a_promised_length_takes_no_memory(self):
        with self.assertRaisesRegex(TruncatedError, f"after 3 of {1 << 33} bytes"):
            frames.read_frame(io.BytesIO(struct.pack("<IIQ", 0, 0, 1 << 33) + b"abc"))
        with self.assertRaisesRegex(FrameError, "at most"):
            frames.read_frame(io.BytesIO(struct.pack("<IIQ", 0, 0, 1 << 63)))

    def test_what_is_no_frame_is_refused(self):
        with self.assertRaisesRegex(FrameError, "not a frame"):
            frames.read_frame(io.BytesIO(b"module { func.func }"))

    def test_text_that_is_not_utf8_is_refused(self):
        with self.assertRaisesRegex(FrameError, "not UTF-8.*byte 2"):
            Reader(b"ab\xff").text()


class Cases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "0123456789abcdef.case"
        value = np.array([2.0, 4.0], np.float32)
        result = frames.Result(value, value, value.astype(np.float64), np.zeros(2))
        self.sets = [frames.ArgumentSet(name, [np.array([1.0, 2.0], np.float32)], [result])
                     for name in ("recorded", "specials")]
        self.description = {"test": "Suite.name", "arguments": ["tensor<2xf32>"], "results": [{"node": "1 Add"}]}

    def test_a_case_comes_back(self):
        frames.write_case(self.path, self.description, self.sets)
        self.path.with_suffix(".mlir").write_text(support.DOUBLE)
        case = frames.read_case(self.path)
        self.assertEqual((case.test, case.sets, case.name), ("Suite.name", ["recorded", "specials"], self.path.stem))
        self.assertEqual(case.text, support.DOUBLE)
        found = list(case.argument_sets())
        self.assertEqual([one.name for one in found], ["recorded", "specials"])
        self.assertEqual(found[1].arguments[0].tolist(), [1.0, 2.0])
        self.assertEqual(found[1].results[0].center.dtype, np.float64)
        with self.assertRaisesRegex(AttributeError, "no title"):
            case.title

    def test_broken_cases_name_file_and_set(self):
        frames.write_case(self.path, self.description, self.sets)
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[:-8])
        with self.assertRaisesRegex(FrameError, f"{self.path}: set specials: the stream ends inside a frame"):
            list(frames.read_case(self.path).argument_sets())
        self.path.write_bytes(whole + b"x")
        with self.assertRaisesRegex(FrameError, "more frames than the 2 sets"):
            list(frames.read_case(self.path).argument_sets())
        self.path.write_bytes(b"".join(frames.frame(frames.OK, [b"{"])))
        with self.assertRaisesRegex(FrameError, "not JSON"):
            frames.read_case(self.path)
        self.path.write_bytes(b"".join(frames.frame(frames.OK, [b"[1]"])))
        with self.assertRaisesRegex(FrameError, "lacks arguments, results, sets"):
            frames.read_case(self.path)

    def test_a_set_with_too_few_tensors_is_refused(self):
        description = {**self.description, "results": [{}, {}]}
        frames.write_case(self.path, description, self.sets)
        with self.assertRaisesRegex(FrameError, "set recorded has 5 tensors.*make 9"):
            next(frames.read_case(self.path).argument_sets())


if __name__ == "__main__":
    unittest.main()
