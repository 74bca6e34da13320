#!/usr/bin/env python3
"""Runs one StableHLO module once, in a process of its own, and prints or writes its results.

Arguments come from .npz (arr_0, arr_1, ... or arg0, arg1, ...), from a .case file of the tests, or from a file with
one frame of tensors (tools/judges/frames.py); --seed draws them. With --resident no module is run: the process answers
framed requests like serve-stablehlo.py.

Exit code 0; 1 if the engine refuses the module or its arguments, 2 for a mistake on the command line or in a file of
arguments, 3 if the engine crashes, 4 if it does not answer in time.
"""

import argparse
import pathlib
import sys

from judges import toolchain

EXAMPLES = """examples:
  tools/eval-stablehlo.py model.mlir arguments.npz
  tools/eval-stablehlo.py model.mlir --seed 7 --engine both
  tools/eval-stablehlo.py 0123456789abcdef.mlir 0123456789abcdef.case --set specials --output results.npz
  tools/eval-stablehlo.py --resident --engine xla

TOPOS_STABLEHLO_EVALUATOR names this command line to the tests, which append --resident and --engine.
"""

REFUSED, MISTAKE, CRASHED, LATE = 1, 2, 3, 4  # exit codes


class Refusal(Exception):
    """Why there are no results: (exit code, text)."""


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", nargs="?", metavar="MODULE", help="the module's text, - for stdin")
    parser.add_argument("arguments", nargs="?", metavar="ARGUMENTS", help="a file with its arguments")
    parser.add_argument("--engine", choices=["interpreter", "xla", "xla-default", "both"],
                        help="who runs it: the reference interpreter, XLA with strict flags or with its own, or the "
                             "first two (default interpreter; xla with --resident)")
    parser.add_argument("--output", metavar="RESULTS", help="write the results: .npz, or a frame under another ending")
    parser.add_argument("--seed", type=int, metavar="N", help="draw the arguments")
    parser.add_argument("--set", metavar="NAME", help="the set of a .case file (default: its first)")
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="seconds to wait (default 60)")
    parser.add_argument("--resident", action="store_true", help="answer framed requests on stdin, and nothing else")
    options = parser.parse_args()
    check_options(parser, options)
    return options


def check_options(parser, options):
    """Ends the program for options that do not go together."""
    if options.resident:
        if options.module or options.seed is not None or options.output:
            parser.error("--resident takes no module, arguments or output: requests bring them")
        if options.engine == "both":
            parser.error("--resident has one engine")
        return
    if options.module is None:
        parser.error("a module is needed, or --resident")
    if options.arguments and options.seed is not None:
        parser.error("ARGUMENTS and --seed exclude each other")
    if options.seed is not None and options.seed < 0:
        parser.error("--seed: a number of at least 0")
    if options.engine == "both" and options.output:
        parser.error("--output takes the results of one engine, not of both")
    if not 0 < options.timeout <= 3600:
        parser.error("--timeout: more than 0 seconds and at most 3600")


def read_text(name):
    """The module's text. Throws Refusal."""
    try:
        return (sys.stdin.buffer.read() if name == "-" else pathlib.Path(name).read_bytes()).decode("utf-8")
    except OSError as error:
        raise Refusal(MISTAKE, f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Refusal(MISTAKE, f"{name}: not UTF-8 at byte {error.start}") from None


def arguments_for(specs, options):
    """The arrays that the options name for arguments of these Specs. Throws Refusal."""
    from judges import arguments
    try:
        if options.arguments:
            return arguments.load(options.arguments, specs, options.set)
    except arguments.ArgumentsError as error:
        raise Refusal(MISTAKE, str(error)) from None
    if options.seed is not None:
        return arguments.draw(specs, options.seed)
    if specs:
        raise Refusal(MISTAKE, f"{options.module} takes {len(specs)} arguments ({', '.join(map(str, specs))}): "
                         "name a file with them, or draw them with --seed N")
    return []


def evaluate(text, options, engine):
    """The module's results by one engine. Throws Refusal."""
    from judges import modules
    from judges.worker import EngineCrash, EngineError, EngineTimeout, Worker
    try:
        with Worker(engine, options.timeout) as worker:
            program = worker.load(text)  # first there: a module that crashes the parser must not do it here
            specs, _ = modules.signature(modules.parse(text))
            given = arguments_for(specs, options)
            modules.check_arguments([modules.Spec.of(array) for array in given], specs)
            return worker.run(program, given)
    except EngineError as error:
        raise Refusal(REFUSED, f"{options.module}: {engine}: {error}") from None
    except modules.ModuleError as error:
        raise Refusal(MISTAKE, f"{options.arguments}: {error}") from None
    except EngineCrash as error:
        raise Refusal(CRASHED, f"{options.module}: crash: {error}") from None
    except EngineTimeout as error:
        raise Refusal(LATE, f"{options.module}: {error}") from None


def show(results):
    """Prints the results: type and numbers."""
    import numpy as np
    from judges.modules import Spec
    for index, array in enumerate(results):
        print(f"result {index}: {Spec.of(array)}")
        print(np.array2string(array, separator=", ", max_line_width=120))


def main():
    options = read_options()
    toolchain.require()
    if options.resident:
        from judges import service
        return service.serve(options.engine or "xla")
    engines = {"both": ["interpreter", "xla"], None: ["interpreter"]}.get(options.engine, [options.engine])
    codes = []
    try:
        text = read_text(options.module)
        for engine in engines:
            codes.append(run(text, options, engine, f"{engine}:" if len(engines) > 1 else None))
    except Refusal as refusal:
        codes.append(refuse(refusal))
    return max(codes)


def run(text, options, engine, heading):
    """Runs the module on one engine, prints or writes its results; gives the exit code. Throws Refusal (2)."""
    if heading:
        print(heading, flush=True)
    try:
        results = evaluate(text, options, engine)
    except Refusal as refusal:
        if refusal.args[0] == MISTAKE:
            raise
        return refuse(refusal)
    if not options.output:
        show(results)
        return 0
    from judges import arguments
    try:
        arguments.save(options.output, results)
    except OSError as error:
        raise Refusal(MISTAKE, f"{options.output}: cannot be written: {error.strerror}") from None
    return 0


def refuse(refusal):
    """Prints why; gives the exit code."""
    code, why = refusal.args
    print(f"eval-stablehlo: {why}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
