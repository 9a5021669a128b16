"""Planning: histories made by chance so that rare things happen.

Equal payloads, several clients, answers that nobody hears and appends that are tried again, appends at once, readers
that begin in the middle and stop, trims and faults. A focus says which of them a history is to have more of. Every
history ends with what is needed to judge it: faults are undone, and a reader reads everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from quorate.suite.steps import (
    FAULTS,
    Append,
    Drain,
    Fault,
    Hear,
    Jump,
    Plan,
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
}
"""How often each kind of step is chosen, beside the others."""

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
LAST_READER: Final = "reader"
"""Who reads everything at the end."""


@dataclass(frozen=True, slots=True)
class Focus:
    """What a history is to have more or less of.

    Attributes:
        weights: other weights than the usual ones.
        payloads: how many different payloads there are; 0 for as many as appends.
        faults: which faults may happen.
    """

    weights: Mapping[str, int] = field(default_factory=dict)
    payloads: Sequence[int] = (0, 0, 1, 2, 5)
    faults: tuple[str, ...] = ()


@dataclass(slots=True)
class _Chance:
    """What one history is made of so far."""

    rng: Random
    focus: Focus
    nodes: Sequence[str]
    writers: list[str] = field(init=False)
    readers: list[str] = field(init=False)
    payloads: int = field(init=False)
    appended: list[tuple[str, str]] = field(default_factory=list)
    hurt: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.writers = [f"w{number}" for number in range(1, self.rng.randint(2, 4))]
        self.readers = [f"r{number}" for number in range(1, self.rng.randint(2, 4))]
        self.payloads = self.rng.choice(self.focus.payloads)

    def payload(self) -> str:
        """A new payload, or one of few."""
        if self.payloads:
            return LETTERS[self.rng.randrange(self.payloads)]
        turn, letter = divmod(len(self.appended), len(LETTERS))
        return LETTERS[letter] + (str(turn) if turn else "")

    def append(self) -> tuple[str, str]:
        """Who appends what."""
        self.appended.append((self.rng.choice(self.writers), self.payload()))
        return self.appended[-1]


def _fault(made: _Chance) -> Step | None:
    """A fault, or the end of the one that its node has."""
    node = made.rng.choice(made.nodes)
    if node in made.hurt:
        return Fault(FAULTS[made.hurt.pop(node)], node)
    if made.focus.faults:
        made.hurt[node] = made.rng.choice(made.focus.faults)
        return Fault(made.hurt[node], node)
    return None


_KINDS: Final[Mapping[str, Callable[[_Chance], Step | None]]] = {
    "append": lambda made: Append(*made.append()),
    "again": lambda made: Append(*made.rng.choice(made.appended)) if made.appended else None,
    "unheard": lambda made: Append(*made.append(), unheard=True),
    "together": lambda made: Together(tuple(made.append() for _ in range(made.rng.randint(2, 3)))),
    "hear": lambda made: Hear(made.rng.choice(made.writers)),
    "seek": lambda made: Seek(made.rng.choice(made.readers), _somewhere(made.rng)),
    "take": lambda made: Take(made.rng.choice(made.readers), made.rng.randint(1, 3)),
    "drain": lambda made: Drain(made.rng.choice(made.readers)),
    "tail": lambda made: Tail(made.rng.choice(made.readers)),
    "trim": lambda made: Trim(made.rng.randrange(10)),
    "fault": _fault,
    "jump": lambda made: Jump(made.rng.choice(made.nodes), made.rng.choice((-60_000, -1000, 1000, 60_000))),
}


def planned(rng: Random, focus: Focus, nodes: Sequence[str], most: int) -> Plan:
    """A history by chance.

    Args:
        rng: decides everything.
        focus: what it is to have more of.
        nodes: whom faults may befall.
        most: how many steps it may have, but for those at its end.
    """
    made = _Chance(rng, focus, nodes)
    weights = {**USUAL, **focus.weights}
    names = rng.choices(list(weights), list(weights.values()), k=rng.randint(2, most))
    steps = [step for step in (_KINDS[name](made) for name in names) if step is not None]
    return (*steps, *_ending(made))


def _ending(made: _Chance) -> Iterator[Step]:
    for node, what in made.hurt.items():
        yield Fault(FAULTS[what], node)
    yield from (Seek(LAST_READER, "beginning"), Drain(LAST_READER), Tail(LAST_READER))


def _somewhere(rng: Random) -> str:
    return rng.choice(("beginning", "end", *(f"#{rng.randrange(10)}" for _ in range(3))))
