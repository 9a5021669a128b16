"""Bits: everything that the events of a row say together bit by bit, in as few numbers as it fits.

Yes or no takes one bit, a set as many as it may have members. Each event fills in its own, and ``bit_or``
joins them all: a row stays narrow while it is shuffled, sorted and looked at by its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from spec.language.sql.dialects import Dialect
from spec.language.sql.events import kind_is

ROOM: Final = 62
"""Bits that one number gives, well below its sign."""

Cases: TypeAlias = Mapping[int, str]
"""A text for each kind of event; as a condition, "TRUE" where the kind alone decides."""


@dataclass(frozen=True)
class BitRange:
    """Where an answer or a set lies.

    Attributes:
        word: in which number.
        low: its lowest bit.
        width: how many bits it has.
    """

    word: int
    low: int
    width: int

    @property
    def mask(self) -> int:
        """All its bits, where they lie."""
        return (1 << self.width) - 1 << self.low


@dataclass(frozen=True)
class Asked:
    """What is asked of each event.

    Attributes:
        chosen: which events count.
        members: which set each of them names; nothing: only whether there is one is asked.
        unsure: the kinds of event that may not know their set.
    """

    chosen: Cases
    members: Cases = field(default_factory=dict)
    unsure: frozenset[int] = frozenset()


@dataclass
class Bits:
    """The numbers of one rowset.

    Attributes:
        size: how many members a set may have.
    """

    dialect: Dialect
    size: int
    places: list[tuple[Asked, BitRange]] = field(default_factory=list)

    @property
    def hold_sets(self) -> bool:
        """Has a number room for a set?"""
        return self.size <= ROOM

    def place(self, asked: Asked) -> BitRange:
        """Where the answer lies: in the first number with room; who asks the same is given the same place."""
        for other, place in self.places:
            if other == asked:
                return place
        width = self.size if asked.members else 1
        taken = [0] * (1 + len(self.places))
        for _, place in self.places:
            taken[place.word] = max(taken[place.word], place.low + place.width)
        word = next(word for word, bits in enumerate(taken) if bits + width <= ROOM)
        self.places.append((asked, BitRange(word, taken[word], width)))
        return self.places[-1][1]

    def some(self, cases: Cases, number: str) -> str:
        """The text of what is 0 unless an event satisfies its condition; ``number`` makes a text of a column's name."""
        place = self.place(Asked(cases))
        return f"({number.format(name_of(place.word))} & {place.mask})"

    def members(self, asked: Asked, number: str) -> str:
        """The text of the set of all members that an event names."""
        place = self.place(asked)
        whole = number.format(name_of(place.word))
        lowest = self.dialect.shift.format(whole, place.low) if place.low else whole
        return f"({lowest} & {(1 << place.width) - 1})"

    def columns(self) -> dict[str, str]:
        """The columns in which an event says all of it."""
        found = {}
        for word in sorted({place.word for _, place in self.places}):
            here = [(asked, place) for asked, place in self.places if place.word == word]
            kinds = sorted({kind for asked, _ in here for kind in asked.chosen})
            texts = {kind: self._said(kind, here) for kind in kinds}
            arms = [f"WHEN {kind_is(those)} THEN {text}" for those, text in by_text(texts)]
            found[name_of(word)] = f"CASE {' '.join(arms)} ELSE 0 END"
        return found

    def _said(self, kind: int, here: list[tuple[Asked, BitRange]]) -> str:
        """The bits of one kind of event: one constant for those that need no look at it, and a text for each other."""
        always, texts = 0, []
        for asked, place in here:
            condition = asked.chosen.get(kind)
            if condition is None:
                continue
            if condition == "TRUE" and not asked.members:
                always |= place.mask
                continue
            value = self._named(asked, place, kind)
            texts.append(value if condition == "TRUE" else f"CASE WHEN {condition} THEN {value} ELSE 0 END")
        return " | ".join([*([str(always)] if always or not texts else []), *texts])

    def _named(self, asked: Asked, place: BitRange, kind: int) -> str:
        """The bits of an event that counts."""
        if not asked.members:
            return str(place.mask)
        value = f"coalesce({asked.members[kind]}, 0)" if kind in asked.unsure else asked.members[kind]
        return self.dialect.left.format(value, place.low) if place.low else value


def name_of(word: int) -> str:
    """The column of a number, before a prefix."""
    return f"bits_{word}" if word else "bits"


def by_text(cases: Cases) -> list[tuple[tuple[int, ...], str]]:
    """Kinds that say the same, together."""
    found: dict[str, list[int]] = {}
    for kind, text in cases.items():
        found.setdefault(text, []).append(kind)
    return [(tuple(sorted(those)), text) for text, those in found.items()]
