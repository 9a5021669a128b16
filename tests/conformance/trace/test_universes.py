"""Universes: sets and members of several, each as large as the header lists it, in every form of a trace.

Issue 18: a family declares what its numbers stand for; the layers below it know no node.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.check.checking import check
from conformance.check.story import explain
from conformance.trace.arrow import to_batches
from conformance.trace.errors import Duplicated, MissingField, Mistyped, Oversized, TraceError
from conformance.trace.header import Header, Member, Recorder, System
from conformance.trace.header_json import header_from_json, header_to_json
from conformance.trace.jsonl import write_events
from conformance.trace.open import open_trace
from conformance.trace.show import Teller
from conformance.trace.sort import sort
from spec.language.declare import View, union_of
from spec.language.events import AnyEvent, member, members, number
from spec.language.family import Family
from spec.language.handles import Bool, Int, one_of
from spec.language.limits import NUMBER_MAX, bounds_of
from spec.language.orders import Order, Position, declared
from spec.language.parameters import Parameters
from spec.language.reference import ReferenceEvaluator
from spec.language.refusals import AuthorMistake
from spec.language.rule import rule
from spec.language.sql.dialects import DUCKDB
from spec.language.sql.plan import statement
from spec.language.sql.verdicts import decode
from spec.language.story import Lanes, Plot, Story, Telling
from spec.language.terms import Lit
from spec.language.universes import Universe
from spec.ledger.family import LEDGER
from spec.registry import BY_ID, FAMILIES
from tests.support.sql_engines import quiet_duckdb

BOOKIES: Final = Universe("bookies", "bookie", "the servers that store", listed=True)
RACKS: Final = Universe("racks", "shelf", "the shelves on which they stand", listed=True)
CLIENTS: Final = Universe("clients", "client", "names of clients", (-9, 9))
ENTRY: Final = declared(Position("entry_place", "fragment", "entry"))


class Event(AnyEvent):
    """Anything about one entry of a book."""

    sorted_by = Order("book", ENTRY)

    seq = number("seq", "the recorder's own order")
    time = number("time_ns", "the recorder's clock", optional=True)
    book = number("book", "the book")
    fragment = number("fragment", "the fragment")
    entry = number("entry", "the entry within it")
    entry_place = number("entry_place", "both in one number", computed=True)


class Kept(Event, kind=1, word="kept"):
    """A bookie keeps an entry on some shelves."""

    bookie = member("bookie", "who keeps it", BOOKIES)
    ensemble = members("ensemble", "who should", BOOKIES)
    shelves = members("on_shelves", "where", RACKS, optional=True)


class Place(View, one_per=(Event.book, Event.entry_place)):
    """One entry of one book."""

    kept_on = union_of(Kept.shelves)
    ensemble = union_of(Kept.ensemble)


@rule("pool.kept_on_a_far_shelf", cite="this test: shelf 69 holds everything")
def kept_on_a_far_shelf(place: Place) -> Bool:
    """Everything stands on shelf 69, and in an ensemble of two."""
    return (one_of(Int(Lit(69))) <= place.kept_on) & (place.ensemble.size() > 1)


STORY: Final = Story(
    (
        Telling(
            Kept,
            "{bookie} keeps it[ on {shelves}|, nobody knows where].",
            together="{bookie} keep it.",
            alike=("shelves",),
        ),
    ),
    lanes=Lanes((None, BOOKIES), own=BOOKIES),
    plot=Plot(legend="it"),
    by_position=True,
)
POOLS: Final = Family(
    name="pools",
    what="books on shelves",
    events=Event,
    chapters={"Pools": (kept_on_a_far_shelf,)},
    story=STORY,
    universes=(BOOKIES, RACKS, CLIENTS),
    roles={"bookie": "keeps"},
)
HEADER: Final = Header(
    family=POOLS,
    system=System("a library"),
    members={
        "bookies": tuple(Member(name, {"rack": "r" + name}) for name in ("ann", "bob", "cid")),
        "racks": tuple(Member(f"s{number}") for number in range(70)),
    },
    named={"clients": {1: "app"}},
    recorders={"all": Recorder("bookie", {"kept": "complete"})},
    clock_bound_ns=0,
    low_bits=8,
)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The family is known while a test runs."""
    monkeypatch.setitem(FAMILIES, POOLS.name, POOLS)
    monkeypatch.setitem(BY_ID, kept_on_a_far_shelf.id, kept_on_a_far_shelf)


