"""``quorate metamorphic``: one script of operations under many configurations, whose histories must be the same."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli_check import count
from conformance.cli_parts import Commands, Problem, command
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from conformance.segment.configurations import Defects
    from conformance.segment.searching import Found

SEEDS = 100


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
    parser.add_argument("--defect", metavar="NAME", help="plant a defect that real engines had")


def run(arguments: Namespace) -> int:
    """Run the scripts; 1 where configurations differ on one."""
    from conformance.segment.configurations import STANDARD

    if arguments.files and arguments.seeds:
        raise Problem("scripts and --seeds", "--seeds makes random scripts", "one of both", "--seeds")
    defects = _defects(arguments.defect)
    if arguments.files:
        return max(_of_file(file, defects) for file in arguments.files)
    seeds = range(arguments.first, arguments.first + (arguments.seeds or SEEDS))
    found = _searched(seeds, arguments.length, defects)
    if found is None:
        print(f"{len(seeds)} scripts, {len(STANDARD)} configurations: each says what the model says")
        return ExitCode.HOLDS
    print(_told(found))
    planted = f" --defect {arguments.defect}" if arguments.defect else ""
    print(f"Replay: quorate metamorphic --first {found.seed} --seeds 1 --length {arguments.length}{planted}")
    return ExitCode.VIOLATED


def _defects(name: str | None) -> Defects:
    from conformance.segment.configurations import PLANTED, SOUND

    if name is not None and name not in PLANTED:
        raise Problem(f"no defect {name!r}", f"known: {', '.join(PLANTED)}", "one of them", "--defect")
    return SOUND if name is None else PLANTED[name]


def _of_file(file: str, defects: Defects) -> int:
    """The history of a script, or the smallest part of it on which configurations differ."""
    from conformance.segment.comparing import clusters
    from conformance.segment.histories import history
    from conformance.segment.model import Model
    from conformance.segment.searching import failure
    from conformance.segment.text import BadScript, script_of

    try:
        script = script_of(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as wrong:
        advice = wrong.advice if isinstance(wrong, BadScript) else "check the path"
        raise Problem("the script cannot be read", str(wrong), advice, file) from wrong
    found = failure(script, clusters(defects=defects))
    print(*(history(script, Model()) if found is None else [_told(found)]), sep="\n")
    return ExitCode.HOLDS if found is None else ExitCode.VIOLATED


def _searched(seeds: range, length: int, defects: Defects) -> Found | None:
    from conformance.segment.comparing import clusters
    from conformance.segment.searching import search

    return search(lambda seed: clusters(defects=defects, seed=seed), seeds, length, enough=1)


def _told(found: Found) -> str:
    return "\n".join(_lines(found))


def _lines(found: Found) -> Iterator[str]:
    yield f"Two configurations differ on this script of {len(found.script)} operations:"
    yield from (f"  {operation}" for operation in found.script)
    yield str(found.difference)
