"""The conformance job over modules made here: what passes, what misses, what is kept, what a table may not say."""
import json
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import numpy as np

from judges import exceptions, frames

VALIDATOR = shlex.join([sys.executable, str(ROOT / "tools" / "validate-stablehlo.py")])
EVALUATOR = shlex.join([sys.executable, str(ROOT / "tools" / "eval-stablehlo.py")])
SUM = """module {
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %v = stablehlo.add %a, %a : tensor<2xf32>
    return %v : tensor<2xf32>
  }
}
"""
NORM = (ROOT / "tests" / "conformance" / "probes" / "interpreter-batch-norm.mlir").read_text()
TABLES = "## What an engine cannot run\n{lines}\n## Caps\n{caps}\n"
NORM_LINE = r"| `interpreter-batch-norm` | interpreter | `stablehlo\.batch_norm_` | aborts | {} | it lacks them |"


def record(folder, name, text, arguments, results, **more):
    """A case whose results are exact."""
    array = lambda values: np.array(values, np.float32)
    (folder / f"{name}.mlir").write_text(text)
    wanted = array(results)
    about = {"test": "Job.test", "kind": "test", "title": name, "target": "", "raised": [], "twin": None,
             "opcodes": ["Add"], "elements": ["f32"], "multiply_adds": 0, "arguments": ["tensor<2xf32>"] * len(arguments),
             "results": [{"node": "1 Add", "type": "tensor<2xf32>", "ordered": False, "unpredictable": []}], **more}
    result = frames.Result(wanted, wanted, wanted.astype(np.float64), np.zeros(wanted.shape))
    frames.write_case(folder / f"{name}.case", about, [frames.ArgumentSet("recorded", list(map(array, arguments)), [result])])


class Job(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name) / "modules"
        self.folder.mkdir()
        self.catalog(["Add"])

    def catalog(self, opcodes):
        (self.folder / "catalog.json").write_text(json.dumps({"opcodes": opcodes, "raises": []}))

    def judge(self, *options, lines="", caps=""):
        tables = self.folder.parent / "tables.md"
        tables.write_text(TABLES.format(lines=lines, caps=caps))
        command = [sys.executable, str(ROOT / "tools" / "judge-modules.py"), str(self.folder), "--tables", str(tables),
                   "--validator", VALIDATOR, "--evaluator", EVALUATOR, *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stdout.splitlines()[-1]

    def test_what_is_right_passes(self):
        record(self.folder, "right", SUM, [[1, 2]], [2, 4])
        code, _, last = self.judge()
        # Parsed, read back; the interpreter ours, center and read back; XLA center: ours lies within twice 0 too.
        self.assertEqual((code, last), (0, "conformance: 1 modules, 1 operations, 8 comparisons, 0 misses, 0 skips"))

    def test_what_is_wrong_is_named_and_kept(self):
        record(self.folder, "wrong", SUM, [[1, 2]], [2, 5])
        code, said, last = self.judge()
        self.assertEqual(code, 1)
        self.assertIn("element [1] is 4.0, wanted 5.0", said)
        self.assertNotIn(" 0 misses", last)
        kept = self.folder.parent / "failures"
        self.assertEqual(sorted(path.name for path in kept.iterdir()), ["wrong.case", "wrong.mlir", "wrong.txt"])
        self.assertIn("tools/compare-engines.py", (kept / "wrong.txt").read_text())

    def test_text_that_does_not_parse_is_a_miss(self):
        record(self.folder, "broken", SUM.replace("add %a", "ad %a"), [[1, 2]], [2, 4])
        code, said, _ = self.judge()
        self.assertEqual(code, 1)
        self.assertRegex(said, r"broken\.mlir:3:\d+: ")

    def test_a_crash_is_that_module_s_and_the_rest_goes_on(self):
        record(self.folder, "crash", NORM, [], [[1], [2]])
        record(self.folder, "right", SUM, [[1, 2]], [2, 4])
        code, said, _ = self.judge("--engine", "interpreter")
        self.assertEqual(code, 1)
        self.assertRegex(said, r"crash .*interpreter, answers: EngineCrash: .*signal 6")
        self.assertIn("ran 1 modules", said)

    def test_a_listed_lack_skips_only_with_its_twin(self):
        record(self.folder, "norm", NORM, [], [[1], [2]], twin="right")
        record(self.folder, "right", SUM, [[1, 2]], [2, 4])
        code, said, last = self.judge("--engine", "interpreter", lines=NORM_LINE.format("twin"))
        self.assertEqual((code, last.endswith("0 misses, 1 skips")), (0, True), said)
        (self.folder / "norm.case").unlink()
        record(self.folder, "norm", NORM, [], [[1], [2]])
        code, said, _ = self.judge("--engine", "interpreter", lines=NORM_LINE.format("twin"))
        self.assertEqual(code, 1)
        self.assertIn("interpreter-batch-norm without its twin", said)

    def test_a_line_that_is_no_longer_true_fails(self):
        record(self.folder, "right", SUM, [[1, 2]], [2, 4])
        code, said, _ = self.judge(lines=NORM_LINE.format("twin").replace("aborts", "is refused"))
        self.assertEqual(code, 1)
        self.assertIn("interpreter-batch-norm: the probe aborts, the table says is refused", said)

    def test_an_opcode_that_nothing_ran_fails(self):
        record(self.folder, "right", SUM, [[1, 2]], [2, 4])
        self.catalog(["Add", "Sub"])
        code, said, _ = self.judge()
        self.assertEqual((code, "no engine ran Sub" in said), (1, True))
        self.assertEqual(self.judge("--filter", "right")[0], 0)

    def test_a_cap_is_a_listed_skip(self):
        record(self.folder, "large", SUM, [[1, 2]], [2, 4], multiply_adds=11)
        record(self.folder, "right", SUM + "// another\n", [[1, 2]], [2, 4])
        code, said, last = self.judge(caps="| `few` | xla | multiply-adds | 10 | for this test |")
        self.assertEqual((code, last.endswith("1 skips")), (0, True), said)


class Tables(unittest.TestCase):
    def test_mistakes_name_the_line(self):
        for lines, caps, why in (("| `x` | xla | none | sings | - | - |", "", ":2: wanted"),
                                 ("", "| `x` | xla | pounds | 3 | - |", ":4: wanted"),
                                 ("| `x` | xla | none | aborts | - | - |", "| `x` | xla | bytes | 3 | - |", "twice")):
            with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
                file.write(TABLES.format(lines=lines, caps=caps))
                file.flush()
                with self.assertRaisesRegex(ValueError, why):
                    exceptions.read(file.name)

    def test_ours_can_be_read_and_every_line_has_a_probe(self):
        lacks, caps = exceptions.read(ROOT / "docs" / "conformance.md")
        probes = {path.stem for path in (ROOT / "tests" / "conformance" / "probes").glob("*.mlir")}
        self.assertEqual({each.name for each in lacks}, probes)
        self.assertTrue(caps)


if __name__ == "__main__":
    unittest.main()
