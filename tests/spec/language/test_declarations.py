"""What an author of a family gets wrong is refused where it is declared, with the line and what to write instead.

Justified by docs/how-to/declare-a-family.md, of a family that is declared once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from spec.language.declare import View, max_of
from spec.language.events import AnyEvent, member, members, number, small
from spec.language.family import Family
from spec.language.handles import Bool, known
from spec.language.orders import POSITIONS, Order, Position, declared, plain
from spec.language.refusals import AuthorMistake
from spec.language.rule import rule
from spec.language.story import Story, Telling
from spec.language.universes import Universe
from spec.registry import FAMILIES, register

DOORS: Final = Universe("doors", "door", "the doors, each named once", listed=True)


class Event(AnyEvent):
    """Anything about a lock."""

    sorted_by = Order("lock", plain("tick"))

    seq = number("seq", "the recorder's own order")
    time = number("time_ns", "the recorder's clock, in nanoseconds", optional=True)
    lock = number("lock", "the lock's number")
    tick = number("tick", "when")


class Locked(Event, kind=1, word="locked"):
    """A door was locked."""

    mode = small("mode", "how", words={"shared": 1, "exclusive": 2})
    door = member("door", "which", DOORS)


class Row(View, one_per=(Event.lock, Event.tick)):
    """One tick."""

    mode = max_of(Locked.mode)


def without_a_word() -> None:
    class Mute(Event, kind=2):
        """It has none."""


def with_a_word_that_is_taken() -> None:
    class Again(Event, kind=2, word="locked"):
        """It has that of another."""


def with_one_column_for_two_fields() -> None:
    class Narrow(Event, kind=2, word="narrow"):
        """Two fields in one place."""

        one = number("one", "this")
        other = number("one", "that", optional=True)


def with_the_kind_for_a_field() -> None:
    class Kind(Event, kind=2, word="kind"):
        """Every event has one."""

        kind_of_lock = number("kind", "which kind of lock")


def with_more_for_a_field() -> None:
    class More(Event, kind=2, word="more"):
        """Whatever else a recorder says stands under this name."""

        extra = number("more", "what else")


def with_numbers_of_a_number() -> None:
    number("token", "which", of=3)


def family(events: type[AnyEvent], *told: type[AnyEvent], **said: Any) -> Family:
    story = Story(tuple(Telling(event, "{recorder} saw it.") for event in told), by_position=True)
    return Family(name="test", what="", events=events, story=story, **{"chapters": {}, "universes": (DOORS,), **said})


def without_its_universe() -> None:
    family(Event, Locked, universes=())


def under_a_promise_that_is_none() -> None:
    @rule("test.promised", cite="this test", promise="mutual_exclusion")
    def is_locked(row: Row) -> Bool:
        """A lock is locked."""
        return known(row.mode)

    family(Event, Locked, chapters={"Locks": (is_locked,)})


@pytest.mark.parametrize(
    ("declare", "what"),
    [
        (without_a_word, "event Mute has no word of its own"),
        (with_a_word_that_is_taken, "event Again has no word of its own"),
        (with_one_column_for_two_fields, "Narrow.other has the column of one, one"),
        (with_the_kind_for_a_field, "Kind.kind_of_lock is called kind, which has a meaning of its own"),
        (with_more_for_a_field, "More.extra is called extra, which has a meaning of its own"),
        (with_numbers_of_a_number, "column token has numbers of 3"),
        (without_its_universe, "Locked.door has numbers of doors, which is none of the universes"),
        (under_a_promise_that_is_none, "test.promised is asked of whoever promises mutual_exclusion"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_a_declaration_is_refused(declare: Callable[[], None], what: str) -> None:
    with pytest.raises(AuthorMistake) as refused:
        declare()
    assert what in refused.value.what
    assert refused.value.advice
    assert refused.value.where.startswith("language/test_declarations.py:")


def test_a_number_that_stands_for_a_word_has_one() -> None:
    """docs/reference/trace-format.md: one that has none is damage."""
    assert Locked.__dict__["mode"].among == (1, 2)


def test_sets_are_of_what_headers_list() -> None:
    assert members("doors_open", "which", DOORS).universe == DOORS


class Far(AnyEvent):
    """Anything in a family that has a column of a log's name."""

    sorted_by = Order("lock", plain("tick"))

    seq = number("seq", "the recorder's own order")
    time = number("time_ns", "the recorder's clock, in nanoseconds", optional=True)
    lock = number("lock", "the lock's number")
    tick = number("tick", "when")
    lsn = number("lsn", "a lock's serial number")


class Seen(Far, kind=1, word="seen"):
    """It was seen."""


def test_a_column_is_not_called_as_a_position_of_another_family() -> None:
    """All readings tell positions by name, so such numbers would be read as what they are not."""
    with pytest.raises(AuthorMistake, match="column lsn of the family test is a position, made of epoch and esn"):
        register(family(Far, Seen))
    assert "test" not in FAMILIES


def test_a_position_is_not_called_as_a_column_of_another_family() -> None:
    """The other families go on as before."""
    declared(Position("version", "lock", "tick"))
    with pytest.raises(AuthorMistake, match="column version of the family log is a position, made of lock and tick"):
        register(family(Event, Locked))
    assert "version" not in POSITIONS
