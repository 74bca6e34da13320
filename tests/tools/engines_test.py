"""Both engines on what is easily got wrong: elements, rank 0, zero extents, CHLO, flags, the private seam."""

import subprocess
import sys
import unittest

import support
import numpy as np

from judges import arguments, modules
from judges.frames import ELEMENTS, NAMES
from judges.worker import Worker


def identity(name, extents):
    type_ = f"tensor<{extents}{name}>"
    return f"module {{ func.func @main(%a: {type_}) -> {type_} {{ return %a : {type_} }} }}"


class Engine:
    """The tests, for each engine."""

    engine = None

    @classmethod
    def setUpClass(cls):
        cls.worker = Worker(cls.engine)
        cls.addClassCleanup(cls.worker.close)

    def run_text(self, text, *arguments):
        return self.worker.run(self.worker.load(text), arguments)

    def test_every_element_passes_with_its_bits(self):
        generator = np.random.default_rng(2)
        for name, dtype in ELEMENTS.items():
            for shape in [(), (1,), (0, 3), (5, 2)]:
                raw = generator.integers(0, 2 if name == "i1" else 256, (*shape, dtype.itemsize), np.uint8)
                array = raw.view(dtype).reshape(shape)
                back, = self.run_text(identity(name, "".join(f"{extent}x" for extent in shape)), array)
                with self.subTest(element=name, shape=shape):
                    self.assertEqual((NAMES[back.dtype], back.shape), (name, shape))
                    self.assertEqual(back.tobytes(), array.tobytes())

    def test_special_floats_pass_with_their_bits(self):
        for name in ("bf16", "f16", "f32", "f64"):
            array = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-45, 5e-324, 65504.0], ELEMENTS[name])
            back, = self.run_text(identity(name, "9x"), array)
            self.assertEqual(back.tobytes(), array.tobytes(), name)

    def test_bf16_among_several_results(self):
        text = """module {
          func.func @main(%a: tensor<2xf32>) -> (tensor<2xbf16>, tensor<2xf32>, tensor<bf16>) {
            %b = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xbf16>
            %c = stablehlo.constant dense<1.5> : tensor<bf16>
            return %b, %a, %c : tensor<2xbf16>, tensor<2xf32>, tensor<bf16>
          }
        }"""
        first, second, third = self.run_text(text, np.array([1.00390625, -2.0], np.float32))
        self.assertEqual([NAMES[array.dtype] for array in (first, second, third)], ["bf16", "f32", "bf16"])
        self.assertEqual(first.astype(np.float64).tolist(), [1.0, -2.0])
        self.assertEqual((second.tolist(), float(third)), ([1.00390625, -2.0], 1.5))

    def test_operations_of_chlo_run(self):
        text = """module {
          func.func @main(%a: tensor<2xf64>) -> tensor<2xf64> {
            %0 = chlo.sinh %a : tensor<2xf64> -> tensor<2xf64>
            return %0 : tensor<2xf64>
          }
        }"""
        back, = self.run_text(text, np.array([0.5, -1.0]))
        np.testing.assert_allclose(back, np.sinh([0.5, -1.0]), rtol=1e-12)

    def test_the_only_function_runs_whatever_it_is_called(self):
        back, = self.run_text(support.DOUBLE.replace("@main", "@other"), np.array([1.0, 2.0], np.float32))
        self.assertEqual(back.tolist(), [2.0, 4.0])

    def test_goldens_run(self):
        for path in support.GOLDENS:
            text = path.read_text()
            specs, results = modules.signature(modules.parse(text))
            drawn = [np.abs(array) / (1 + np.abs(array)) for array in arguments.draw(specs, 3)]  # Adam's state is in [0, 1)
            got = self.run_text(text, *(array.astype(spec.dtype) for array, spec in zip(drawn, specs)))
            self.assertEqual([modules.Spec.of(array) for array in got], results, path.name)
            self.assertTrue(all(np.isfinite(array).all() for array in got), path.name)


class WithInterpreter(Engine, unittest.TestCase):
    engine = "interpreter"


class WithXla(Engine, unittest.TestCase):
    engine = "xla"


class Flags(unittest.TestCase):
    def product(self, engine):
        with Worker(engine) as worker:
            a, b = np.full(4, 100, np.float32), np.full(4, -50, np.float32)
            return worker.run(worker.load(support.REWRITTEN), [a, b])[1]

    def test_strict_flags_keep_operations_apart(self):
        self.assertTrue(np.isneginf(self.product("xla")).all())

    def test_default_flags_are_those_of_xla(self):
        self.assertTrue(np.isfinite(self.product("xla-default")).all())


class Seam(unittest.TestCase):
    def run_without(self, change):
        program = (f"import sys; sys.path.insert(0, {str(support.TOOLS)!r})\n"
                   "from jaxlib import _jax, xla_client\nimport numpy\n"
                   f"{change}\n"
                   "from judges import engines, toolchain\n"
                   "try:\n    engines.Xla.put(numpy.zeros(2))\n"
                   "except toolchain.ToolchainError as error:\n    print(error)\n")
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60).stdout

    def test_a_seam_that_moved_names_the_pinned_version(self):
        for change in ("del _jax.batched_device_put", "_jax.batched_device_put = lambda one: one"):
            self.assertRegex(self.run_without(change),
                             r"jaxlib \S+ lacks _jax.batched_device_put.*which jaxlib 0\.10\.2 has.*scripts/setup")


if __name__ == "__main__":
    unittest.main()
