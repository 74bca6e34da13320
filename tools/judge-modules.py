#!/usr/bin/env python3
"""Judges recorded StableHLO modules by engines that nobody here wrote.

    judge-modules.py MODULES [--filter REGEX] [--failures FOLDER]

MODULES is a folder of NAME.mlir and NAME.case, which the tests write when TOPOS_MODULES names it; scripts/conformance
makes one and calls this. Every module is parsed, verified and read back from a portable artifact, run by StableHLO's
reference interpreter and by XLA, each in a process of its own, and compared with our oracle. What an engine cannot run,
and the caps, are read from docs/conformance.md; a module of its own shows of each line that it is still true.

Exit codes: 0 no miss; 1 a miss, an untrue line of the tables, or an opcode or raise that nothing covers; 2 the command
line or the folder cannot be used; 77 the toolchain is not there.
"""
import argparse
import json
import os
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = 77


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", type=Path, help="folder of recorded modules")
    parser.add_argument("--validator", default=os.environ.get("TOPOS_STABLEHLO_VALIDATOR"),
                        help="command line that parses and verifies (default: $TOPOS_STABLEHLO_VALIDATOR)")
    parser.add_argument("--evaluator", default=os.environ.get("TOPOS_STABLEHLO_EVALUATOR"),
                        help="command line that runs modules (default: $TOPOS_STABLEHLO_EVALUATOR)")
    parser.add_argument("--filter", default="", metavar="REGEX", help="only modules whose name, test, title or kind "
                        "matches; coverage is not asked for then")
    parser.add_argument("--engine", action="append", choices=["interpreter", "xla"], help="default: both")
    parser.add_argument("--tables", type=Path, default=ROOT / "docs" / "conformance.md", help="default: %(default)s")
    parser.add_argument("--probes", type=Path, default=ROOT / "tests" / "conformance" / "probes",
                        help="default: %(default)s")
    parser.add_argument("--failures", type=Path, help="where modules that miss are kept (default: MODULES/../failures)")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one answer (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="print the modules and stop")
    return parser.parse_args()


def toolchain(named):
    """A command line, or the end of the program: loudly, for nothing is checked then."""
    commands = {}
    for name in ("validator", "evaluator"):
        if not getattr(named, name):
            print(f"conformance: SKIPPED, nothing was judged: TOPOS_STABLEHLO_{name.upper()} is not set\n"
                  "conformance: scripts/setup --conformance installs the engines; scripts/conformance does it all",
                  file=sys.stderr)
            sys.exit(SKIPPED)
        commands[name] = shlex.split(getattr(named, name))
    return commands


def chosen(modules, pattern):
    wanted = re.compile(pattern)
    words = ("test", "title", "kind")
    return {name: module for name, module in modules.items()
            if wanted.search(name) or any(wanted.search(module.about[word]) for word in words)}


def say(text):
    print(f"conformance: {text}", flush=True)


def main():
    named = options()
    commands = toolchain(named)
    from judges import exceptions, flags, job, probes, summary  # numpy is there only where the toolchain is

    os.environ.setdefault("TOPOS_XLA_FLAGS", flags.STRICT_ONCE)
    try:
        modules = job.load_modules(named.modules)
        lacks, caps = exceptions.read(named.tables)
        catalog = json.loads((named.modules / "catalog.json").read_text(encoding="utf-8"))
        if named.filter:
            modules = chosen(modules, named.filter)
    except (OSError, ValueError, re.error) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    if not modules:
        print(f"conformance: no module in {named.modules}" + (f" matches {named.filter}" if named.filter else ""),
              file=sys.stderr)
        return 2
    if named.list:
        for module in modules.values():
            print(f"{module.name} {module.about['kind']:10} {module.about['title']} ({module.about['test']})")
        return 0

    engines = named.engine or list(job.ENGINES)
    untrue, probed = probes.check([each for each in lacks if each.engine in engines], named.probes,
                                  commands["evaluator"], named.timeout)
    say(f"{probed} lines about engines probed, {len(untrue)} untrue")
    run = job.Job(modules, lacks, caps, commands["validator"], commands["evaluator"], timeout=named.timeout, say=say)
    findings = run.run(engines)
    missing = None if named.filter else summary.coverage(catalog, modules, findings.judged)
    uncovered = summary.uncovered(missing) if missing else []
    unlisted = [reason for _, reason in findings.skips if reason not in {each.name for each in lacks + caps} | set(summary.WORDS)]
    for line in summary.tables(findings, modules, catalog, missing):
        print(line)
    failures = named.failures or named.modules.resolve().parent / "failures"
    job.keep(failures, findings.misses, "tools/compare-engines.py")
    problems = [f"{module.name} ({module.about['title']}, {module.about['test']}): {engine}, {against}: {text}"
                for module, engine, against, text in findings.misses]
    if problems:
        problems.append(f"modules that missed are kept in {failures}")
    problems += [f"no longer true: {each}" for each in untrue]
    problems += [f"no engine ran {each}" for each in uncovered]
    problems += [f"skipped for a reason that is not listed in {named.tables}: {each}" for each in unlisted]
    print("".join(f"\n{each}" for each in problems))
    print(summary.last_line(findings, modules))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
