"""A view, a rule or a family that readings would understand differently, or not at all, is refused where it stands.

Justified by docs/how-to/declare-a-family.md and by the meaning of rules (``spec.language.reference``). Each of these
was taken before: some gave a verdict about no row, some ended an engine with an error of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from spec.language.declare import Dimension, View, along, any_of, max_of, set_of, union_of
from spec.language.events import AnyEvent, demand, members, number, small
from spec.language.family import Family
from spec.language.handles import Bool, Int, known, parameter
from spec.language.orders import POSITIONS, Order, Position, declared, plain
from spec.language.protocol import Protocol, Relation, Sort, says
from spec.language.refusals import AuthorMistake
from spec.language.rule import Rule, rule
from spec.language.story import Story, Telling
from spec.language.universes import Universe
from spec.registry import register

FIVE: Final[Any] = 5
"""What no type checker lets stand where a field is needed."""

STORES: Final = Universe("stores", "store", "the stores", listed=True)


class Event(AnyEvent):
    """Anything about a lease."""

    sorted_by = Order("lease", plain("tick"))

    seq = number("seq", "the recorder's own order")
    time = number("time_ns", "the recorder's clock, in nanoseconds", optional=True)
    lease = number("lease", "the lease's number")
    tick = number("tick", "when")


class Taken(Event, kind=1, word="taken"):
    """A lease was taken."""

    by = number("by", "by whom", optional=True)
    on = members("on", "on which stores", STORES)


SETS: Final[Any] = Taken.on
NUMBERS: Final[Any] = Taken.by


class Ended(Event, kind=2, word="ended"):
    """A lease ended."""

    why = small("why", "why", words={"given back": 1, "lost": 5})


class Alien(AnyEvent):
    """Of another family."""

    sorted_by = Order("lease", plain("tick"))

    lease = number("lease", "the lease's number")
    tick = number("tick", "when")


class Landed(Alien, kind=1, word="landed"):
    """It landed."""


class Row(View, one_per=(Event.lease, Event.tick)):
    """One tick of a lease."""

    by = max_of(Taken.by)


class Owners(Dimension, by=(Taken.lease,)):
    """Who has a lease."""

    by = max_of(Taken.by)


class Others(Dimension, by=(Taken.lease,)):
    """Who else has one."""

    other = max_of(Taken.by)


def rule_over(claim: Callable[[Any], Bool], name: str = "test.one", **said: Any) -> Rule:
    """A rule that says this of a row."""

    def judged(row: Row) -> Bool:
        """It is so."""
        return claim(row)

    return rule(name, **{"cite": "this test", **said})(judged)


def view_with(key: Any = (Event.lease, Event.tick), **columns: Any) -> type[View]:
    """A view with these columns."""
    return type("Made", (View,), {"__doc__": "One row.", **columns}, one_per=key)


def family(events: type[AnyEvent] = Event, *told: type[AnyEvent], **said: Any) -> Family:
    """A family of these events."""
    story = Story(tuple(Telling(one, "{recorder} saw it.") for one in told or (Taken, Ended)), by_position=True)
    usual = {"name": "leases", "what": "", "chapters": {}, "universes": (STORES,)}
    return Family(events=events, story=story, **{**usual, **said})


def event_with(name: str = "thing", kind: Any = 3, word: Any = "made", **fields: Any) -> type[AnyEvent]:
    """A kind of event with these fields, of a family of its own."""
    space = {"__doc__": "Anything.", "sorted_by": Order("lease", plain("tick"))}
    root = type("Root", (AnyEvent,), space | {one: vars(Event)[one] for one in ("seq", "time", "lease", "tick")})
    return type(name, (root,), {"__doc__": "One.", **fields}, kind=kind, word=word)


def sorted_by_what_may_be_unknown() -> None:
    made = type("Root", (AnyEvent,), {"__doc__": "Any.", "sorted_by": Order("lease", plain("tick"))})
    fields = {one: vars(Event)[one] for one in ("time", "lease", "tick")}
    space = {"__doc__": "One.", "seq": number("seq", "order", optional=True), **fields}
    one = type("One", (made,), space, kind=1, word="one")
    family(made, one)


def without_a_clock() -> None:
    family(Alien, Landed)


def a_rule_in_no_chapter() -> None:
    register(family(chapters={"Leases": (has_an_owner,)}))


class Landing(View, one_per=(Alien.lease,)):
    """One of another family."""

    landed = any_of(Landed)


@rule("test.alien", cite="this test")
def of_another_family(landing: Landing) -> Bool:
    """It landed."""
    return landing.landed


@rule("test.has_an_owner", cite="this test")
def has_an_owner(row: Row) -> Bool:
    """A lease has an owner."""
    return known(row.by)


@rule("test.in_no_chapter", cite="this test")
def nobody_lists_this(row: Row) -> Bool:
    """A lease has an owner."""
    return known(row.by)


def a_universe_that_is_no_partition() -> None:
    closed = Universe("owners", "owner", closed=True)
    made = event_with(by=number("by", "by whom", of=closed))
    family(made.__bases__[0], made, universes=(closed,))


def a_universe_that_headers_have_for_another_use() -> None:
    universe = Universe("recorders", "recorder")
    made = event_with(by=number("by", "by whom", of=universe))
    family(made.__bases__[0], made, universes=(universe,))


def a_table_that_looks_up() -> None:
    class Chained(Dimension, by=(Taken.lease,)):
        """Who has the lease that another is called by."""

        by = max_of(Taken.by)
        other = Others.at(Others.other, by)


def documented(claim: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that says what it says."""

    def documented(event: Any) -> Any:
        """It is so."""
        return claim(event)

    return documented


