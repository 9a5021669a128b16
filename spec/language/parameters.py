"""Parameters: what a trace's header fixes before any rule can be read over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from spec.language.scopes import SCOPES
from spec.language.universes import Universe

WORD: Final = 64
"""Members that one mask word holds."""

PARAMETERS: Final = ("clock_bound_ns", "copies")
"""The numbers that rules may name."""

FACTOR_BITS: Final = 8
"""Bits for one scope's copies in a packed replication property: copysets have at most 127 members."""


@dataclass(frozen=True)
class Parameters:
    """Numbers and domains that rules use and events do not carry.

    Attributes:
        size: how many members sets may have; they are numbered from 0.
        domains: for each location scope, the sets of members of its domains.
        low_bits: how many low bits of a position are its low part.
        clock_bound_ns: the most by which two recorders' clocks may differ, in nanoseconds.
        copies: how many copies an acknowledgement promises; 0 if the system promises no number.
        sizes: how many members each universe has that has fewer, by its section of the header.
    """

    size: int = WORD
    domains: Mapping[str, tuple[frozenset[int], ...]] = field(default_factory=dict)
    low_bits: int = 32
    clock_bound_ns: int = 0
    copies: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)

    def __hash__(self) -> int:
        mappings = frozenset(self.domains.items()), frozenset(self.sizes.items())
        return hash((self.size, *mappings, self.low_bits, self.clock_bound_ns, self.copies))

    @cached_property
    def words(self) -> int:
        """How many mask words a set needs."""
        return max(1, -(-self.size // WORD))

    def size_of(self, universe: Universe) -> int:
        """How many members a universe has."""
        return self.sizes.get(universe.section, self.size)

    def number(self, name: str) -> int:
        """The value of a ``Param`` leaf.

        Raises:
            KeyError: no parameter has this name.
        """
        return {"clock_bound_ns": self.clock_bound_ns, "copies": self.copies}[name]

    def domains_of(self, scope: str) -> tuple[frozenset[int], ...]:
        """The domains of a scope; every member is a domain of its own at the smallest scope."""
        if scope in self.domains:
            return self.domains[scope]
        return tuple(frozenset({one}) for one in range(self.size)) if scope == SCOPES[0] else ()


def mask(members: frozenset[int], words: int) -> tuple[int, ...]:
    """A set as mask words of 64 bits with sign, the lowest members first."""
    whole = sum(1 << one for one in members)
    return tuple(signed(whole >> WORD * k & (1 << WORD) - 1) for k in range(words))


def members(words: tuple[int, ...]) -> frozenset[int]:
    """The set that mask words stand for."""
    return frozenset(WORD * k + bit for k, word in enumerate(words) for bit in range(WORD) if word >> bit & 1)


def signed(word: int) -> int:
    """The same 64 bits as a number with sign, which is what every engine stores."""
    return word - (1 << WORD) if word >> WORD - 1 else word


def pack_factors(factors: Mapping[str, int]) -> int:
    """A replication property as one number, eight bits for each scope from the smallest.

    Raises:
        ValueError: a scope is unknown or a factor does not fit.
    """
    packed = 0
    for scope, copies in factors.items():
        if scope not in SCOPES or not 0 <= copies < 1 << FACTOR_BITS - 1:
            raise ValueError(f"no replication factor {copies} at scope {scope!r}: scopes {SCOPES}, factors 0 to 127")
        packed |= copies << FACTOR_BITS * SCOPES.index(scope)
    return packed


def unpack_factors(packed: int) -> dict[str, int]:
    """The replication property that a number stands for, without scopes that need no copy."""
    found = {scope: packed >> FACTOR_BITS * k & 127 for k, scope in enumerate(SCOPES)}
    return {scope: copies for scope, copies in found.items() if copies}
