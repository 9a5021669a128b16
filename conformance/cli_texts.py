"""What ``explore`` and ``walk`` share: a small world from bounds on the command line, and runs shown step by step."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conformance.cli_parts import Parser, Problem, near

if TYPE_CHECKING:
    from spec.language.protocol.clauses import Clause
    from spec.language.protocol.states import Step
    from spec.language.protocol.world import World
    from spec.protocols.registry import Text


def with_text(parser: Parser, *checks: str) -> None:
    """The text, its variant, and whatever bounds it has."""
    parser.add_argument("text", metavar="TEXT", nargs="?", help="a protocol text; without it, the texts are listed")
    parser.add_argument("--variant", metavar="NAME", default="", help="a wrong form of it, or another right one")
    parser.add_argument("--check", choices=("goal", "invariant", *checks), default="goal", help="what must hold (goal)")
    parser.add_argument("--goal", metavar="NAME", help="the only goal that matters")
    parser.set_defaults(takes_bounds=True)


def chosen(arguments: Namespace, program: str) -> tuple[Text, World, dict[str, int]]:
    """The text that is named, its small world, and the bounds that were given.

    Raises:
        Problem: a bound is unknown or no number.
        UnknownText: there is no such text or variant.
        BadWorld: the bounds leave no room.
    """
    from spec.protocols.registry import text

    found = text(arguments.text)
    bounds = bounds_of(found.bounds, arguments.bounds, program)
    return found, _for_goal(found.small(arguments.variant, **bounds), arguments.goal), bounds


def _for_goal(world: World, name: str | None) -> World:
    """A world whose text has one goal only, if one is named.

    Raises:
        Problem: it has no such goal.
    """
    goals = [goal.name for goal in world.protocol.of_kind("goal")]
    if name is None:
        return world
    if name not in goals:
        raise Problem(f"no goal {name!r}", f"its goals are {', '.join(goals)}", near(name, goals, "quorate"), "--goal")
    return replace(world, protocol=world.protocol.for_goal(name))


def bounds_of(known: Mapping[str, int], words: list[str], program: str) -> dict[str, int]:
    """Bounds as people write them: ``--nodes 3`` or ``--nodes=3``.

    Raises:
        Problem: there is no such bound, or it is no number.
    """
    found: dict[str, int] = {}
    rest = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    for word, value in zip(rest[::2], [*rest[1::2], ""], strict=False):
        name = word.removeprefix("--").replace("-", "_")
        if not word.startswith("--") or name not in known:
            advice = near(word, [f"--{one}" for one in known], program)
            raise Problem(f"no argument {word!r}", f"bounds are {', '.join(f'--{one}' for one in known)}", advice)
        if not value.isdecimal():
            raise Problem(f"{word} {value}".strip(), "a bound is a whole number", f"{word} {known[name]}")
        found[name] = int(value)
    return found


def listed() -> None:
    """List the texts with their bounds and variants."""
    from spec.protocols.registry import every_text

    for text in every_text():
        print(f"{text.name}: {text.sentence}")
        print("    " + " ".join(f"--{name} {default}" for name, default in text.bounds.items()))
        if text.variants or text.forms:
            print(f"    --variant {' | '.join([*text.variants, *text.forms])}")


def pasted(command: str, arguments: Namespace, bounds: Mapping[str, int], options: Iterable[str] = ()) -> str:
    """The line that does the same again."""
    words = ["quorate", command, arguments.text]
    words += ["--variant", arguments.variant] if arguments.variant else []
    words += ["--goal", arguments.goal] if arguments.goal else []
    words += [part for name, bound in bounds.items() for part in (f"--{name}", str(bound))]
    return shlex.join([*words, *options])


def step_lines(world: World, steps: Iterable[Step]) -> Iterator[str]:
    """A run step by step."""
    from spec.language.protocol.telling import run, said

    for number, one in enumerate(run(world, steps), 1):
        yield f"{number:3}. {said(world, one.step)}"
        yield f"     {one.step.action.sentence}"
        yield from (f"     now: {change}" for change in one.changes)


def broken(message: str, clause: Clause) -> Iterator[str]:
    """What is wrong at the end of a run, and the source of what is broken."""
    yield f"broken: {message}"
    yield f"     {clause.cite}"


def trace_json(world: World, steps: Iterable[Step]) -> list[dict[str, Any]]:
    """A run for machines."""
    from spec.language.protocol.telling import run, said

    return [{"step": said(world, one.step), "changes": list(one.changes)} for one in run(world, steps)]
