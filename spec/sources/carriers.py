"""What carries a sentence: a rule, a clause of a protocol text, a theorem or a test. Code alone proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, TypeAlias


class Place(StrEnum):
    """Where a carrier is found."""

    RULE = "rule"
    CLAUSE = "clause"
    VARIANT = "variant"
    THEOREM = "theorem"
    TEST = "test"
    CODE = "code"


class Carrier(NamedTuple):
    """Something that a sentence rests on.

    Attributes:
        place: what it is.
        where: the protocol text of a clause or variant, or the file of a test or of code; empty for others.
        name: its id, or its name there.
    """

    place: Place
    where: str
    name: str

    @property
    def can_fail(self) -> bool:
        """It holds systems to something: neither code alone does, nor what is refuted."""
        return self.place not in {Place.CODE, Place.VARIANT}


Named: TypeAlias = Callable[[str], Carrier]
"""A carrier of one file or text by its name there."""


def rule(identifier: str) -> Carrier:
    """A rule by its id."""
    return Carrier(Place.RULE, "", identifier)


def theorem(identifier: str) -> Carrier:
    """A theorem by its id."""
    return Carrier(Place.THEOREM, "", identifier)


def text(name: str) -> Named:
    """The clauses of a protocol text."""
    return lambda clause: Carrier(Place.CLAUSE, name, clause)


def variant(name: str, form: str) -> Carrier:
    """A form of a protocol text that is refuted."""
    return Carrier(Place.VARIANT, name, form)


def named_tests(path: str) -> Named:
    """The tests of a file below ``tests``, by their names without ``test_``; of a class, ``Class.name``."""
    return lambda name: Carrier(Place.TEST, f"tests/{path}.py", name)


def code(path: str) -> Named:
    """What a file of the reference implementation or of the specification defines."""
    return lambda name: Carrier(Place.CODE, f"{path}.py", name)
