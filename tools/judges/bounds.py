"""Whether an engine's result is what it should be: the same bits, or within a radius of a center."""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Difference:
    """The element of a result that is farthest beyond what is allowed."""

    index: tuple
    got: object
    wanted: object
    allowed: float   # absolute; 0 where the bits must agree
    relative: float  # of the difference, to the largest element that was wanted

    def __str__(self):
        place = f"element {list(self.index)}" if self.index else "the number"
        bound = f"allowed {self.allowed:.3g}" if self.allowed else "no difference is allowed"
        return f"{place} is {self.got}, wanted {self.wanted} ({bound}; {self.relative:.3g} of the largest element)"


def bits(array):
    """The elements as unsigned integers; every NaN the same one, for its payload means nothing."""
    raw = np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}").reshape(array.shape)
    if is_float(array.dtype):
        raw = np.where(np.isnan(_wide(array)), np.iinfo(raw.dtype).max, raw)
    return raw


def is_float(dtype):
    """Also of bf16, which numpy itself does not know."""
    return dtype.kind == "f" or dtype.name == "bfloat16"


def same_bits(got, wanted):
    """None, or the first element whose bits differ."""
    found = _mismatched_type(got, wanted)
    if found:
        return found
    wrong = np.argwhere(bits(got) != bits(wanted))
    if not len(wrong):
        return None
    index = tuple(int(i) for i in wrong[0])
    return Difference(index, got[index], wanted[index], 0.0, _relative(_wide(got), _wide(wanted), index))


def within(got, center, radius):
    """None, or the element farthest beyond its radius. A radius of infinity leaves an element open; otherwise NaN
    wants NaN and an infinity the same one. Both zeros are 0."""
    wide = _wide(got)
    if wide.shape != center.shape:
        return Difference((), wide.shape, center.shape, 0.0, np.inf)
    distance = _distance(wide, center)
    wrong = distance > radius
    if not np.any(wrong):
        return None
    worst = int(np.argmax(np.where(wrong, distance - radius, -1.0)))
    index = tuple(int(i) for i in np.unravel_index(worst, distance.shape))
    return Difference(index, got[index], center[index], float(radius[index]), _relative(wide, center, index))


def open_elements(radius):
    """How many elements nothing is known about."""
    return int(np.count_nonzero(np.isinf(radius)))


def margin(got, center, radius):
    """(allowed, measured): the largest radius and the largest distance, to the largest element; None if nothing is
    finite, or all is exact."""
    known = np.isfinite(radius) & np.isfinite(center)
    largest = float(np.abs(center[known]).max()) if np.any(known) else 0.0
    if not largest or not np.any(radius[known]):
        return None
    distance = _distance(_wide(got), center)[known]
    return float(radius[known].max()) / largest, float(distance.max()) / largest


def _wide(array):
    return array.astype(np.float64)


def _distance(got, wanted):
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(got - wanted)
    agreed = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    return np.where(agreed, 0.0, np.where(np.isnan(distance), np.inf, distance))


def _relative(got, wanted, index):
    finite = np.abs(wanted[np.isfinite(wanted)])
    largest = float(finite.max()) if finite.size else 0.0
    distance = float(_distance(got, wanted)[index])
    return distance / largest if largest else distance


def _mismatched_type(got, wanted):
    if got.shape == wanted.shape and got.dtype == wanted.dtype:
        return None
    return Difference((), f"{got.dtype}{list(got.shape)}", f"{wanted.dtype}{list(wanted.shape)}", 0.0, np.inf)
