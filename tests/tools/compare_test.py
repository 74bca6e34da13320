"""The command line of compare-engines.py: tables, case files, bisection."""

import pathlib
import tempfile
import unittest

import support
import numpy as np

from judges import arguments, cutting, frames

POINT = [np.array([100, 1, 2, 3], np.float32), np.array([-50, 1, 2, 3], np.float32)]

LOOP = """module {
  func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %x, %x : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %outside = stablehlo.negate %a : tensor<f32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %loop:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<f32>
      cond {
        %three = stablehlo.constant dense<3> : tensor<i32>
        %go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %sum = stablehlo.add %x, %outside : tensor<f32>
        stablehlo.return %next, %sum : tensor<i32>, tensor<f32>
      }
    %called = func.call @twice(%loop#1) : (tensor<f32>) -> tensor<f32>
    return %called : tensor<f32>
  }
}
"""


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def module(self, text):
        path = self.folder / "m.mlir"
        path.write_text(text)
        return path

    def point(self):
        arguments.save(self.folder / "point.npz", POINT)
        return self.folder / "point.npz"

    def compare(self, code, *options):
        done = support.run_tool("compare-engines.py", *options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout if code < 2 else done.stderr

    def test_engines_that_agree(self):
        text = self.compare(0, self.module(support.DOUBLE), "--seed", 1)
        self.assertIn("m.mlir: interpreter, xla, xla-default agree", text)
        self.assertEqual(text.count("agrees"), 3)

    def test_the_first_difference_is_named_with_its_place_and_values(self):
        text = self.compare(1, self.module(support.REWRITTEN), self.point())
        self.assertRegex(text, r"1 +xla-default +DIFFERS +inf +inf +\d+ +\[0\] +-5\.18\S* +-inf")
        self.assertRegex(text, r"result 1 of xla-default is the first that differs: 1 of 4 elements .*at \[0\] it is")
        self.assertEqual(text.count("agrees"), 5)

    def test_a_difference_of_several_operations_is_found_and_cut_out(self):
        text = self.compare(1, self.module(support.REWRITTEN), self.point(), "--bisect")
        self.assertRegex(text, r"bisect: %product = stablehlo\.multiply \(m\.mlir:6:16\)")
        self.assertIn("the operation with 2 before it, run on interpreter's values, differs", text)
        cut = self.folder / "m.cut.mlir"
        self.assertEqual([step.operation for step in cutting.outline(cut.read_text())],
                         ["stablehlo.exponential", "stablehlo.exponential", "stablehlo.multiply"])
        again = self.compare(1, cut, self.folder / "m.cut.npz")
        self.assertIn("result 0 of xla-default is the first that differs", again)

    def test_a_difference_of_one_operation_is_found_and_cut_out(self):
        path = self.module(support.INEXACT)
        arguments.save(self.folder / "a.npz", [np.linspace(0.1, 3, 64, dtype=np.float32)])
        options = path, self.folder / "a.npz", "--engines", "interpreter,xla", "--bound", 1e-8
        text = self.compare(1, *options, "--bisect", "--output", self.folder / "found")
        self.assertIn("bisect: %tanh = stablehlo.tanh (m.mlir:4:13)", text)
        self.assertIn("the operation alone, run on interpreter's values, differs", text)
        cut = self.folder / "found.cut.mlir"
        self.assertEqual([step.operation for step in cutting.outline(cut.read_text())], ["stablehlo.tanh"])
        self.compare(1, cut, self.folder / "found.cut.npz", *options[2:])
        self.assertIn("agree", self.compare(0, *options[:4]))

    def test_a_crash_is_found_and_cut_out(self):
        text = self.compare(1, self.module(support.CRASHES), "--seed", 1, "--bisect")
        self.assertRegex(text, "all +interpreter +FAILS: interpreter: the process ended with signal 6")
        self.assertIn("m.mlir: interpreter fails", text)
        self.assertIn("bisect: %norm = stablehlo.batch_norm_training (m.mlir:4:15)", text)
        self.assertIn("the operation alone fails too", text)
        cut = (self.folder / "m.cut.mlir").read_text()
        self.assertEqual([step.operation for step in cutting.outline(cut)], ["stablehlo.batch_norm_training"])
        self.assertEqual(len(np.load(self.folder / "m.cut.npz")), 2)

    def test_a_crash_is_found_without_another_engine(self):
        text = self.compare(1, self.module(support.CRASHES), "--seed", 1, "--bisect", "--engines", "interpreter")
        self.assertIn("the operation alone fails too", text)

    def case(self, center, radius, in_text_order, unpredictable=()):
        one = np.array([1.0, 2.0], np.float32)
        result = frames.Result(2 * one, np.array(in_text_order, np.float32), np.array(center), np.full(2, radius))
        frames.write_case(self.folder / "m.case", {
            "arguments": ["tensor<2xf32>"], "results": [{"unpredictable": list(unpredictable)}],
        }, [frames.ArgumentSet("recorded", [one], [result])])
        return self.module(support.DOUBLE)

    def test_a_case_beside_the_module_is_what_all_are_held_to(self):
        text = self.compare(0, self.case([2.0, 4.0 + 1e-7], 2e-7, [2.0, 4.0]))
        self.assertIn("recorded, interpreter, xla, xla-default agree", text)
        self.assertEqual(text.count("agrees"), 5)  # with the interpreter's bits
        text = self.compare(1, self.case([2.0, 4.0 + 1e-7], 5e-8, [2.0, 4.0]))
        self.assertRegex(text, r"recorded is the first that differs: 1 of 2 elements beyond its bound, by up to a "
                               r"factor of 2")
        self.assertIn("xla-default agree", self.compare(0, self.folder / "m.mlir", "--bound", 1e-6))

    def test_the_interpreter_must_have_the_bits_of_the_texts_order(self):
        text = self.compare(1, self.case([2.0, 4.0], 1e-3, [2.0, np.nextafter(np.float32(4), np.float32(5))]))
        self.assertIn("interpreter (bits) is the first that differs: 1 of 2 elements not the bits", text)
        self.compare(0, self.case([2.0, 4.0], 1e-3, [2.0, 4.5], ["Logistic over f32"]))

    def test_mistakes_are_explained(self):
        module = self.module(support.DOUBLE)
        for options, message in [
            ([module], r"takes 1 arguments.*m\.case is not beside it.*--seed"),
            ([self.folder / "none.mlir"], "none.mlir: cannot be read"),
            ([module, self.folder / "none.npz"], "none.npz: cannot be read"),
            ([module, "--engines", "xla,cuda"], "cuda; there are interpreter, xla, xla-default"),
            ([module, "--seed", 1, "--bound", "-1"], "at least 0"),
            ([module, self.point()], "2 arguments given"),
        ]:
            with self.subTest(message=message):
                self.assertRegex(self.compare(2, *options), message)
        self.assertIn("custom op 'oops'", self.compare(1, self.module("oops"), "--seed", 1))


class Cutting(unittest.TestCase):
    def test_loops_and_calls_come_with_what_they_read(self):
        steps = {step.operation: step for step in cutting.outline(LOOP)}
        loop, call = steps["stablehlo.while"], steps["func.call"]
        text, wanted = cutting.cut(LOOP, {loop.index}, loop.index)
        self.assertEqual(wanted, [cutting.Source(-1, 0), cutting.Source(0, 0)])  # %a and, from inside, %outside
        self.assertEqual([step.operation for step in cutting.outline(text)], ["stablehlo.constant", "stablehlo.while"])
        text, wanted = cutting.cut(LOOP, {call.index}, call.index)
        self.assertIn("@twice", text)
        self.assertEqual(wanted, [cutting.Source(loop.index, 1)])

    def test_values_are_returned_and_what_comes_after_them_is_left_out(self):
        loop = next(step for step in cutting.outline(LOOP) if step.operation == "stablehlo.while")
        text = cutting.returning(LOOP, [loop.results[1], cutting.Source(-1, 0)])
        self.assertEqual(cutting.returned(text), [loop.results[1], cutting.Source(-1, 0)])
        self.assertEqual(cutting.outline(text)[-1].operation, "stablehlo.while")

    def test_labels_are_as_the_text_spells_them(self):
        self.assertEqual([step.label for step in cutting.outline(support.DOUBLE, "m.mlir")],
                         ["%twice = stablehlo.add (m.mlir:3:14)"])


if __name__ == "__main__":
    unittest.main()
