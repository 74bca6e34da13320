"""The command line of eval-stablehlo.py: arguments, results, exit codes."""

import pathlib
import tempfile
import unittest

import support
import numpy as np

from judges import arguments, frames
from judges.frames import ELEMENTS
from judges.modules import Spec

BF16 = """module {
  func.func @main(%a: tensor<2xbf16>, %b: tensor<i64>) -> (tensor<2xbf16>, tensor<i64>) {
    return %a, %b : tensor<2xbf16>, tensor<i64>
  }
}
"""


class Evaluate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def module(self, text, name="m.mlir"):
        path = self.folder / name
        path.write_text(text)
        return path

    def evaluate(self, code, *options, **more):
        done = support.run_tool("eval-stablehlo.py", *options, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def test_results_are_printed(self):
        path = self.folder / "a.npz"
        np.savez(path, np.array([1.5, 2.0], np.float32))
        done = self.evaluate(0, self.module(support.DOUBLE), path)
        self.assertEqual(done.stdout, "result 0: tensor<2xf32>\n[3., 4.]\n")
        done = self.evaluate(0, self.module(support.DOUBLE), path, "--engine", "both")
        self.assertEqual(done.stdout, "interpreter:\nresult 0: tensor<2xf32>\n[3., 4.]\n"
                                      "xla:\nresult 0: tensor<2xf32>\n[3., 4.]\n")

    def test_a_module_is_read_from_stdin(self):
        done = self.evaluate(0, "-", "--seed", 1, stdin=support.DOUBLE.encode())
        self.assertIn("result 0: tensor<2xf32>", done.stdout)
        self.assertEqual(done.stdout, self.evaluate(0, "-", "--seed", 1, stdin=support.DOUBLE.encode()).stdout)
        self.assertNotEqual(done.stdout, self.evaluate(0, "-", "--seed", 2, stdin=support.DOUBLE.encode()).stdout)

    def test_files_go_in_and_out_in_both_formats(self):
        given = [np.array([1.5, -0.0], ELEMENTS["bf16"]), np.array(7)]
        module = self.module(BF16)
        for ending in (".npz", ".frames"):
            source, output = self.folder / f"in{ending}", self.folder / f"out{ending}"
            arguments.save(source, given)
            done = self.evaluate(0, module, source, "--output", output)
            self.assertEqual(done.stdout, "")
            back = arguments.load(output, [Spec.of(array) for array in given])
            self.assertEqual([array.tobytes() for array in back], [array.tobytes() for array in given])

    def test_a_set_of_a_case_is_chosen(self):
        one = np.array([1.0, 2.0], np.float32)
        wanted = frames.Result(2 * one, 2 * one, 2.0 * one.astype(np.float64), np.zeros(2))
        path = self.folder / "m.case"
        frames.write_case(path, {"arguments": ["tensor<2xf32>"], "results": [{}]},
                          [frames.ArgumentSet("first", [one], [wanted]),
                           frames.ArgumentSet("second", [-one], [wanted])])
        module = self.module(support.DOUBLE)
        self.assertIn("[2., 4.]", self.evaluate(0, module, path).stdout)
        self.assertIn("[-2., -4.]", self.evaluate(0, module, path, "--set", "second").stdout)
        self.assertIn("no set is called third", self.evaluate(2, module, path, "--set", "third").stderr)

    def test_mistakes_are_explained(self):
        module = self.module(support.DOUBLE)
        npz, text, wrong = self.folder / "a.npz", self.folder / "a.frames", self.folder / "w.npz"
        np.savez(npz, weights=np.zeros(2))
        text.write_text("no frames at all")
        np.savez(wrong, np.zeros(2))
        for options, message in [
            ([], "a module is needed"),
            ([self.folder / "none.mlir"], "none.mlir: cannot be read"),
            ([module], r"takes 1 arguments \(tensor<2xf32>\): name a file.*--seed"),
            ([module, npz], "an array is called weights"),
            ([module, text], "a.frames: not a frame"),
            ([module, self.folder / "none.npz"], "none.npz: cannot be read"),
            ([module, wrong], "w.npz: argument 0 is tensor<2xf64>, the module takes tensor<2xf32>"),
            ([module, wrong, "--seed", "1"], "exclude each other"),
            ([module, "--seed", "-1"], "at least 0"),
            ([module, "--seed", "1", "--timeout", "0"], "more than 0 seconds"),
            ([module, "--seed", "1", "--output", self.folder / "none" / "r.npz"], "cannot be written"),
            (["--resident", module], "--resident takes no module"),
        ]:
            with self.subTest(message=message):
                self.assertRegex(self.evaluate(2, *options).stderr, message)

    def test_a_module_that_is_refused(self):
        done = self.evaluate(1, self.module("module { oops }"))
        self.assertRegex(done.stderr, r"m\.mlir: interpreter: module:1:10: ")

    def test_a_crash_of_the_engine(self):
        module = self.module(support.CRASHES)
        self.assertRegex(self.evaluate(3, module, "--seed", 1).stderr, "crash: interpreter.*SIGABRT.*batch_norm")
        done = self.evaluate(3, module, "--seed", 1, "--engine", "both")
        self.assertIn("xla:\nresult 0: tensor<2x3xf32>", done.stdout)

    def test_a_crash_of_the_parser(self):
        depth = 400000
        module = self.module(f"module attributes {{a = {'[' * depth}{']' * depth}}} {{}}")
        self.assertRegex(self.evaluate(3, module).stderr, "crash: interpreter.*SIGSEGV")

    def test_a_module_that_never_ends(self):
        done = self.evaluate(4, self.module(support.NEVER_ENDS), "--timeout", 1)
        self.assertIn("no answer within 1 s", done.stderr)


if __name__ == "__main__":
    unittest.main()
