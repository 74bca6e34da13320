"""What an engine cannot run and how large a module may be, as docs/conformance.md lists it: the job reads its tables."""
import re
from dataclasses import dataclass
from pathlib import Path

CANNOT = "## What an engine cannot run"
CAPS = "## Caps"
OUTCOMES = ("aborts", "is refused", "differs")


@dataclass(frozen=True)
class Lack:
    """A line of the first table: modules that match `pattern`, if there is one, are not run by `engine`."""

    name: str
    engine: str
    pattern: re.Pattern | None
    outcome: str   # what happens there, one of OUTCOMES
    instead: str   # "twin": the same plan emitted without raises is judged; else words

    def covers(self, engine, text):
        return engine == self.engine and self.pattern is not None and self.pattern.search(text) is not None


@dataclass(frozen=True)
class Cap:
    """A line of the second table: `engine` runs no module whose `quantity` is above `limit`."""

    name: str
    engine: str
    quantity: str  # "multiply-adds", "operations" or "bytes"
    limit: int


def read(path):
    """The exceptions and the caps. Raises ValueError, naming the line, for a table that cannot be read."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    exceptions = [_exception(path, number, cells) for number, cells in _rows(path, lines, CANNOT)]
    caps = [_cap(path, number, cells) for number, cells in _rows(path, lines, CAPS)]
    names = [each.name for each in exceptions + caps]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{path}: {name} is listed twice")
    return exceptions, caps


def _rows(path, lines, heading):
    if heading not in lines:
        raise ValueError(f"{path}: no section \"{heading}\"")
    found = []
    for number in range(lines.index(heading) + 1, len(lines)):
        line = lines[number]
        if line.startswith("## "):
            break
        if line.startswith("| `"):
            found.append((number + 1, [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("| "))]))
    return found


def _exception(path, number, cells):
    if len(cells) != 6 or cells[3] not in OUTCOMES:
        raise ValueError(f"{path}:{number}: wanted `name` | engine | `pattern` | {' or '.join(OUTCOMES)} | instead | why")
    name, engine, pattern, outcome, instead, _ = cells
    wanted = None if pattern == "none" else re.compile(pattern.strip("`").replace("\\|", "|"))
    return Lack(name.strip("`"), engine, wanted, outcome, instead)


def _cap(path, number, cells):
    if len(cells) != 5 or cells[2] not in ("multiply-adds", "operations", "bytes"):
        raise ValueError(f"{path}:{number}: wanted `name` | engine | multiply-adds, operations or bytes | limit | why")
    name, engine, quantity, limit, _ = cells
    return Cap(name.strip("`"), engine, quantity, int(limit.replace(",", "")))
