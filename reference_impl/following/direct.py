"""Events that are one step of a text each, and name its elements: a table follows traces, and tells runs.

Numbers of an order are the values of their column; elements of other sorts are whatever columns hold, names of
recorders or numbers. Events of other kinds are passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from reference_impl.following.claims import CannotFollow, Duty, EventRow, TextStep, Unfounded
from reference_impl.kernel.explorer.result import Trace
from spec.language.events import AnyEvent, fields_of
from spec.language.protocol.sorts import Order, Sort
from spec.language.protocol.states import Domains
from spec.language.protocol.text import Protocol
from spec.language.refusals import AuthorMistake, authors_line
from spec.near import did_you_mean

RECORDER: Final = "recorder"
"""The one column that holds names."""


@dataclass(frozen=True)
class Direct:
    """Which step of a text each kind of event is.

    Attributes:
        protocol: the text; none of its sorts has named elements, or is a family of sets.
        steps: for each event its action, and the columns that hold its arguments.

    Raises:
        AuthorMistake: the text has no such action, or one that no event is, or that two are; or an event has no such
            columns, or not one for each argument, or one whose values are none of its sort.
    """

    protocol: type[Protocol]
    steps: Mapping[type[AnyEvent], tuple[str, ...]]

    def __post_init__(self) -> None:
        actions = {name: clause for name, clause in self.protocol.clauses.items() if clause.kind == "action"}
        for event, (action, *columns) in self.steps.items():
            if action not in actions:
                what = f"{self.protocol.__name__} has no action {action}"
                raise _mistake(what, did_you_mean(action, actions))
            sorts = actions[action].sorts
            if len(columns) != len(sorts):
                what = f"{event.__name__} names {len(columns)} columns for the {len(sorts)} arguments of {action}"
                raise _mistake(what, "Name one for each")
            for sort, column in zip(sorts, columns, strict=True):
                _refuse_column(event, sort, column)
        named = Counter(action for action, *_ in self.steps.values())
        for action in actions:
            if named[action] != 1:
                what = f"{named[action] or 'no'} kinds of event are the action {action}"
                raise _mistake(what, "Let one kind be each action, so that runs can be told as traces")

    @cached_property
    def by_kind(self) -> dict[int | None, tuple[str, tuple[tuple[type[Sort], str], ...]]]:
        """The action of each kind of event, with the sort and column of each argument."""
        return {
            event.kind: (action, tuple(zip(self.protocol.clauses[action].sorts, columns, strict=True)))
            for event, (action, *columns) in self.steps.items()
        }

    def guide(self) -> DirectGuide:
        """Who reads the events of one subject."""
        return DirectGuide(self)

    def events_of(self, run: Trace, place: Callable[[int], Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """The events of a run.

        Args:
            run: steps of the text.
            place: the columns that no step speaks of, for the number of an event, from 1.
        """
        kinds = {action: (event, columns) for event, (action, *columns) in self.steps.items()}
        for number, step in enumerate(run.steps, 1):
            event, columns = kinds[step.action.name]
            said = {
                column: f"{sort.__name__.lower()}-{element}" if column == RECORDER else element
                for sort, column, element in zip(step.action.sorts, columns, step.args, strict=True)
            }
            yield {"kind": event.kind, **place(number), **said}


def _refuse_column(event: type[AnyEvent], sort: type[Sort], column: str) -> None:
    """Make sure that a column of an event holds elements of a sort.

    Raises:
        AuthorMistake: it does not.
    """
    columns = {field.column: field for field in fields_of(event).values()}
    if column == RECORDER and issubclass(sort, Order):
        raise _mistake(f"{sort.__name__} is an order, and {column} holds names", "Name a column of numbers")
    if column != RECORDER and column not in columns:
        raise _mistake(f"{event.__name__} has no column {column}", did_you_mean(column, [RECORDER, *columns]))
    if column in columns and (columns[column].computed or columns[column].sort != "int"):
        raise _mistake(f"column {column} of {event.__name__} keeps no numbers", "Name a column that a recorder fills")


def _mistake(what: str, advice: str) -> AuthorMistake:
    return AuthorMistake(what, advice, authors_line(__file__))


class DirectGuide:
    """Reads the events of one subject."""

    def __init__(self, direct: Direct) -> None:
        self._direct = direct
        self._world: Domains | None = None
        self._most: dict[type[Sort], int] = {}
        self._names: dict[type[Sort], dict[Any, int]] = {}

    @property
    def world(self) -> Domains:
        """All numbers up to the greatest that was spoken of, and all names."""
        if self._world is None:
            self._world = Domains(self._direct.protocol, self._sizes())
        return self._world

    def _sizes(self) -> dict[type[Sort], int]:
        sorts = {sort for _, columns in self._direct.by_kind.values() for sort, _ in columns}
        return {sort: max(self._most.get(sort, 0) + 1, len(self._names.get(sort, ()))) for sort in sorts}

    def called(self, sort: type[Sort], element: int) -> str:
        """Numbers as they are, others by their names."""
        return str(element) if issubclass(sort, Order) else str(list(self._names[sort])[element])

    def duties(self, event: EventRow) -> Iterator[Duty]:
        """The step that an event is; none, if the table does not have its kind.

        Raises:
            CannotFollow: nobody knows one of its elements.
        """
        if event["kind"] not in self._direct.by_kind:
            return
        action, columns = self._direct.by_kind[event["kind"]]
        for sort, column in columns:
            if event[column] is None:
                raise CannotFollow(f"nobody knows the {column} of an event")
            if issubclass(sort, Order) and event[column] < 0:
                yield Unfounded(f"{column} is less than 0")
        yield TextStep(action, tuple(self._element(sort, event[column]) for sort, column in columns))

    def _element(self, sort: type[Sort], said: Any) -> int:
        names = self._names.setdefault(sort, {})
        if said > self._most.get(sort, 0) if issubclass(sort, Order) else said not in names:
            self._world = None
        if issubclass(sort, Order):
            self._most[sort] = max(self._most.get(sort, 0), said)
            return int(said)
        return names.setdefault(said, len(names))
