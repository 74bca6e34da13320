"""Differences of arrays: absolute, relative, in representable steps, within bounds."""

import unittest

import support
import numpy as np

from judges import comparison
from judges.comparison import measure
from judges.frames import ELEMENTS

F32 = np.float32
NAN, INF = np.nan, np.inf


class Measure(unittest.TestCase):
    def difference(self, got, wanted, allowed=0.0, dtype=F32, flush=False):
        got, wanted = np.array(got, dtype), np.array(wanted, dtype)
        return measure(got, wanted, np.full(got.shape, allowed), flush)

    def test_equal_arrays_agree(self):
        for got, wanted in [([1, NAN, INF], [1, NAN, INF]), ([0.0], [-0.0]), (3, 3), (np.zeros((0, 2)),) * 2]:
            found = self.difference(got, wanted)
            self.assertEqual((found.agrees, found.absolute, found.ulps, found.index), (True, 0, 0, None))

    def test_the_largest_difference_and_the_first_beyond_are_told(self):
        found = self.difference([[1, 2.5], [5, 8]], [[1, 2], [4, 8]], 0.75)
        self.assertEqual((found.absolute, found.relative, found.beyond), (1, 0.125, 1))
        self.assertEqual((found.index, found.got, found.wanted), ((1, 0), 5, 4))
        self.assertAlmostEqual(found.excess, 1 / 0.75)
        found = self.difference([[1, 2.5], [5, 8]], [[1, 2], [4, 8]], 2)
        self.assertEqual((found.agrees, found.index), (True, (0, 1)))

    def test_rank_zero(self):
        found = self.difference(1.5, 1.0)
        self.assertEqual((found.agrees, found.index, found.got), (False, (), 1.5))

    def test_steps_between_floats(self):
        for name in ("bf16", "f16", "f32", "f64"):
            dtype = ELEMENTS[name]
            unsigned = f"u{dtype.itemsize}"
            one = np.array([1.0], dtype)
            third = (one.view(unsigned) + np.array(3, unsigned)).view(dtype)
            least = np.array([1], unsigned).view(dtype)
            self.assertEqual(measure(third, one, np.zeros(1)).ulps, 3, name)
            self.assertEqual(measure(-third, -one, np.zeros(1)).ulps, 3, name)
            self.assertEqual(measure(least, -least, np.zeros(1)).ulps, 2, name)

    def test_nan_and_infinity_against_numbers(self):
        for got, wanted in [(NAN, 1), (1, NAN), (INF, -INF), (1, INF)]:
            found = self.difference([got], [wanted], 1e30)
            self.assertEqual((found.agrees, found.absolute), (False, INF))
        self.assertTrue(self.difference([NAN], [1], INF).agrees)  # not decided

    def test_subnormal_numbers_count_as_zero_on_request(self):
        for got, wanted, agrees in [(0, 1e-40, True), (1e-40, -1e-40, True), (2e-38, 0, False)]:
            self.assertEqual(self.difference([got], [wanted], flush=True).agrees, agrees)
        self.assertFalse(self.difference([0], [1e-40]).agrees)
        self.assertTrue(self.difference([1e-40], [1e-40 + 1e-45], 2e-45, flush=True).agrees)

    def test_integers_and_booleans_are_equal_or_not(self):
        found = self.difference([2 ** 62 + 1], [2 ** 62], 0.5, np.int64)
        self.assertEqual((found.agrees, found.absolute, found.ulps), (False, 1, None))
        self.assertFalse(self.difference([True], [False], 0.5, np.bool_).agrees)
        self.assertTrue(measure(np.array([5]), np.array([5.0]), np.zeros(1)).agrees)

    def test_a_center_of_f64_is_compared_before_rounding(self):
        found = measure(np.array([1.0], F32), np.array([1.0 + 1e-9]), np.array([2e-9]))
        self.assertTrue(found.agrees)
        self.assertFalse(measure(np.array([1.0], F32), np.array([1.0 + 1e-9]), np.array([5e-10])).agrees)

    def test_bits(self):
        got, wanted = np.array([0.0, NAN, 1], F32), np.array([-0.0, -NAN, 1], F32)
        self.assertEqual(comparison.same_bits(got, wanted).tolist(), [False, True, True])


if __name__ == "__main__":
    unittest.main()
