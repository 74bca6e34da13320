"""The resident process: each misuse is answered with a text, and the process goes on."""

import struct
import subprocess
import sys
import unittest

import support
import numpy as np

from judges import frames
from judges.worker import EngineError, Slot, Worker

ONE = np.array([1.0, 2.0], np.float32)


def words(*numbers):
    return struct.pack(f"<{len(numbers)}I", *numbers)


def inline(array):
    return words(frames.INLINE, 0) + b"".join(frames.pack(array))


class Misuse:
    """The tests, for each engine."""

    engine = None

    @classmethod
    def setUpClass(cls):
        cls.worker = Worker(cls.engine)
        cls.program = cls.worker.load(support.DOUBLE)
        cls.addClassCleanup(cls.worker.close)

    def tearDown(self):
        """Whatever was asked, the same process still answers."""
        self.assertEqual(self.worker.run(self.program, [ONE])[0].tolist(), [2.0, 4.0])
        self.assertEqual(self.worker.starts, 1)

    def refused(self, message, verb, payload=b""):
        with self.subTest(message=message), self.assertRaisesRegex(EngineError, message):
            self.worker.request(verb, [payload])

    def test_load(self):
        self.refused("module:1:1: custom op 'nonsense' is unknown", frames.LOAD, b"nonsense")
        self.refused("module:3:.*expects different type", frames.LOAD,
                     support.DOUBLE.replace("add %a, %a : tensor<2xf32>", "add %a, %a : tensor<3xf32>").encode())
        self.refused("not UTF-8.*byte 0", frames.LOAD, b"\xff\xfe")
        self.refused("0 functions", frames.LOAD, b"module {}")
        self.refused("argument 0 is tensor<\\?xf32>; only tensors of fixed shape", frames.LOAD,
                     b"module { func.func @main(%a: tensor<?xf32>) { return } }")
        self.refused("result 0 is tensor<complex<f32>>", frames.LOAD,
                     b"module { func.func @main() -> tensor<complex<f32>> { %0 = stablehlo.constant "
                     b"dense<(0.0,0.0)> : tensor<complex<f32>>\n return %0 : tensor<complex<f32>> } }")

    def test_run(self):
        number = self.program.number
        send = words(1, 0, frames.SEND, 0)
        run = words(number, 1)
        self.refused("no program 77", frames.RUN, words(77, 1) + inline(ONE) + send)
        self.refused(r"0 arguments given, the module takes 1: \(tensor<2xf32>\)", frames.RUN, words(number, 0) + send)
        self.refused("2 arguments given", frames.RUN, words(number, 2) + inline(ONE) * 2 + send)
        self.refused("argument 0 is tensor<2xf64>, the module takes tensor<2xf32>", frames.RUN,
                     run + inline(ONE.astype(np.float64)) + send)
        self.refused("argument 0 is tensor<2x1xf32>", frames.RUN, run + inline(ONE.reshape(2, 1)) + send)
        self.refused("argument 0 is of the unknown kind 9", frames.RUN, run + words(9, 0) + send)
        self.refused("slot 5 holds nothing", frames.RUN, run + words(frames.SLOT, 5) + send)
        self.refused("2 results named, the module has 1", frames.RUN, run + inline(ONE) + words(2, 0, 0, 0, 0, 0))
        self.refused("result 0 is of the unknown kind 8", frames.RUN, run + inline(ONE) + words(1, 0, 8, 0))
        self.refused("bytes too many", frames.RUN, run + inline(ONE) + send + bytes(8))
        self.refused("are needed", frames.RUN, run + inline(ONE))
        self.refused("are needed", frames.RUN, b"")
        self.refused("are needed", frames.RUN, words(number, 0xFFFFFFFF))

    def test_slots_and_verbs(self):
        self.refused("slot 5 holds nothing", frames.GET, words(5, 0))
        self.refused("unknown dtype code", frames.PUT, words(5, 0) + bytes(16))
        self.refused("slot 5 holds nothing", frames.DROP, words(0, 5))
        self.refused("no program 5", frames.DROP, words(1, 5))
        self.refused("unknown kind 2", frames.DROP, words(2, 5))
        self.refused("unknown verb 8", 8)
        self.refused("unknown verb 1", frames.ERROR, b"text")

    def test_slots_hold_what_was_put_and_kept(self):
        self.worker.put(1, ONE)
        self.worker.put(1, ONE + 1)
        self.assertEqual(self.worker.get(1).tolist(), [2.0, 3.0])
        self.assertEqual(self.worker.run(self.program, [Slot(1)], [Slot(2)]), [])
        self.assertEqual(self.worker.get(2).tolist(), [4.0, 6.0])
        self.assertEqual(self.worker.run(self.program, [Slot(2)], [frames.DISCARD]), [])
        self.worker.run(self.program, [Slot(2, given_up=True)], [Slot(2)])
        self.assertEqual(self.worker.get(2).tolist(), [8.0, 12.0])
        self.worker.run(self.program, [Slot(2, given_up=True)], [frames.SEND])
        self.refused("slot 2 holds nothing", frames.GET, words(2, 0))
        self.worker.drop(Slot(1))
        self.refused("slot 1 holds nothing", frames.GET, words(1, 0))

    def test_a_request_that_fails_changes_nothing(self):
        self.worker.put(3, ONE)
        with self.assertRaises(EngineError):
            self.worker.run(self.program, [Slot(3, given_up=True), ONE])
        self.assertEqual(self.worker.get(3).tolist(), ONE.tolist())

    def test_a_program_may_be_dropped(self):
        other = self.worker.load(support.DOUBLE)
        self.worker.drop(other)
        self.refused(f"no program {other.number}", frames.RUN, words(other.number, 0))

    def test_arguments_that_are_given_up(self):
        program = self.worker.load(support.DONATES)
        self.worker.put(4, ONE)
        for _ in range(3):
            self.worker.run(program, [Slot(4, given_up=True)], [Slot(4)])
        self.assertEqual(self.worker.get(4).tolist(), (8 * ONE).tolist())

    def test_a_slot_is_given_up_once(self):
        text = support.DOUBLE.replace("%a: tensor<2xf32>", "%a: tensor<2xf32>, %b: tensor<2xf32>")
        program = self.worker.load(text)
        self.worker.put(6, ONE)
        for pair in ([Slot(6, True), Slot(6)], [Slot(6), Slot(6, True)], [Slot(6, True), Slot(6, True)]):
            with self.assertRaisesRegex(EngineError, "argument 1 is slot 6, which the same run gives up elsewhere"):
                self.worker.run(program, pair)
        self.assertEqual(self.worker.run(program, [Slot(6), Slot(6)])[0].tolist(), [2.0, 4.0])


