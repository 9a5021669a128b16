"""Planning: histories made by chance so that rare things happen.

Equal payloads, several clients, answers that nobody hears and appends that are tried again, appends at once, epochs
that end meanwhile, readers that begin in the middle or at the border of epochs, trims and faults. A focus says which of
them a history is to have more of. Every history ends with what is needed to judge it: faults are undone, and a reader
reads everything. Whose chance it is, a seed's or Hypothesis', makes no difference here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from quorate.suite.chance import Chance, Seeded
from quorate.suite.steps import (
    FAULTS,
    Append,
    Drain,
    Fault,
    Hear,
    Jump,
    Look,
    Plan,
    Seal,
    Seek,
    Step,
    Tail,
    Take,
    Together,
    Trim,
)

USUAL: Final[Mapping[str, int]] = {
    "append": 10,
    "again": 3,
    "together": 2,
    "unheard": 2,
    "hear": 1,
    "seek": 2,
    "take": 4,
    "drain": 2,
    "tail": 2,
    "trim": 0,
    "fault": 0,
    "jump": 0,
    "seal": 1,
    "sealed": 1,
    "look": 0,
}
"""How often each kind of step is chosen, beside the others."""

LSNS_MAX: Final = 10
"""How many LSNs that clients know a step chooses among."""

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
STEPS_LEAST: Final = 2
"""Steps that a history has at least, but for those at its end."""

LAST_READER: Final = "reader"
"""Who reads everything at the end."""


@dataclass(frozen=True, slots=True)
class Focus:
    """What a history is to have more or less of.

    Attributes:
        weights: other weights than the usual ones.
        payloads: how many different payloads there are; 0 for as many as appends.
        faults: which faults may happen.
        places: where readers begin, besides at LSNs that clients know.
    """

    weights: Mapping[str, int] = field(default_factory=dict)
    payloads: Sequence[int] = (0, 0, 1, 2, 5)
    faults: tuple[str, ...] = ()
    places: tuple[str, ...] = ("beginning", "end", "border")

    @property
    def kinds(self) -> Mapping[str, int]:
        """How often each kind of step is chosen, beside the others."""
        return {**USUAL, **self.weights}


@dataclass(slots=True)
class Made:
    """What one history is made of so far.

    Args:
        chance: decides who is there: one to three writers and readers, and how many payloads.
        focus: what the history is to have more of.
        nodes: whom faults may hit.
    """

    chance: Chance
    focus: Focus
    nodes: Sequence[str]
    writers: list[str] = field(init=False)
    readers: list[str] = field(init=False)
    payloads: int = field(init=False)
    appended: list[tuple[str, str]] = field(default_factory=list)
    hurt: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.writers = [f"w{number}" for number in range(1, self.chance.number(2, 4))]
        self.readers = [f"r{number}" for number in range(1, self.chance.number(2, 4))]
        self.payloads = self.chance.one_of(self.focus.payloads)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: FBT001 - Hypothesis calls it so
        payloads = self.payloads or "ever new"
        printer.text(f"Made({' '.join(self.writers)} append, {' '.join(self.readers)} read, payloads: {payloads})")

    def step(self, kind: str, chance: Chance) -> Step | None:
        """A step of a kind, by a name of ``USUAL``; None where there is nothing for it to be about."""
        return _KINDS[kind](self, chance)

    def ending(self) -> Iterator[Step]:
        """What every history ends with."""
        for node, what in self.hurt.items():
            yield Fault(FAULTS[what], node)
        if self.focus.kinds["look"]:
            yield from map(Look, self.nodes)
        yield from (Seek(LAST_READER, "beginning"), Drain(LAST_READER), Tail(LAST_READER))

    def append(self, chance: Chance) -> tuple[str, str]:
        """Who appends what."""
        self.appended.append((chance.one_of(self.writers), self._payload(chance)))
        return self.appended[-1]

    def together(self, chance: Chance) -> tuple[tuple[str, str], ...]:
        """Who append what at once."""
        return tuple(self.append(chance) for _ in range(chance.number(2, 3)))

    def _payload(self, chance: Chance) -> str:
        """A new payload, or one of few."""
        if self.payloads:
            return LETTERS[chance.number(0, self.payloads - 1)]
        turn, letter = divmod(len(self.appended), len(LETTERS))
        return LETTERS[letter] + (str(turn) if turn else "")


def _fault(made: Made, chance: Chance) -> Step | None:
    """A fault, or the end of the one that its node has."""
    node = chance.one_of(made.nodes)
    if node in made.hurt:
        return Fault(FAULTS[made.hurt.pop(node)], node)
    if made.focus.faults:
        made.hurt[node] = chance.one_of(made.focus.faults)
        return Fault(made.hurt[node], node)
    return None


def _known(chance: Chance) -> int:
    return chance.number(0, LSNS_MAX - 1)


def _somewhere(made: Made, chance: Chance) -> str:
    return chance.one_of((*made.focus.places, *(f"#{_known(chance)}" for _ in range(3))))


_KINDS: Final[Mapping[str, Callable[[Made, Chance], Step | None]]] = {
    "append": lambda made, chance: Append(*made.append(chance)),
    "again": lambda made, chance: Append(*chance.one_of(made.appended)) if made.appended else None,
    "unheard": lambda made, chance: Append(*made.append(chance), unheard=True),
    "together": lambda made, chance: Together(made.together(chance)),
    "sealed": lambda made, chance: Together(made.together(chance), seals=True),
    "hear": lambda made, chance: Hear(chance.one_of(made.writers)),
    "seek": lambda made, chance: Seek(chance.one_of(made.readers), _somewhere(made, chance)),
    "take": lambda made, chance: Take(chance.one_of(made.readers), chance.number(1, 3)),
    "drain": lambda made, chance: Drain(chance.one_of(made.readers)),
    "tail": lambda made, chance: Tail(chance.one_of(made.readers)),
    "trim": lambda _, chance: Trim(_known(chance)),
    "seal": lambda _made, _chance: Seal(),
    "look": lambda made, chance: Look(chance.one_of(made.nodes)),
    "fault": _fault,
    "jump": lambda made, chance: Jump(chance.one_of(made.nodes), chance.one_of((-60_000, -1000, 1000, 60_000))),
}


def planned(rng: Random, focus: Focus, nodes: Sequence[str], most: int) -> Plan:
    """A history by a seed's chance.

    Args:
        rng: decides everything.
        focus: what it is to have more of.
        nodes: whom faults may hit.
        most: how many steps it may have, but for those at its end.
    """
    return history(Seeded(rng), focus, nodes, most)


def history(chance: Chance, focus: Focus, nodes: Sequence[str], most: int) -> Plan:
    """A history by anybody's chance; arguments as for ``planned``."""
    made = Made(chance, focus, nodes)
    kinds = chance.several(focus.kinds, STEPS_LEAST, most)
    steps = [step for step in (made.step(kind, chance) for kind in kinds) if step is not None]
    return (*steps, *made.ending())
