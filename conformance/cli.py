"""The command ``quorate``: parses, runs one command, and turns whatever happens into an exit code.

0 all rules hold, 1 violated, 2 unknown (also: the trace cannot be read, or a program that is needed is missing), 3 a
defect of quorate, 4 the command was not understood, 5 nothing was checked, 130 interrupted. Every command imports what
it needs when it runs, so help appears at once.
"""

from __future__ import annotations

import os
import sys
import traceback
from argparse import Action, Namespace
from collections.abc import Callable, Sequence
from platform import python_version
from typing import Any, Final

from conformance import (
    cli_audit,
    cli_bugs,
    cli_check,
    cli_completion,
    cli_demo,
    cli_explain,
    cli_explore,
    cli_generate,
    cli_import,
    cli_metamorphic,
    cli_prove,
    cli_record,
    cli_replay,
    cli_rules,
    cli_simulate,
    cli_trace,
    cli_vectors,
    cli_walk,
    cli_watch,
)
from conformance.check.memory import keep_what_is_freed
from conformance.cli_parts import Commands, Layout, Parser
from conformance.cli_problems import problem_of, words_of
from spec.verdicts import ExitCode

ABOUT: Final = "Hold replicated logs to their specification: judge recorded traces, and explain what is wrong."

EXIT_CODES: Final = "Exit codes: 0 holds, 1 violated, 2 unknown, 3 defect of quorate, 4 usage, 5 nothing checked."

GROUPS: Final[tuple[Callable[[Commands], None], ...]] = (
    cli_demo.add,
    cli_rules.add,
    cli_check.add,
    cli_watch.add,
    cli_explain.add,
    cli_audit.add,
    cli_replay.add,
    cli_prove.add,
    cli_explore.add,
    cli_walk.add,
    cli_bugs.add,
    cli_simulate.add,
    cli_generate.add,
    cli_trace.add,
    cli_import.add,
    cli_record.add,
    cli_vectors.add,
    cli_metamorphic.add,
    cli_completion.add,
)
"""The groups of commands, in the order in which help lists them."""


class ShowVersion(Action):
    """``--version``: what a report of a defect should name."""

    def __call__(self, parser: Any, *_: object) -> None:
        """Print it and end; it is looked up only when it is asked for."""
        from importlib.metadata import version

        print(f"quorate {version('quorate')}, Python {python_version()}")
        parser.exit()


def parser() -> Parser:
    """The parser of all commands."""
    example = f"{EXIT_CODES} Example: quorate demo"
    top = Parser(prog="quorate", description=ABOUT, epilog=example, allow_abbrev=False, formatter_class=Layout)
    top.add_argument("--debug", action="store_true", help="show where in the program an error was raised")
    top.add_argument("--version", action=ShowVersion, nargs=0, help="show the version and end")
    top.set_defaults(top=top)
    commands = top.add_subparsers(metavar="COMMAND", dest="command", parser_class=Parser)
    for add in GROUPS:
        add(commands)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; gives its exit code.

    Args:
        words: the arguments; by default those of the process.
    """
    given = list(sys.argv[1:] if words is None else words)
    if words is None:  # the process is ours alone
        keep_what_is_freed()
    try:
        return _run(given)
    except SystemExit as ended:
        return int(ended.code or 0)
    except KeyboardInterrupt:
        print("\nquorate: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.HOLDS
    except Exception as error:  # noqa: BLE001 - the last line of defence: people never see a trace of calls
        return _failed(error, debug="--debug" in given)


def _run(words: Sequence[str]) -> int:
    top = parser()
    arguments, rest = top.parse_known_args([word for word in words if word != "--debug"])
    chosen: Parser = getattr(arguments, "parser", top)
    if getattr(arguments, "takes_bounds", False):
        arguments.bounds = rest
    else:
        chosen.refuse_rest(rest)
    run: Callable[[Namespace], int] | None = getattr(arguments, "run", None)
    if run is None:
        chosen.print_help()
        return ExitCode.HOLDS
    code = run(arguments)
    sys.stdout.flush()
    return code


def _failed(error: Exception, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    problem = problem_of(error)
    if problem is None:
        said = " ".join(f"{type(error).__name__}: {words_of(error)}".split())
        print(f"quorate: internal error: {said[:300]} (run it with --debug and report it)", file=sys.stderr)
        return ExitCode.INTERNAL
    print(problem.text(), file=sys.stderr)
    return problem.code


if __name__ == "__main__":
    sys.exit(main())