def kept(seq: int, bookie: int, ensemble: set[int], shelves: set[int] | None, entry: int = 1) -> dict[str, Any]:
    """One event."""
    place = {"recorder": "all", "seq": seq, "time_ns": None, "book": 4, "fragment": 1, "entry": entry}
    sets = {"ensemble": frozenset(ensemble), "on_shelves": None if shelves is None else frozenset(shelves)}
    return {"kind": Kept.kind, **place, "bookie": bookie, **sets}


EVENTS: Final = (kept(1, 0, {0, 2}, {3, 69}), kept(2, 2, {0, 2}, {3, 69}), kept(3, 1, {1}, {64}, entry=2))


def forms(folder: Path) -> Iterator[Path]:
    """The trace in every form."""
    for name in ("run.jsonl", "run.jsonl.zst"):
        write_events(folder / name, HEADER, EVENTS)
        yield folder / name
    sort(folder / "run.jsonl", folder / "run.parquet")
    yield folder / "run.parquet"


def test_every_form_keeps_the_sets_of_each(tmp_path: Path) -> None:
    for path in forms(tmp_path):
        assert [dict(event) for event in open_trace(path).events()] == list(EVENTS)
        assert open_trace(path).header == HEADER


def test_every_engine_judges_them(tmp_path: Path) -> None:
    meant = ReferenceEvaluator(EVENTS, HEADER.parameters()).judge(POOLS.rules)
    assert sum(meant.counts.values()) == 2
    for path in forms(tmp_path):
        for engine in ("columns", "python"):
            assert [said.violated for said in check(open_trace(path), engine=engine).verdict.rules] == [1]
    with quiet_duckdb() as connection:
        connection.register("trace", pa.Table.from_batches(to_batches(EVENTS, HEADER)))
        text = statement(POOLS.rules, "trace", DUCKDB, HEADER.parameters(), nullable=frozenset({"on_shelves"}))
        assert decode(POOLS.rules, connection.execute(text).fetchall()) == meant


@pytest.mark.parametrize(
    ("event", "error", "told"),
    [
        (kept(1, 3, {0}, {0}), Oversized, "bookie is 3: it must lie between 0 and 2"),
        (kept(1, 0, {3}, {0}), Oversized, "ensemble: bookie is 3: it must lie between 0 and 2"),
        (kept(1, 0, {0}, {70}), Oversized, "shelves: shelf is 70: it must lie between 0 and 69"),
    ],
)
def test_a_member_that_is_not_listed_is_refused(
    tmp_path: Path, event: dict[str, Any], error: type[TraceError], told: str
) -> None:
    with pytest.raises(error) as caught:
        write_events(tmp_path / "run.jsonl", HEADER, [event])
    assert told in str(caught.value).replace("\n", " ").replace("  ", " ")


def test_a_mask_that_names_no_bookie_is_refused(tmp_path: Path) -> None:
    """Bit 3 is a shelf, and no bookie: a set is as wide as the widest universe, its members are not."""
    sort(next(forms(tmp_path)), path := tmp_path / "run.parquet")
    file = pq.ParquetFile(path)
    table = file.read()
    place = table.column_names.index("ensemble")
    wrong = table.set_column(place, table.schema.field(place), pa.array([1 << 3] * len(table), pa.int64()))
    pq.write_table(wrong.replace_schema_metadata(file.metadata.metadata), path)
    with pytest.raises(TraceError, match="ensemble"):
        check(open_trace(path))


