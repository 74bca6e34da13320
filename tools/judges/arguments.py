"""Arguments of modules from files or drawn, results into files: .npz, .case, and frames under any other ending."""

import pathlib
import re
import zipfile

import numpy as np

from judges import frames
from judges.frames import FrameError


class ArgumentsError(ValueError):
    """A file that does not give a module's arguments; the message names it."""


def load(path, specs, set_name=None):
    """The arrays of a file for arguments of these Specs (which are not checked but to read bf16 out of .npz).

    set_name: which set of a .case file; the first by default. Throws ArgumentsError.
    """
    path = pathlib.Path(path)
    try:
        if path.suffix == ".npz":
            return load_npz(path, specs)
        if path.suffix == ".case":
            return pick_set(frames.read_case(path), set_name).arguments
        return frames.read_tensors(path)
    except OSError as error:
        raise ArgumentsError(f"{path}: cannot be read: {error.strerror or error}") from None
    except FrameError as error:
        raise ArgumentsError(str(error) if str(path) in str(error) else f"{path}: {error}") from None


def load_npz(path, specs):
    """The arrays arr_0, arr_1, ... or arg0, arg1, ... of a file. Throws ArgumentsError, OSError."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            found = {name: archive[name] for name in archive.files}
    except (ValueError, zipfile.BadZipFile, EOFError) as error:
        raise ArgumentsError(f"{path}: not an .npz file of plain arrays: {error}") from None
    numbered = {}
    for name, array in found.items():
        match = re.fullmatch(r"(?:arr_|arg_?)(\d+)", name)
        if not match or int(match[1]) in numbered:
            raise ArgumentsError(f"{path}: an array is called {name}; arr_0, arr_1, ... or arg0, arg1, ... are read")
        numbered[int(match[1])] = array
    if sorted(numbered) != list(range(len(numbered))):
        raise ArgumentsError(f"{path}: arrays {sorted(numbered)}; they are to be numbered from 0 without gaps")
    return [with_bf16(numbered[index], specs[index] if index < len(specs) else None)
            for index in range(len(numbered))]


def with_bf16(array, spec):
    """An array of .npz, which keeps bf16 as two bytes without a meaning."""
    bf16 = frames.ELEMENTS["bf16"]
    return array.view(bf16) if array.dtype == np.dtype("V2") and spec and spec.dtype == bf16 else array


def pick_set(case, name=None):
    """The ArgumentSet of a Case with this name, the first without one. Throws ArgumentsError, FrameError."""
    for one in case.argument_sets():
        if name in (None, one.name):
            return one
    raise ArgumentsError(f"{case.path}: no set is called {name}: {', '.join(case.sets)}" if name else
                         f"{case.path}: it has no set of arguments")


def draw(specs, seed):
    """Arrays drawn for these Specs: floats standard normal, integers 0 to 9, booleans evenly."""
    generator = np.random.default_rng(seed)
    return [np.asarray(draw_one(generator, spec), spec.dtype) for spec in specs]


def draw_one(generator, spec):
    """An array of a Spec's shape, of an element that its own can be converted from."""
    if spec.dtype == np.bool_:
        return generator.integers(0, 2, spec.shape)
    if spec.dtype.kind in "iu":
        return generator.integers(0, 10, spec.shape)
    return generator.standard_normal(spec.shape)


def save(path, arrays):
    """Writes arrays as .npz (arr_0, ...) or, under another ending, as one frame."""
    if pathlib.Path(path).suffix == ".npz":
        np.savez(path, *arrays)
    else:
        frames.write_tensors(path, arrays)