class WithXla(Misuse, unittest.TestCase):
    engine = "xla"

    def test_a_donated_buffer_is_not_used_again(self):
        program = self.worker.load(support.DONATES)
        self.worker.put(7, ONE)
        self.worker.run(program, [Slot(7)])  # named as to be kept, and yet the module overwrites it
        self.refused("slot 7 holds a buffer that a run was given to overwrite", frames.GET, words(7, 0))
        with self.assertRaisesRegex(EngineError, "slot 7 holds a buffer"):
            self.worker.run(self.program, [Slot(7)])
        self.worker.drop(Slot(7))


class WithInterpreter(Misuse, unittest.TestCase):
    engine = "interpreter"


class Streams(unittest.TestCase):
    """How the process ends."""

    def serve(self, data, tool=("serve-stablehlo.py",)):
        return subprocess.run([sys.executable, str(support.TOOLS / tool[0]), *tool[1:]], input=data,
                              capture_output=True, timeout=60)

    def test_end_of_input_ends_it_cleanly(self):
        done = self.serve(b"")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_quit_is_answered(self):
        quit_ = b"".join(frames.frame(frames.QUIT))
        for tool in (("serve-stablehlo.py",), ("eval-stablehlo.py", "--resident", "--engine", "interpreter")):
            done = self.serve(quit_ * 2, tool)
            self.assertEqual((done.returncode, done.stdout), (0, b"".join(frames.frame(frames.OK))))

    def test_a_broken_stream_ends_it_with_a_line(self):
        for data, message in [(b"\2\0\0\0", b"inside a frame's header"), (b"#!/bin/sh, or anything", b"not a frame"),
                              (struct.pack("<IIQ", 2, 0, 100) + b"module", b"after 6 of 100 bytes"),
                              (struct.pack("<IIQ", 2, 0, 1 << 60), b"at most")]:
            done = self.serve(data)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_a_request_beyond_the_limit_ends_it(self):
        requests = frames.frame(frames.LOAD, [support.NEVER_ENDS.encode()])
        requests += frames.frame(frames.RUN, [words(0, 0, 1, 0, 0, 0)])
        done = self.serve(b"".join(requests), ("serve-stablehlo.py", "--engine", "interpreter", "--limit", "1"))
        self.assertEqual(done.returncode, -14)


if __name__ == "__main__":
    unittest.main()