def test_the_header_has_a_section_for_each() -> None:
    said = header_to_json(HEADER)
    assert [name for name in said if name in {"bookies", "racks", "clients", "nodes", "entry_bits"}] == [
        *("bookies", "racks", "clients", "entry_bits")
    ]
    assert header_from_json(said) == HEADER
    with pytest.raises(MissingField, match="racks"):
        header_from_json({name: value for name, value in said.items() if name != "racks"})
    with pytest.raises(Mistyped, match="clients"):
        header_from_json(said | {"clients": {"+1": "app"}})
    with pytest.raises(Oversized, match="client"):
        header_from_json(said | {"clients": {"10": "app"}})
    with pytest.raises(Duplicated, match="shelf 's0' stands 2 times"):
        header_from_json(said | {"racks": [{"name": "s0"}, {"name": "s0"}]})


def test_an_older_header_calls_the_bits_otherwise() -> None:
    said = header_to_json(HEADER)
    bits = said.pop("entry_bits")
    older = header_from_json(said | {"esn_bits": bits})
    assert (older.low_bits, list(older.unknown_fields())) == (8, [])


def test_locations_are_those_of_the_first() -> None:
    """And each member of it alone is a domain at the smallest scope, however many there are of another universe."""
    parameters = HEADER.parameters()
    assert parameters.domains_of("rack") == (frozenset({0}), frozenset({1}), frozenset({2}))
    assert len(parameters.domains_of("shard")) == 3
    assert (parameters.size_of(BOOKIES), parameters.size_of(RACKS), parameters.words) == (3, 70, 2)


def test_members_are_told_by_name(tmp_path: Path) -> None:
    """Several that did alike are one step; what a rule reads is named by its universe."""
    assert "bookie=ann  ensemble={ann, cid}  shelves={s3, s69}" in Teller(HEADER).event(EVENTS[0])
    path = next(forms(tmp_path))
    text = explain(open_trace(path), kept_on_a_far_shelf, (4, (1 << 8) + 2)).text
    assert "  1 Bob keeps it on s64." in text
    assert "Seen:     kept_on = {s64}" in text
    assert "    A: it at 1:2" in text
    whole = explain(open_trace(path), kept_on_a_far_shelf, (4, (1 << 8) + 1)).text
    assert "  1 ann, cid keep it." in whole


def test_a_kind_that_nobody_tells_is_an_authors_mistake() -> None:
    with pytest.raises(AuthorMistake, match="nobody says how Kept is told"):
        Family(name="mute", what="", events=Event, chapters={}, story=Story(()))


def test_a_sentence_that_names_what_nobody_says_is_an_authors_mistake() -> None:
    """Before any event is told: it may name fields, phrases, and whoever wrote the event down."""
    story = Story((Telling(Kept, "{bookies} kept it."),))
    with pytest.raises(AuthorMistake, match=r"the sentence for Kept names bookies, .* did you mean bookie or book\?"):
        Family(name="mistaken", what="", events=Event, chapters={}, story=story)


def test_an_order_by_what_no_event_has_is_an_authors_mistake() -> None:
    class Elsewhere(AnyEvent):
        """Anything that was seen."""

        sorted_by = Order("shelf", Event.sorted_by.position)

    with pytest.raises(AuthorMistake, match="no event of mistaken has shelf"):
        Family(name="mistaken", what="", events=Elsewhere, chapters={}, story=Story(()))


def test_a_field_that_is_called_as_a_section_is_an_authors_mistake() -> None:
    """Where each line of a file is read by one schema, the two could not be told apart."""
    named = Universe("ensemble", "bookie", "the servers that store", listed=True)
    with pytest.raises(AuthorMistake, match=r"Kept\.ensemble is called as a section of headers"):
        Family(name="mistaken", what="", events=Event, chapters={}, story=STORY, universes=(*POOLS.universes, named))


def test_positions_of_another_family_bound_no_numbers_of_a_ledger() -> None:
    """Here an entry is the low part of a position, there it is the high one."""
    assert bounds_of(LEDGER.events, Parameters(low_bits=16))["entry"] == (0, NUMBER_MAX >> 16)
    assert bounds_of(POOLS.events, Parameters(low_bits=16))["entry"] == (0, (1 << 16) - 1)
