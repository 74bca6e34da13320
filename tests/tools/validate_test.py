"""The command line of validate-stablehlo.py: lines, reports, round trips, exit codes, crashes of the parser."""

import json
import pathlib
import tempfile
import unittest

import support

CHLO = """module {
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.sinh %a : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""
TAN = CHLO.replace("chlo.sinh %a : tensor<2xf32> ->", "stablehlo.tan %a :")  # of StableHLO 1.4.0 and later
INTEGER = "module {\n  func.func @main() -> tensor<f32> {\n    %0 = stablehlo.constant dense<0> : tensor<f32>\n  }\n}\n"


class Validate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def module(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def validate(self, code, *options, **more):
        done = support.run_tool("validate-stablehlo.py", *options, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def test_goldens_are_valid_at_the_oldest_versions(self):
        for options in ([], ["--target", "1.0.0"], ["--target", "0.9.0"], ["--target", "none"]):
            lines = self.validate(0, *options, *support.GOLDENS).stdout.splitlines()
            self.assertEqual(len(lines), len(support.GOLDENS))
            for path, line in zip(support.GOLDENS, lines):
                end = "valid$" if "none" in options else rf"valid, \d+ bytes at {(options or ['', '1'])[1]}"
                self.assertRegex(line, f"^{path}: {end}")

    def test_a_module_is_read_from_stdin(self):
        self.assertRegex(self.validate(0, "-", stdin=support.DOUBLE.encode()).stdout, r"^-: valid, \d+ bytes at 1\.")
        self.assertRegex(self.validate(1, "-", stdin=b"module {").stdout, r"^-:1:7: expected operation name")
        self.assertRegex(self.validate(1, "-", stdin=b"\xff").stdout, r"^-: not UTF-8 at byte 0")

    def test_what_is_refused_is_named_with_line_and_column_and_the_rest_goes_on(self):
        self.module("a.mlir", support.DOUBLE)
        self.module("b.mlir", INTEGER)
        self.module("c.mlir", support.DOUBLE)
        lines = self.validate(1, self.folder, self.folder / "none.mlir").stdout.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertIn("a.mlir: valid", lines[0])
        self.assertRegex(lines[1], r"b\.mlir:3:35: unexpected decimal integer literal.*; add a trailing dot")
        self.assertIn("c.mlir: valid", lines[2])
        self.assertIn("none.mlir: cannot be read: No such file", lines[3])
        self.assertEqual(self.validate(1, self.folder, "--quiet").stdout.splitlines(), lines[1:2])

    def test_chlo_is_refused_for_a_version_that_is_asked_for(self):
        path = self.module("a.mlir", CHLO)
        self.assertIn("a.mlir: valid, not serialised", self.validate(0, path).stdout)
        self.assertIn("a.mlir: valid\n", self.validate(0, path, "--target", "none").stdout)
        self.assertRegex(self.validate(1, path, "--target", "1.0.0").stdout,
                         r"a\.mlir:3:10: chlo\.sinh: no portable artifact for version 1\.0\.0")

    def test_an_operation_that_is_too_new_is_named(self):
        path = self.module("a.mlir", TAN)
        self.validate(0, path, "--target", "1.4.0")
        self.assertRegex(self.validate(1, path, "--target", "1.3.0").stdout,
                         r"a\.mlir:3:10: no portable artifact for version 1\.3\.0: .*vhlo\.tan")

    def test_versions_that_are_none_are_refused(self):
        path = self.module("a.mlir", support.DOUBLE)
        for version in ("1.0", "x", "1.0.0.0", "", "99.0.0", "0.1.0"):
            self.assertIn("--target", self.validate(2, path, "--target", version).stderr)

    def test_reports_and_texts_read_back(self):
        good, bad = self.module("a.mlir", support.DOUBLE), self.module("b.mlir", "module {")
        report, trips = self.folder / "report.json", self.folder / "trips"
        self.validate(1, good, bad, "--report", report, "--trips", trips)
        found = json.loads(report.read_text())
        self.assertEqual((found[str(good)]["valid"], found[str(bad)]["valid"]), (True, False))
        self.assertEqual((found[str(bad)]["bytes"], found[str(bad)]["trip"]), (None, None))
        self.assertIn("stablehlo.add %arg0, %arg0", found[str(good)]["trip"])
        self.assertGreater(found[str(good)]["bytes"], 50)
        self.assertIn("b.mlir:1:7: ", found[str(bad)]["message"])
        self.assertEqual([path.name for path in trips.iterdir()], ["a.mlir"])
        self.assertEqual((trips / "a.mlir").read_text(), found[str(good)]["trip"])
        self.validate(0, trips)

    def test_a_crash_of_the_parser_costs_its_module_only(self):
        depth = 400000
        for number in range(6):
            self.module(f"{number}.mlir", support.DOUBLE)
        for number in (2, 3):
            self.module(f"{number}.mlir", f"module attributes {{a = {'[' * depth}{']' * depth}}} {{}}")
        lines = self.validate(1, self.folder, "--jobs", 2).stdout.splitlines()
        self.assertEqual(["SIGSEGV" in line for line in lines], [False, False, True, True, False, False])
        self.assertRegex(lines[2], r"2\.mlir: the parser's process ended with signal 11")
        self.assertEqual(["valid" in line for line in lines], [True, True, False, False, True, True])

    def test_mistakes_are_explained(self):
        path = self.module("a.mlir", support.DOUBLE)
        (self.folder / "empty").mkdir()
        for options, message in [([self.folder / "empty"], r"no \*\.mlir"), ([path, path], "named twice"),
                                 ([path, "--jobs", "0"], "at least 1")]:
            self.assertRegex(self.validate(2, *options).stderr, message)


if __name__ == "__main__":
    unittest.main()
