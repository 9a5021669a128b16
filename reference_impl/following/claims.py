"""Claims: what an event comes to in the words of a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from spec.language.protocol.sorts import Sort
from spec.language.protocol.states import Domains, Row

EventRow: TypeAlias = Mapping[str, Any]
"""An event by its columns."""


class Fact(NamedTuple):
    """A row of a relation of the text."""

    relation: str
    row: Row


class TextStep(NamedTuple):
    """One step of the text.

    Attributes:
        action: the text's action.
        args: its arguments.
        seen: the relations of whose changes the event tells, where the rest is told later; none: it tells of all.
        later: facts that came after the step, and before anybody told of it.
        needs: facts that were there before it, as the event says.
        gives: facts that are there after it, as the event says.
        unless: a fact that tells that the step was taken before, so that nothing happens.
    """

    action: str
    args: Row
    seen: tuple[str, ...] = ()
    later: tuple[Fact, ...] = ()
    needs: tuple[Fact, ...] = ()
    gives: tuple[Fact, ...] = ()
    unless: Fact | None = None


class OneOf(NamedTuple):
    """One of several steps was taken, where nobody recorded which."""

    claims: tuple[TextStep, ...]


class Gone(NamedTuple):
    """What the environment took away, which the text knows nothing of."""

    facts: tuple[Fact, ...]


class Unfounded(NamedTuple):
    """No step of the text can be what the event says, whatever happened before.

    Attributes:
        reason: why, as a clause.
    """

    reason: str


Duty: TypeAlias = TextStep | OneOf | Gone | Unfounded
"""What must have happened."""


class CannotFollow(Exception):
    """A trace has what its text does not speak of, or leaves too much open: nothing certain is said of it."""


class Guide(Protocol):
    """Reads the events of one subject, such as a ledger, as steps of its text.

    An event that is refused may be tried again, after others: what a guide remembers of it before the last of its
    duties must not change what it says then.
    """

    @property
    def world(self) -> Domains:
        """The sorts, as far as events have spoken of their elements; it may grow with each event."""
        ...

    def duties(self, event: EventRow) -> Iterator[Duty]:
        """What an event claims, in order; nothing, where the text does not speak of it.

        Raises:
            CannotFollow: nothing certain can be said from here on.
        """
        ...

    def called(self, sort: type[Sort], element: int) -> str:
        """What people call an element of the text."""
        ...
