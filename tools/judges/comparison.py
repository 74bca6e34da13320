"""How far two arrays lie apart, and whether that is within a bound."""

import dataclasses

import ml_dtypes
import numpy as np

from judges.frames import NAMES

# Of the largest element; integers and booleans must be equal.
DEFAULT_BOUNDS = {"f64": 1e-12, "f32": 1e-5, "bf16": 2.0 ** -6, "f16": 2.0 ** -9}


@dataclasses.dataclass(frozen=True)
class Difference:
    """The largest differences of two arrays, and the first place that is beyond the bound, or that differs at all."""

    absolute: float
    relative: float  # to the largest finite element
    ulps: int | None  # None for integers, and where only one of two is a NaN
    beyond: int  # how many elements lie beyond the bound
    excess: float  # the largest multiple of the bound
    index: tuple | None
    got: object = None
    wanted: object = None

    @property
    def agrees(self):
        """Whether no element lies beyond the bound."""
        return self.beyond == 0


def is_float(dtype):
    """Whether a dtype is one of the floating-point elements."""
    return NAMES[dtype] in DEFAULT_BOUNDS


def bound_for(dtype):
    """The default bound for an element, a fraction of the largest element; 0 for integers."""
    return DEFAULT_BOUNDS.get(NAMES[dtype], 0.0)


def allowance(wanted, bound):
    """The absolute bound for each element of an array: a fraction of its largest finite one."""
    return np.full(wanted.shape, bound * largest(wanted))


def largest(array):
    """The largest finite magnitude, 0 if there is none."""
    magnitudes = np.abs(np.asarray(array, np.float64))
    return float(np.max(magnitudes, initial=0.0, where=np.isfinite(magnitudes)))


def measure(got, wanted, allowed, flush=False):
    """The Difference of an array from what is wanted, of its own dtype or f64, by the absolute bounds allowed.

    flush: a subnormal number counts as zero too, on both sides, as XLA has it. NaN equals NaN, and -0 +0.
    """
    distance = distances(got, wanted)
    if flush and is_float(got.dtype):
        tiny = float(ml_dtypes.finfo(got.dtype).smallest_normal)
        distance = np.minimum(distance, distances(flushed(got, tiny), flushed(wanted, tiny)))
    beyond = distance > allowed
    if not distance.any():
        return Difference(0.0, 0.0, 0, 0, 0.0, None)
    absolute, scale = float(distance.max()), largest(wanted)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.where(distance > 0, distance / allowed, 0.0)
    index = tuple(int(number[0]) for number in np.nonzero(np.atleast_1d(beyond if beyond.any() else distance > 0)))
    index = index if got.ndim else ()
    return Difference(absolute, absolute / scale if scale else np.inf, ulps_between(got, wanted, distance),
                      int(beyond.sum()), float(np.nan_to_num(excess, nan=0.0, posinf=np.inf).max()),
                      index, got[index], wanted[index])


def distances(got, wanted):
    """|got - wanted| as f64; inf where one of two is a NaN, at least 1 where integers differ."""
    left, right = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(left - right)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    if got.dtype == wanted.dtype and not is_float(got.dtype):
        same = got == wanted
        apart = np.maximum(apart, 1.0)
    return np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))


def flushed(array, tiny):
    """The array as f64, with zeros for what is smaller than the smallest normal number."""
    values = np.asarray(array, np.float64)
    return np.where(np.abs(values) < tiny, 0.0, values)


def ulps_between(got, wanted, distance):
    """The largest number of representable steps between elements that differ; None if that is not a number."""
    if not is_float(got.dtype):
        return None
    with np.errstate(over="ignore"):
        wanted = np.asarray(wanted).astype(got.dtype)
    here = distance > 0
    if np.isnan(got[here].astype(np.float64)).any() or np.isnan(wanted[here].astype(np.float64)).any():
        return None
    left, right = ordered(got[here]), ordered(wanted[here])
    return int((np.maximum(left, right) - np.minimum(left, right)).max())


def ordered(array):
    """Floats as u64 in the same order, a step apart where they are neighbours; -0 and +0 are one."""
    width = array.dtype.itemsize
    bits = array.view(f"u{width}").astype(np.uint64)
    sign = np.uint64(1 << (8 * width - 1))
    return np.where(bits & sign, sign - (bits & (sign - np.uint64(1))), bits + sign)


def same_bits(got, wanted):
    """Where two arrays of one dtype hold the same bits, or both a NaN."""
    if not is_float(got.dtype):
        return got == wanted
    unsigned = f"u{got.dtype.itemsize}"
    both_nan = np.isnan(got.astype(np.float64)) & np.isnan(wanted.astype(np.float64))
    return (np.asarray(got, order="C").view(unsigned) == np.asarray(wanted, order="C").view(unsigned)) | both_nan
