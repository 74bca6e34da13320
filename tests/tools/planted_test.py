"""Wrong lowerings, planted into the text of modules that the tests emitted: the job must find every one.

    planted_test.py MODULES

Each mutation turns a line that an opcode lowers to into one that parses and is wrong."""
import dataclasses
import os
import re
import shlex
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from judges import exceptions, job
from judges.worker import Worker

TWO = r"(%\S+), (%\S+)"
PLANTS = {
    "sine for cosine": (r"stablehlo\.cosine", "stablehlo.sine"),
    "cosine for sine": (r"stablehlo\.sine", "stablehlo.cosine"),
    "expm1 for exp": (r"stablehlo\.exponential ", "stablehlo.exponential_minus_one "),
    "exp for expm1": (r"stablehlo\.exponential_minus_one ", "stablehlo.exponential "),
    "log1p for log": (r"stablehlo\.log ", "stablehlo.log_plus_one "),
    "sqrt for rsqrt": (r"stablehlo\.rsqrt", "stablehlo.sqrt"),
    "logistic for tanh": (r"stablehlo\.tanh", "stablehlo.logistic"),
    "tanh for logistic": (r"stablehlo\.logistic", "stablehlo.tanh"),
    "abs for negate": (r"stablehlo\.negate", "stablehlo.abs"),
    "sign for abs": (r"stablehlo\.abs", "stablehlo.sign"),
    "minimum for maximum": (r"= stablehlo\.maximum", "= stablehlo.minimum"),
    "maximum for minimum": (r"= stablehlo\.minimum", "= stablehlo.maximum"),
    "add for multiply": (r"stablehlo\.multiply", "stablehlo.add"),
    "subtract the other way round": (r"stablehlo\.subtract " + TWO, r"stablehlo.subtract \2, \1"),
    "divide the other way round": (r"stablehlo\.divide " + TWO, r"stablehlo.divide \2, \1"),
    "power the other way round": (r"stablehlo\.power " + TWO, r"stablehlo.power \2, \1"),
    "less for greater": (r"compare GT,", "compare LT,"),
    "not equal for equal": (r"compare EQ,", "compare NE,"),
    "or for and": (r"stablehlo\.and", "stablehlo.or"),
    "select the other way round": (r"stablehlo\.select (%\S+), " + TWO, r"stablehlo.select \1, \3, \2"),
    "the largest for the sum": (r"applies stablehlo\.add", "applies stablehlo.maximum"),
    "a sum from one": (r"(_seed = stablehlo\.constant dense<)0\.0", r"\g<1>1.0"),
    "another scale of erf'": (r"1\.1283791670955126", "1.1283701670955126"),
    "the other axis counted": (r"(stablehlo\.iota dim = )0( : tensor<\d+x\d+x?)", r"\g<1>1\2"),
    "an operand for another": (r"stablehlo\.concatenate " + TWO, r"stablehlo.concatenate \2, \1"),
    "multiplied, not added": (r"_sum = stablehlo\.add (%\S+), (%\S+) :", r"_sum = stablehlo.multiply \1, \2 :"),
    "a kernel not turned": (r", reverse = \[true, true\]", ""),
    "the smallest of a window": (r"_larger = stablehlo\.maximum", "_larger = stablehlo.minimum"),
    "to the loser of a window": (r"(_kept = stablehlo\.compare) GE", r"\1 LE"),
    "a batch norm's epsilon": (r"epsilon = \S+ : f32", "epsilon = 0.25 : f32"),
}
EACH = 3  # modules a mutation
KINDS = ("sample", "composite", "model", "training")  # their arguments are chosen to tell operations apart


def planted(modules, pattern, replacement, admitted):
    """The smallest modules, of a few texts each, with the first match replaced."""
    found = []
    for module in sorted(modules.values(), key=lambda each: len(each.text)):
        text = re.sub(pattern, replacement, module.text, count=1)
        if text != module.text and admitted(module):
            found.append(dataclasses.replace(module, text=text))
        if len(found) == EACH:
            break
    return found


def tells(module):
    """Whether a wrong line shows: small, with arguments of its own, and with numbers at all."""
    about = module.about
    return about["kind"] in KINDS and about["multiply_adds"] < 10**6 and not re.search(r"tensor<(\d+x)*0x", module.text)


class Planted(unittest.TestCase):
    def test_every_wrong_lowering_is_found(self):
        modules = job.load_modules(FOLDER)
        lacks, caps = exceptions.read(ROOT / "docs" / "conformance.md")
        every = job.Job(modules, lacks, caps, [], EVALUATOR)
        resident = [*EVALUATOR, "--resident"]
        with Worker("interpreter", 60, resident) as interpreter, Worker("xla", 60, resident) as xla:
            for name, (pattern, replacement) in PLANTS.items():
                candidates = planted(modules, pattern, replacement, tells)
                self.assertTrue(candidates, f"{name}: no module has {pattern}")
                for module in candidates:
                    with self.subTest(name, module=module.name, title=module.about["title"]):
                        findings = job.Findings()
                        for engine, worker in (("interpreter", interpreter), ("xla", xla)):
                            if every.refusal(module, engine) is None:
                                job.judge(module, engine, worker, findings)
                        self.assertTrue(findings.misses, module.text)


if __name__ == "__main__":
    if len(sys.argv) < 2 or "TOPOS_STABLEHLO_EVALUATOR" not in os.environ:
        print("SKIPPED: no folder of modules, or TOPOS_STABLEHLO_EVALUATOR is not set")
        sys.exit(77)
    FOLDER, EVALUATOR = sys.argv.pop(1), shlex.split(os.environ["TOPOS_STABLEHLO_EVALUATOR"])
    unittest.main()
