"""What one clause of a protocol text has said so far, while its function runs."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal

from spec.language.refusals import AuthorMistake
from spec.language.terms import Binder, Bound, Term

How = Literal["add", "remove", "put"]


@dataclass(frozen=True, slots=True)
class Update:
    """One row to add, remove or put, for every value of ``over``, where ``when`` holds before the action."""

    how: How
    relation: str
    row: tuple[Term, ...]
    when: Term | None = None
    over: tuple[Binder, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """An action that is to be done for every value of ``over`` for which ``left`` holds; without that, to the end."""

    action: str
    args: tuple[Term, ...]
    left: Term | None = None
    over: tuple[Binder, ...] = ()


@dataclass
class Draft:
    """The guards, facts, updates and works of a clause that is being read.

    Attributes:
        acts: it is an action, so it may change the state.
        leads: it says what comes in the end, so it may name the work that leads there.
    """

    acts: bool
    leads: bool = False
    variables: int = 0
    requires: list[Term] = field(default_factory=list)
    assumes: list[Term] = field(default_factory=list)
    updates: list[Update] = field(default_factory=list)
    works: list[Work] = field(default_factory=list)

    def variable(self, sort: type[Any]) -> Bound:
        """A new variable."""
        self.variables += 1
        return Bound(self.variables - 1, sort)


drafts: ContextVar[Draft | None] = ContextVar("drafts", default=None)


def draft() -> Draft:
    """The clause that is being read.

    Raises:
        AuthorMistake: no clause is being read.
    """
    found = drafts.get()
    if found is None:
        raise AuthorMistake(
            "a protocol's state or sort is used outside of its clauses",
            "Speak of it inside a method marked @action, @define, @invariant, @lemma, @goal, @progress or @axiom",
        )
    return found
