"""scripts/setup --conformance: what it asks for, without installing anything."""

import os
import re
import subprocess
import unittest

import support

SETUP = support.ROOT / "scripts" / "setup"


def setup(*options, **environment):
    return subprocess.run([SETUP, *options], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


class Setup(unittest.TestCase):
    def test_what_makes_an_environment_is_asked_for_by_the_option_only(self):
        plain, more = (setup(*options).stdout.split() for options in (["--list"], ["--list", "--conformance"]))
        self.assertEqual([package for package in more if package not in plain], ["python3-venv", "python3-pip"])

    def test_the_options_are_explained(self):
        self.assertIn("--conformance", setup("--help").stdout)
        self.assertEqual(setup("--outside").returncode, 2)

    def test_versions_are_pinned_exactly(self):
        lines = (support.TOOLS / "judges" / "requirements.txt").read_text().splitlines()
        pins = [line for line in lines if not line.startswith("#")]
        self.assertEqual(sorted(re.split("==", pin)[0] for pin in pins), ["jaxlib", "ml_dtypes", "numpy"])
        self.assertEqual(len(pins), len(support.toolchain.pins()))


if __name__ == "__main__":
    unittest.main()
