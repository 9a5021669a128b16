"""What a family offers to be simulated: whole numbers in, a heading and events out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from reference_impl.kernel.explorer.result import Trace
from reference_impl.kernel.heading import Heading
from reference_impl.telling.runs import May, anything, at_random
from spec.language.protocol.running import PackedWorld
from spec.protocols.registry import Text

Row: TypeAlias = Mapping[str, Any]
"""An event by its columns."""

Options: TypeAlias = Mapping[str, int]

STEPS: Final = 60
"""So many steps a run of a text has, unless one says otherwise."""


class BadOption(ValueError):
    """With such options nothing can be simulated."""


@dataclass(frozen=True)
class Simulated:
    """What of a family can be simulated.

    Attributes:
        family: the family's name.
        what: what runs, for people.
        options: whole numbers that decide the run, with what they are unless one says otherwise; ``seed`` is one.
        mutants: what can go wrong on purpose, by name, in a sentence.
        run: what is fixed of a run, and its events, for all options and the name of a mutant, or "".
    """

    family: str
    what: str
    options: Options
    mutants: Mapping[str, str]
    run: Callable[[Options, str], tuple[Heading, Iterator[Row]]]


def from_text(
    family: str,
    text: Text,
    heading: Callable[[Options], Heading],
    tell: Callable[[PackedWorld, Trace], Iterable[Row]],
    may: May = anything,
    usual: Options = MappingProxyType({}),
    most: Options = MappingProxyType({}),
) -> Simulated:
    """Random runs of a protocol text, told as traces; its wrong forms are the mutants.

    Args:
        family: the family's name.
        text: the text; its bounds are options.
        heading: what is fixed of a run.
        tell: the events of a run.
        may: whether a step may come next, where an implementation does less than the text allows.
        usual: options that are not as the text's small world has them, unless one says otherwise.
        most: how much of an option can be simulated, where that has an end.
    """

    def run(said: Options, form: str) -> tuple[Heading, Iterator[Row]]:
        if said["steps"] < 1:
            raise BadOption("a run has one step at least")
        for name, bound in most.items():
            if said[name] > bound:
                raise BadOption(f"{said[name]} {name} are too many: a run of the text {text.name} has {bound} at most")
        machine = PackedWorld(text.small(form, **{name: said[name] for name in text.bounds}))
        told = tell(machine, at_random(machine, Random(said["seed"]), said["steps"], may=may))
        return heading(said), iter(told)

    mutants = {name: inspect.cleandoc(form.__doc__ or "").partition("\n")[0] for name, form in text.variants.items()}
    options = {"seed": 1, "steps": STEPS, **text.bounds, **usual}
    return Simulated(family, f"random runs of the text {text.name}", options, mutants, run)
