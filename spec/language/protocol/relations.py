"""Relations: the state of a protocol, and what an action may do to it."""

from __future__ import annotations

from typing import Any, Generic, TypeVarTuple, cast

from spec.language.handles import Bool, as_term
from spec.language.protocol.draft import How, Update, draft
from spec.language.protocol.sorts import Sort
from spec.language.quantifiers import some
from spec.language.refusals import AuthorMistake
from spec.language.terms import Holds, Term

Sorts = TypeVarTuple("Sorts")


class Relation(Generic[*Sorts]):
    """Part of the state: a set of rows, empty at the start. Call it to ask whether a row is in it.

    Attributes:
        functional: the last column is determined by the others.
        phrase: how prose says that a row is in it; ``{0}`` stands for the first column.
    """

    functional = False

    def __init__(self, name: str, sorts: tuple[type[Sort], ...], phrase: str) -> None:
        try:
            phrase.format(*sorts)
        except (IndexError, KeyError, ValueError):
            advice = f"Write {{0}} for its first column, and so on, up to {{{len(sorts) - 1}}}"
            raise AuthorMistake(f"{name} says {phrase!r}, which names no column of it", advice) from None
        self.name, self.sorts, self.phrase = name, sorts, phrase

    def row(self, args: tuple[Any, ...]) -> tuple[Term, ...]:
        """The elements of a row.

        Raises:
            AuthorMistake: there are too few, too many, or of the wrong sorts.
        """
        if tuple(type(arg) for arg in args) != self.sorts:
            given = ", ".join(type(arg).__name__ for arg in args)
            raise AuthorMistake(f"{self} was given ({given})", "Give one element of each sort, in that order")
        return tuple(arg.term for arg in args)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(sort.__name__ for sort in self.sorts)})"

    def __call__(self, *args: *Sorts) -> Bool:
        """The row is in the relation, before the action.

        Raises:
            AuthorMistake: the action has changed the relation already.
        """
        if any(update.relation == self.name for update in draft().updates):
            raise AuthorMistake(
                f"{self.name} is read after its update", "An action reads only the state before it: require first"
            )
        return Bool(Holds(self.name, self.row(args)))

    def add(self, *args: *Sorts, when: Bool | None = None) -> None:
        """The row is in the relation after the action, where ``when`` holds before it."""
        self._update("add", args, when)

    def remove(self, *args: *Sorts, when: Bool | None = None) -> None:
        """The row is not in the relation after the action, where ``when`` holds before it."""
        self._update("remove", args, when)

    def _update(self, how: How, args: tuple[Any, ...], when: Bool | None) -> None:
        clause = draft()
        if not clause.acts:
            raise AuthorMistake(f"{self.name} is changed by a formula", "Only an action may change the state")
        condition = None if when is None else as_term(when, "bool")
        clause.updates.append(Update(how, self.name, self.row(args), condition))


class Partial(Relation[*Sorts]):
    """A relation whose last column is determined by the others: a partial function."""

    functional = True

    def defined(self, *args: Any) -> Bool:
        """The function has a value for these arguments."""
        return some(cast("Any", self)(*args, value) for value in self.sorts[-1])

    def put(self, *args: *Sorts, when: Bool | None = None) -> None:
        """The row is in the relation after the action, and the row that it replaces is not."""
        self._update("put", args, when)


def says(phrase: str) -> Any:
    """How prose says that a row is in a relation; ``{0}`` is its first column."""
    return phrase


def require(*guards: Bool) -> None:
    """The action is enabled only where these hold."""
    draft().requires.extend(as_term(guard, "bool") for guard in guards)


def assume(*facts: Bool) -> None:
    """True wherever the guard holds in a finite system, but not first-order provable: proofs use it, runs check it."""
    draft().assumes.extend(as_term(fact, "bool") for fact in facts)
