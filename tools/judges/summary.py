"""What the job prints: tables by engine and reason, the misses, what is not covered, and one line at the end."""
from collections import Counter

import numpy as np

# Words of the skips that are not lines of the tables in docs/conformance.md.
WORDS = {
    "chlo": "has chlo operations, which no artifact holds; its twin for a target is judged",
    "undecided": "every element may be either of two values",
}


def coverage(catalog, modules, judged):
    """By engine, the opcodes and raises of the catalog that no module it answered has."""
    missing = {}
    for engine, names in judged.items():
        seen = {kind: set() for kind in ("opcodes", "raises")}
        for name in names:
            about = modules[name].about
            seen["opcodes"].update(about["opcodes"])
            seen["raises"].update(about["raised"])
        missing[engine] = {kind: sorted(set(catalog[kind]) - seen[kind]) for kind in seen}
    return missing


def uncovered(missing):
    """Opcodes and raises that no engine ran at all."""
    found = []
    for kind in ("opcodes", "raises"):
        lists = [set(each[kind]) for each in missing.values()]
        found += sorted(set.intersection(*lists)) if lists else []
    return found


def tables(findings, modules, catalog, missing):
    """The lines before the last; `missing` is None where only some modules were asked for."""
    yield from _by_kind(modules)
    yield ""
    yield f"{'engine':12} {'compared with':48} {'comparisons':>12} {'misses':>7}"
    missed = Counter((engine, against) for _, engine, against, _ in findings.misses)
    for (engine, against), count in sorted({**dict.fromkeys(missed, 0), **findings.comparisons}.items()):
        yield f"{engine:12} {against:48} {count:12,} {missed[engine, against]:7}"
    yield ""
    yield f"{'engine':12} {'skipped because of':48} {'modules':>12}"
    for (engine, reason), names in sorted(findings.skips.items()):
        yield f"{engine:12} {reason:48} {len(names):12,}"
    yield ""
    yield from _margins(findings)
    yield ""
    for engine, elements in sorted(findings.elements.items()):
        yield f"{engine:12} {findings.open_elements[engine]:,} of {elements:,} numbers left open: nothing is known of them"
    for engine, names in sorted(findings.judged.items()):
        line = f"{engine:12} ran {len(names):,} modules"
        if missing:
            lacks = [f"no {', '.join(found)}" for found in missing[engine].values() if found]
            line += (f": all {len(catalog['opcodes'])} opcodes and {len(catalog['raises'])} raises"
                     + (f" but {'; '.join(lacks)}" if lacks else ""))
        yield line


def _margins(findings):
    """Radius and distance, both to the largest element of the result: of half the results, 90 % and 99 %."""
    yield f"{'engine':12} {'element':8} {'results':>8}  {'allowed: half, 90 %, 99 %':28}  measured: half, 90 %, 99 %"
    for (engine, element), margins in sorted(findings.margins.items()):
        columns = np.quantile(np.array(margins), (0.5, 0.9, 0.99), axis=0).T
        allowed, measured = (" ".join(f"{number:8.1e}" for number in column) for column in columns)
        yield f"{engine:12} {element:8} {len(margins):8,}  {allowed:28}  {measured}"


def _by_kind(modules):
    yield f"{'modules':12} {'number':>8} {'operations':>12} {'bytes':>14}"
    rows = {}
    for module in modules.values():
        row = rows.setdefault(module.about["kind"], [0, 0, 0])
        row[0] += 1
        row[1] += module.operations()
        row[2] += len(module.text)
    for kind, row in sorted(rows.items()):
        yield f"{kind:12} {row[0]:8,} {row[1]:12,} {row[2]:14,}"


def last_line(findings, modules):
    """`conformance: N modules, N operations, N comparisons, N misses, N skips`."""
    operations = sum(module.operations() for module in modules.values())
    comparisons = sum(findings.comparisons.values())
    skips = sum(map(len, findings.skips.values()))
    return (f"conformance: {len(modules)} modules, {operations} operations, {comparisons} comparisons, "
            f"{len(findings.misses)} misses, {skips} skips")
