"""Author's mistakes are refused where they are made, with the line and what to write instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from spec.events import Ack, Append, Gap, Positioned, Store
from spec.language.declare import Dimension, View, along, any_of, count_of, max_of, min_of, set_of
from spec.language.definition import definition
from spec.language.events import AnyEvent, number
from spec.language.handles import Bool, Int, Set, known
from spec.language.orders import Order, plain
from spec.language.quantifiers import count, domains, every, some
from spec.language.refusals import AuthorMistake
from spec.language.rule import rule


class Place(View, one_per=(Positioned.log, Positioned.lsn)):
    """One LSN."""

    log, lsn = Positioned.log, Positioned.lsn
    acked = any_of(Ack)
    stored = any_of(Store)
    copies = set_of(Store.node)
    claimed = set_of(Append.sequencer)
    required = max_of(Ack.required)


def use_and(place: Place) -> Bool:
    """A rule."""
    return place.acked and place.stored


def use_not(place: Place) -> Bool:
    """A rule."""
    return not place.acked


def use_if(place: Place) -> Bool:
    """A rule."""
    return place.acked if place.stored else place.stored


def use_chain(place: Place) -> Bool:
    """A rule."""
    return 0 < place.required < 4


def use_in(place: Place) -> Bool:
    """A rule."""
    return place.lsn in place.copies


def use_precedence(place: Place) -> Bool:
    """A rule."""
    return place.acked & place.required == 3


def use_number_as_formula(place: Place) -> Bool:
    """A rule."""
    return place.acked & place.required


def use_set_as_number(place: Place) -> Bool:
    """A rule."""
    return place.copies >= place.required


def use_truth_as_number(place: Place) -> Bool:
    """A rule."""
    return place.required == True  # noqa: E712


def use_loop_over_set(place: Place) -> Bool:
    """A rule."""
    return every(known(node) for node in place.copies)


def use_loose_formula(place: Place) -> Bool:
    """A rule."""
    place.acked & place.stored
    return place.acked


def use_nested_domains(place: Place) -> Bool:
    """A rule."""
    return some(every((rack & row) <= place.copies for row in domains("row")) for rack in domains("rack"))


def use_unknown_scope(place: Place) -> Bool:
    """A rule."""
    return some(rack <= place.copies for rack in domains("shelf"))


def use_count_of_nothing(place: Place) -> Bool:
    """A rule."""
    return count(place.acked for _ in (1, 2)) > 0


def use_no_formula(place: Place) -> Bool:
    """A rule."""
    return place.required


def use_two_rows(place: Place, other: Place) -> Bool:
    """A rule."""
    return place.acked & other.acked


def use_no_sentence(place: Place) -> Bool:
    return place.acked


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (use_and, "truth value"),
        (use_not, "truth value"),
        (use_if, "truth value"),
        (use_chain, "truth value"),
        (use_in, "'in'"),
        (use_precedence, "bool"),
        (use_number_as_formula, "a int stands where a bool"),
        (use_set_as_number, "stands where a"),
        (use_truth_as_number, "True stands where a int"),
        (use_loop_over_set, "looped over"),
        (use_loose_formula, "no effect"),
        (use_nested_domains, "domains inside domains"),
        (use_unknown_scope, "no location scope 'shelf'"),
        (use_count_of_nothing, "count needs domains"),
        (use_no_formula, "returns Int"),
        (use_two_rows, "one row of one view"),
        (use_no_sentence, "no docstring"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_a_rule_text_is_refused(text: Callable[[Any], Bool], what: str) -> None:
    with pytest.raises(AuthorMistake) as refused:
        rule("test.refused", cite="the rule language")(text)
    assert what in refused.value.what
    assert refused.value.advice
    if text.__name__ not in {"use_no_formula", "use_two_rows", "use_no_sentence"}:
        first = text.__code__.co_firstlineno
        lines = range(first, first + len(inspect.getsource(text).splitlines()))
        name, line = refused.value.where.split(":")
        assert name == "language/test_refusals.py"
        assert int(line) in lines


def test_a_rule_needs_a_citation_and_a_plain_id() -> None:
    for name, cite in (("test.fine", " "), ("Test", "cited"), ("one", "cited")):
        with pytest.raises(AuthorMistake):
            rule(name, cite=cite)(use_loose_formula)


def test_views_are_refused() -> None:
    with pytest.raises(AuthorMistake, match="one of one_per= and each="):

        class NoKey(View):
            """No key."""

    with pytest.raises(AuthorMistake, match="no docstring"):

        class NoSentence(View, one_per=(Positioned.log,)):
            pass

    with pytest.raises(AuthorMistake, match="is not in the key"):

        class Ungrouped(View, one_per=(Positioned.log,)):
            """A field that is not aggregated."""

            lsn = Positioned.lsn

    with pytest.raises(AuthorMistake, match="neighbour of a neighbour"):

        class Far(View, one_per=(Positioned.log, Positioned.lsn)):
            """A neighbour of a neighbour."""

            in_log = along(Positioned.log)
            before = in_log.previous(min_of(Ack.time))
            before_that = in_log.previous(before)

    with pytest.raises(AuthorMistake, match="its key does not say where a row stands in it"):

        class Elsewhere(View, one_per=(Store.log, Store.node), order=Order("node", plain("seq"))):
            """A row that has no place in the order that it follows."""

    with pytest.raises(AuthorMistake, match="an aggregate of"):
        min_of(Ack.time + Store.time)
    with pytest.raises(AuthorMistake, match="several classes"):
        min_of(Ack.time, Store.time, where=Ack.required > 1)


def test_dimensions_are_refused() -> None:
    with pytest.raises(AuthorMistake, match="only aggregates"):

        class Moving(Dimension, by=(Positioned.log,)):
            """A dimension with neighbours."""

            acks = along(Positioned.log).previous(count_of(Ack))

    class Table(Dimension, by=(Gap.statuses,)):
        """A dimension."""

        seen = count_of(Gap)

    with pytest.raises(AuthorMistake, match="looked up by"):
        Table.at(Table.seen, Int(Place.lsn.term), Int(Place.lsn.term))


def test_events_are_refused() -> None:
    with pytest.raises(AuthorMistake, match="is taken"):

        class Again(Store, kind=1, word="again"):
            """A kind that is taken."""

    with pytest.raises(AuthorMistake, match="no docstring"):

        class Silent(AnyEvent):
            size = number("size", "a size")


def test_definitions_are_refused() -> None:
    with pytest.raises(AuthorMistake, match="no docstring"):

        @definition
        def silent(nodes: Set) -> Bool:
            return nodes.is_empty()