class Owner(Sort):
    """Somebody."""


def a_relation_that_says_too_much() -> None:
    class Leasing(Protocol):
        """Leases."""

        has: Relation[Owner] = says("{0} has {1}")


MISTAKES: Final[dict[str, tuple[Callable[[], object], str]]] = {
    "an event that makes no row": (
        lambda: view_with((Taken.lease, Taken.tick), ended=any_of(Ended)),
        "Made.ended asks for Ended, and the rows are made of Taken, as the key says",
    ),
    "an event of another family": (lambda: view_with(landed=any_of(Landed)), "Made.landed asks for Landed"),
    "a condition on another event": (
        lambda: view_with(by=max_of(Taken.by, where=Ended.why == 1)),
        "Made.by asks Taken for Ended.why",
    ),
    "an aggregate of an aggregate": (
        lambda: view_with(by=max_of(Taken.by + max_of(Taken.by))),
        "Made.by is made of an aggregate (max), which no single event says",
    ),
    "an aggregate of what is looked up": (
        lambda: view_with(by=max_of(Taken.by, where=Owners.at(Owners.by, Taken.lease) > 0)),
        "Made.by is made of Owners.by, which no single event says",
    ),
    "a key of two classes": (
        lambda: view_with((Event.lease, Taken.by)),
        "the key of Made begins with Event, of which not all have by",
    ),
    "no key of fields": (lambda: view_with((1,)), "Made needs a key of event fields"),
    "a key that is no tuple": (lambda: view_with(Event.lease), "Made needs a key of event fields"),
    "a column named as a word": (lambda: view_with(inline=max_of(Taken.by)), "is called inline, which has a meaning"),
    "a column that engines cannot name": (lambda: view_with(größe=max_of(Taken.by)), "is called 'größe'"),
    "a plain number for a field": (lambda: max_of(FIVE), "5 stands where a field or a column is needed"),
    "a plain number for a neighbour": (lambda: along(Event.lease).previous(FIVE), "5 stands where a field"),
    "the greatest set": (lambda: along(Event.lease).highest(SETS), "a set stands where a int is needed"),
    "the greatest of sets": (lambda: max_of(SETS), "max of a set"),
    "all of numbers": (lambda: union_of(NUMBERS), "union of a int"),
    "a column of another table": (lambda: Owners.at(Others.other, 1), "not a column of Owners"),
    "a table that looks something up": (a_table_that_looks_up, "Chained looks something up"),
    "a citation that is no text": (lambda: rule_over(lambda row: known(row.by), cite=5), "test.one cites nothing"),
    "a demand that is a number": (
        lambda: event_with(most=demand(documented(lambda event: event.tick))),
        "thing.documented is no formula over fields",
    ),
    "a demand over an aggregate": (
        lambda: event_with(most=demand(documented(lambda event: max_of(event.tick) > 1))),
        "thing.documented is no formula over fields",
    ),
    "a rule over a field": (lambda: rule_over(lambda _: Taken.by > 3), "test.one reads Taken.by"),
    "a rule over an aggregate": (
        lambda: rule_over(lambda _: max_of(Taken.by) > 3),
        "test.one reads an aggregate (max)",
    ),
    "a rule over a neighbour": (
        lambda: rule_over(lambda row: along(Event.lease).previous(row.by) > 3),
        "test.one reads a neighbour (previous)",
    ),
    "a rule over another view's column": (
        lambda: rule_over(lambda _: view_with(far=max_of(Taken.by)).far > 3),  # type: ignore[attr-defined]  # made just here
        "test.one reads column far",
    ),
    "a strength that is none": (lambda: rule_over(lambda row: known(row.by), strength="dead"), "test.one is 'dead'"),
    "a number of no header": (lambda: parameter("step_bits"), "headers give no number step_bits"),
    "a number of more than 64 bits": (lambda: Row.by < (1 << 70), "does not fit into 64 bits"),
    "two rules of one id": (
        lambda: family(chapters={"A": (rule_over(lambda row: known(row.by)), rule_over(lambda row: row.by > 1))}),
        "2 rules of leases are called test.one",
    ),
    "a rule in no chapter": (a_rule_in_no_chapter, "test.in_no_chapter stands in no chapter of leases"),
    "a chapter that is no list": (
        lambda: family(chapters={"A": has_an_owner}),
        "chapter 'A' of leases",
    ),
    "a rule of another family": (
        lambda: family(chapters={"A": (of_another_family,)}),
        "test.alien is about no event of leases",
    ),
    "a family that no file can name": (lambda: family(name="Größe"), "the family is called 'Größe'"),
    "an order that may be unknown": (sorted_by_what_may_be_unknown, "seq may be unknown, and traces of leases are"),
    "no clock": (without_a_clock, "no event of leases has seq"),
    "a closed universe of no partition": (a_universe_that_is_no_partition, "which is closed, and is no partition"),
    "a universe called as a header's field": (
        a_universe_that_headers_have_for_another_use,
        "has numbers of recorders, which headers have for another use",
    ),
    "a kind beyond a byte": (lambda: event_with(kind=1000), "thing is of kind 1000"),
    "a kind that is a truth value": (lambda: event_with(kind=True), "thing is of kind True"),
    "a word that is no text": (lambda: event_with(word=5), "thing has the word 5"),
    "a field with a capital": (lambda: event_with(total=number("Total", "how many")), "is called 'Total'"),
    "a field called as a payload": (lambda: event_with(payload=number("load", "what")), "is called payload, which has"),
    "two words of one number": (
        lambda: small("why", "why", words={"a": 1, "b": 1}),
        "the words of column why stand for",
    ),
    "a word of no number": (lambda: small("why", "why", words={"a": "1"}), "the words of column why stand for '1'"),
    "a position of one part twice": (
        lambda: declared(Position("moment_of_one", "term", "term")),
        "moment_of_one is made of term and term",
    ),
    "a position that cannot be read": (
        lambda: declared(Position("moment_of_two", "term", "step", form="{}{}")),
        "moment_of_two is written as '{}{}'",
    ),
    "a phrase of a column that is not there": (a_relation_that_says_too_much, "has says '{0} has {1}'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_it_is_refused(mistake: str) -> None:
    declare, what = MISTAKES[mistake]
    before = dict(POSITIONS)
    with pytest.raises(AuthorMistake) as refused:
        declare()
    assert what in refused.value.what
    assert refused.value.advice
    assert before == POSITIONS


def test_what_is_refused_has_a_form_that_is_not() -> None:
    """Numbers between two words may have none, a key may be of a class above, and sets have their own aggregates."""

    class Fine(View, one_per=(Event.lease, Event.tick)):
        """One tick of a lease."""

        ended, by, on = any_of(Ended), max_of(Taken.by), union_of(Taken.on)
        who = set_of(Taken.by)
        before: Int = along(Event.lease).highest(by)

    assert {*Fine.base} == {"lease", "tick", "ended", "by", "on", "who"}
    chapters = {"Leases": (has_an_owner, nobody_lists_this)}
    assert [one.id for one in family(chapters=chapters).rules] == ["test.has_an_owner", "test.in_no_chapter"]
