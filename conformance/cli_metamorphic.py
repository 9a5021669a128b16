"""``quorate metamorphic``: one script of operations under many configurations, whose histories must be the same."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli_check import count
from conformance.cli_parts import Commands, Problem, command
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from conformance.segment.comparing import Systems
    from conformance.segment.configurations import Defects
    from conformance.segment.searching import Found

SEEDS = 100
PROGRAM = "your program"


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "metamorphic",
        "run scripts on channels under many configurations, whose histories must be the same",
        run,
        example="quorate metamorphic --seeds 100 --defect drops_rest_of_segment",
        more="Without files the scripts are random. Exit code 1 comes with a script on which two differ.",
    )
    parser.add_argument("files", metavar="SCRIPT", nargs="*", help="a script, one operation a line")
    parser.add_argument("--seeds", metavar="N", type=count, help=f"how many random scripts ({SEEDS})")
    parser.add_argument("--first", metavar="SEED", type=count, default=0, help="the first seed (0)")
    parser.add_argument("--length", metavar="N", type=count, default=30, help="operations of a random script (30)")
    parser.add_argument("--command", metavar="PROGRAM", dest="program", help="your own system instead: a program")
    parser.add_argument("--defect", metavar="NAME", help="plant a defect that real engines had")


def run(arguments: Namespace) -> int:
    """Run the scripts; 1 where configurations differ on one."""
    from conformance.segment.configurations import STANDARD

    if arguments.files and arguments.seeds:
        raise Problem("scripts and --seeds", "--seeds makes random scripts", "one of both", "--seeds")
    if arguments.program and arguments.defect:
        raise Problem(
            "--command and --defect", "defects are planted in the reference machine", "one of both", "--defect"
        )
    with _systems(arguments) as systems:
        if arguments.files:
            return max(_of_file(file, systems(0)) for file in arguments.files)
        return _search(arguments, systems, PROGRAM if arguments.program else f"{len(STANDARD)} configurations")


def _search(arguments: Namespace, systems: Callable[[int], Systems], whose: str) -> int:
    """Try random scripts."""
    from conformance.segment.searching import search

    seeds = range(arguments.first, arguments.first + (arguments.seeds or SEEDS))
    found = search(systems, seeds, arguments.length, enough=1)
    if found is None:
        print(f"{len(seeds)} scripts, {whose}: each says what the model says")
        return ExitCode.HOLDS
    print(_told(found))
    same = {"--defect": arguments.defect, "--command": arguments.program}
    more = "".join(f" {name} {shlex.quote(value)}" for name, value in same.items() if value)
    print(f"Replay: quorate metamorphic --first {found.seed} --seeds 1 --length {arguments.length}{more}")
    return ExitCode.VIOLATED


@contextmanager
def _systems(arguments: Namespace) -> Iterator[Callable[[int], Systems]]:
    """What runs the scripts, by seed: the model beside the reference machine, or beside a program."""
    from conformance.segment.comparing import MODEL, channels_of, clusters
    from conformance.segment.model import Model

    if not arguments.program:
        defects = _defects(arguments.defect)
        yield lambda seed: clusters(defects=defects, seed=seed)
        return
    from quorate.adapters.channels import CommandChannels, started
    from quorate.adapters.errors import AdapterError

    try:
        program = started(shlex.split(arguments.program))
        try:
            yield lambda _: {
                MODEL: lambda _: Model(),
                PROGRAM: lambda script: CommandChannels(program, channels_of(script)),
            }
        finally:
            program.end()
    except AdapterError as wrong:
        raise Problem(
            wrong.what, wrong.why, wrong.advice, wrong.where, ExitCode.UNKNOWN, type(wrong).__name__
        ) from wrong


def _defects(name: str | None) -> Defects:
    from conformance.segment.configurations import PLANTED, SOUND

    if name is not None and name not in PLANTED:
        raise Problem(f"no defect {name!r}", f"known: {', '.join(PLANTED)}", "one of them", "--defect")
    return SOUND if name is None else PLANTED[name]


def _of_file(file: str, systems: Systems) -> int:
    """The history of a script, or the smallest part of it on which two systems differ."""
    from conformance.segment.histories import history
    from conformance.segment.model import Model
    from conformance.segment.searching import failure
    from conformance.segment.text import BadScript, script_of

    try:
        script = script_of(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as wrong:
        advice = wrong.advice if isinstance(wrong, BadScript) else "check the path"
        raise Problem("the script cannot be read", str(wrong), advice, file) from wrong
    found = failure(script, systems)
    print(*(history(script, Model()) if found is None else [_told(found)]), sep="\n")
    return ExitCode.HOLDS if found is None else ExitCode.VIOLATED


def _told(found: Found) -> str:
    return "\n".join(_lines(found))


def _lines(found: Found) -> Iterator[str]:
    yield f"Two configurations differ on this script of {len(found.script)} operations:"
    yield from (f"  {operation}" for operation in found.script)
    yield str(found.difference)
