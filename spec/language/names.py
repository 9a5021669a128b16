"""Names: what people call that which events name by number, as far as a trace's header says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from spec.language.orders import Position
from spec.language.universes import Universe

HASH_BITS: Final = 64


@dataclass(frozen=True)
class Names:
    """What a trace calls the members of its universes, and how wide the low part of a position is.

    Attributes:
        listed: for each universe that the header lists, by its section, the names of its members by place.
        named: for each other universe, by its section, the names of some of its numbers.
        low_bits: how many low bits of a position are its low part.
        roles: what each recorder is in the system, by its name.
    """

    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    named: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    low_bits: int = 32
    roles: Mapping[str, str] = field(default_factory=dict)

    def given(self, universe: Universe, number: int) -> str | None:
        """The name that the header gives; None where it gives none."""
        if universe.listed:
            members = self.listed.get(universe.section, ())
            return members[number] if 0 <= number < len(members) else None
        return self.named.get(universe.section, {}).get(number)

    def of(self, universe: Universe, number: int) -> str:
        """A name alone, unless it is a mere number or could be taken for a member; the number where there is none."""
        if universe.hashed:
            return f"{universe.one} {hash_text(number)}"
        name = self.given(universe, number)
        clear = universe.listed or universe.closed or (name and not name.isdecimal() and not self._is_member(name))
        return name if name and clear else f"{universe.one} {name or number}"

    def all_of(self, universe: Universe, numbers: frozenset[int]) -> str:
        """Several by name, in the order of their numbers."""
        return ", ".join(self.of(universe, number) for number in sorted(numbers)) or f"no {universe.one}"

    def _is_member(self, name: str) -> bool:
        return any(name in members for members in self.listed.values())

    def parts(self, position: int) -> tuple[int, int]:
        """The high and the low part of a position."""
        return position >> self.low_bits, position & self.last

    @property
    def last(self) -> int:
        """The greatest low part that there is."""
        return (1 << self.low_bits) - 1

    def position(self, home: Position, number: int) -> str:
        """A position as it is written; the greatest low part stands for the end of its high part."""
        high, low = self.parts(number)
        return home.end(high) if low == self.last else home.write(high, low)


def hash_text(number: int) -> str:
    """A hash as 16 hexadecimal digits."""
    return f"{number & (1 << HASH_BITS) - 1:016x}"
