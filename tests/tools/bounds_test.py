"""The comparisons of the conformance job: what passes, what does not, and what a difference says."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import ml_dtypes
import numpy as np

from judges import bounds

INF, NAN = np.inf, np.nan


def f32(*values):
    return np.array(values, np.float32)


def f64(*values):
    return np.array(values, np.float64)


class SameBits(unittest.TestCase):
    def test_equal_numbers_of_other_bits_differ(self):
        self.assertIsNone(bounds.same_bits(f32(0.0, 1.5), f32(0.0, 1.5)))
        self.assertEqual(bounds.same_bits(f32(1.0, -0.0), f32(1.0, 0.0)).index, (1,))
        self.assertEqual(bounds.same_bits(f32(1.0), np.nextafter(f32(1.0), f32(2.0))).index, (0,))

    def test_any_nan_is_nan_in_every_float(self):
        for dtype in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16):
            first = np.array([NAN, 1], dtype)
            second = first.copy()
            raw = second.view(f"u{second.dtype.itemsize}")
            raw[0] ^= 1  # another payload
            self.assertIsNone(bounds.same_bits(first, second), dtype)
            self.assertIsNotNone(bounds.same_bits(first, np.array([1, 1], dtype)), dtype)

    def test_integers_and_predicates_and_no_elements(self):
        self.assertIsNone(bounds.same_bits(np.array([-1, 2**62]), np.array([-1, 2**62])))
        self.assertIsNotNone(bounds.same_bits(np.array([2**62]), np.array([2**62 + 1])))
        self.assertIsNotNone(bounds.same_bits(np.array(True), np.array(False)))
        self.assertIsNone(bounds.same_bits(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)))

    def test_another_type_is_a_difference(self):
        self.assertIn("float64", str(bounds.same_bits(f64(1), f32(1))))
        self.assertIsNotNone(bounds.same_bits(f32(1), f32(1, 1)))


class Within(unittest.TestCase):
    def test_the_radius_is_the_last_place_that_passes(self):
        self.assertIsNone(bounds.within(f64(1.5), f64(1.0), f64(0.5)))
        found = bounds.within(f64(0.0, 1.75), f64(0.0, 1.0), f64(0.0, 0.5))
        self.assertEqual((found.index, found.allowed, found.relative), ((1,), 0.5, 0.75))

    def test_zeros_are_equal_and_nothing_else_is_at_radius_zero(self):
        self.assertIsNone(bounds.within(f32(-0.0), f64(0.0), f64(0.0)))
        self.assertIsNotNone(bounds.within(f32(1e-45), f64(0.0), f64(0.0)))

    def test_nan_wants_nan_and_infinity_the_same_one(self):
        zero = f64(0.0)
        self.assertIsNone(bounds.within(f32(NAN), f64(NAN), zero))
        self.assertIsNone(bounds.within(f32(-INF), f64(-INF), zero))
        for got, wanted in ((NAN, 1.0), (1.0, NAN), (INF, 1.0), (1.0, INF), (INF, -INF), (NAN, INF), (INF, NAN)):
            self.assertIsNotNone(bounds.within(f32(got), f64(wanted), f64(1e300)), (got, wanted))

    def test_an_infinite_radius_leaves_a_number_open(self):
        for got in (NAN, INF, 3.0):
            self.assertIsNone(bounds.within(f32(got), f64(1.0), f64(INF)))
        self.assertIsNotNone(bounds.within(f32(3.0, 3.0), f64(1.0, 1.0), f64(INF, 0.5)))
        self.assertEqual(bounds.open_elements(f64(INF, 0.5, INF)), 2)

    def test_the_worst_element_is_named(self):
        found = bounds.within(f32(2.0, 9.0, 3.0), f64(1.0, 1.0, 1.0), f64(0.5, 0.5, 0.5))
        self.assertEqual(found.index, (1,))
        self.assertIn("element [1] is 9.0, wanted 1.0 (allowed 0.5", str(found))

    def test_rank_zero_and_no_elements_and_bf16(self):
        self.assertIsNone(bounds.within(np.array(1, ml_dtypes.bfloat16), np.array(1.0), np.array(0.0)))
        self.assertIn("the number", str(bounds.within(np.array(2, np.float32), np.array(1.0), np.array(0.0))))
        self.assertIsNone(bounds.within(np.zeros((2, 0), np.float32), np.zeros((2, 0)), np.zeros((2, 0))))
        self.assertIsNotNone(bounds.within(f32(1, 1), f64(1), f64(0)))


if __name__ == "__main__":
    unittest.main()
