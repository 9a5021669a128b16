"""Worlds: a protocol text with finite sorts that fit it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from spec.language.protocol.meaning import broken
from spec.language.protocol.sorts import Family, Sort
from spec.language.protocol.states import Domains, Step


class BadWorld(ValueError):
    """The sizes or families of a world do not fit its text."""


@dataclass(frozen=True)
class World(Domains):
    """Domains in which a text can be read: each sort has an element at least, and one for each of its names.

    Raises:
        BadWorld: a sort has no size, a set has a member that its sort has not, or an axiom of the text is false.
    """

    def __post_init__(self) -> None:
        for sort in self.protocol.sorts():
            self._check(sort)
        for axiom in self.protocol.of_kind("axiom"):
            if (row := broken(self, self.start, axiom)) is not None:
                where = Step(axiom, row)
                raise BadWorld(f"{self.protocol.__name__}: the axiom {where} is false")

    def _check(self, sort: type[Sort]) -> None:
        if issubclass(sort, Family):
            if not self.families.get(sort):
                raise BadWorld(f"{self.protocol.__name__}: no sets are given for the family {sort.__name__}")
            members = frozenset[int]().union(*self.families[sort])
            if not members <= frozenset(self.elements(sort.element)):
                raise BadWorld(f"{sort.__name__}: a set has members that are no {sort.element.__name__}")
        elif self.sizes.get(sort, 0) < max(1, len(sort.constants)):
            names = ", ".join(sort.constants) or "one at least"
            raise BadWorld(f"{self.protocol.__name__}: too few elements of the sort {sort.__name__} ({names})")

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every action with every choice of arguments, enabled or not."""
        return tuple(Step(action, row) for action in self.protocol.of_kind("action") for row in self.rows(action.sorts))

    def step(self, name: str, *args: int) -> Step:
        """An action by its name.

        Raises:
            KeyError: the text has no such action.
        """
        return Step(self.protocol.clauses[name], args)
