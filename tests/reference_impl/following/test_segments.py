"""Runs of the text ``leaseholder``, told as traces of segment layers, are followed by it; runs of wrong forms are not.

Telling and following were written apart from the text: what one of them makes of an action, the other has to undo.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from random import Random
from typing import Any

import pytest

from reference_impl.following.checker import FollowingChecker, Refusal
from reference_impl.following.claims import CannotFollow
from reference_impl.following.families import SEGMENTS
from reference_impl.kernel.explorer.result import Trace
from reference_impl.telling.runs import as_trace, at_random, through_every_step
from reference_impl.telling.segments import SegmentTeller
from reference_impl.telling.wrong import way_from
from spec.language.parameters import Parameters
from spec.language.protocol.running import PackedWorld
from spec.protocols.registry import TEXTS
from spec.segment.events import (
    Cancelled,
    Created,
    Deleted,
    Learnt,
    LockReleased,
    LockTaken,
    Rejected,
    RequestsClosed,
    Stored,
    Written,
)
from tests.suite.caught import Catches

RUNS, LENGTH = 60, 40

REFUSED = {
    "stale_writers_store": ("create 1 0, acquire 0 1 0, send 0 0 0, cancel 0, store 1 0 0 0", "store"),
    "gateways_store": ("create 1 0, gossip 1 0 0, acquire 0 0 0, send 0 0 0, store 0 0 0 0", "store"),
    "close_does_not_wait": ("create 1 0, acquire 0 1 0, send 0 0 0, ask_to_close 0, close 0", "close"),
    "samples_overlap": (
        "create 1 0, acquire 0 1 0, send 0 0 0, send 0 0 1, store 1 0 0 0, store 1 0 0 1",
        "store",
    ),
}
"""A run of each wrong form, and the step that the refused event claims to be."""

WAY = (
    "create 1 0, gossip 1 0 0, acquire 0 0 0, send 0 0 0, store 1 0 0 0, send 0 0 1, refuse 0 0 1, ask_to_close 0, "
    "close 0"
)
"""A run in which everything happens."""


def machine(form: str = "", **bounds: int) -> PackedWorld:
    """The text in a small world."""
    return PackedWorld(TEXTS["leaseholder"].small(form, **bounds))


def events_of(text: PackedWorld, run: Trace) -> list[dict[str, Any]]:
    """The events of a run."""
    return SegmentTeller(text, run).tell()


def rows_of(way: str, form: str = "", **bounds: int) -> list[dict[str, Any]]:
    """The events of a run that is written down."""
    text = machine(form, **bounds)
    return events_of(text, as_trace(text, text.pack(text.world.start), way_from(text, way)))


def refusal_of(rows: Iterable[dict[str, Any]]) -> Refusal | None:
    """The first event that is refused."""
    checker = FollowingChecker(SEGMENTS, Parameters(4))
    refusals = (checker.step(row) for row in rows)
    return next((refusal for refusal in refusals if refusal is not None), None)


@pytest.mark.parametrize("bounds", [{}, {"channels": 2, "instants": 3}, {"nodes": 3, "writers": 3, "channels": 2}])
def test_random_runs_are_followed(bounds: dict[str, int]) -> None:
    text = machine("", **bounds)
    runs = (at_random(text, Random(seed), LENGTH) for seed in range(RUNS))
    assert [run.steps for run in runs if refusal_of(events_of(text, run)) is not None] == []


def test_steps_of_the_smallest_world_are_followed() -> None:
    """Every four-hundredth run of those that take each step."""
    text = machine()
    runs = islice(through_every_step(text), 0, 20_000, 400)
    assert [run.steps for run in runs if refusal_of(events_of(text, run)) is not None] == []


WAITS = {"overlaps_are_not_answered"}
"""What waits for ever leaves no event that is wrong."""


def test_each_wrong_form_that_shows_has_a_run() -> None:
    assert {*REFUSED} | WAITS == {*TEXTS["leaseholder"].variants}


@pytest.mark.parametrize("form", REFUSED)
def test_a_run_of_a_wrong_form_is_refused_at_its_wrong_step(form: str, catches: Catches) -> None:
    way, action = REFUSED[form]
    refusal = refusal_of(rows_of(way, form))
    assert refusal is not None
    assert refusal.claims.partition("(")[0] == action
    catches("form", f"leaseholder/{form}", "refinement")


ALTERED: dict[str, tuple[int | None, dict[str, Any]]] = {
    "a node learns another leaseholder": (Learnt.kind, {"leaseholder": 0}),
    "a channel is created twice": (Learnt.kind, {"kind": Created.kind}),
    "a lock is taken by a second writer": (Written.kind, {"kind": LockTaken.kind, "session": 1, "holder": 1}),
    "a lock is released that somebody else has": (LockReleased.kind, {"session": 1}),
    "samples are stored elsewhere": (Stored.kind, {"node": 0}),
    "other samples are stored": (Stored.kind, {"last_ns": 50}),
    "samples are stored that were not given": (Stored.kind, {"request": 9}),
    "samples are refused that were not given": (Rejected.kind, {"request": 9}),
    "a writer closes that nobody asked to": (RequestsClosed.kind, {"kind": Cancelled.kind, "session": 1}),
    "a writer is given samples after its input closed": (Stored.kind, {"kind": RequestsClosed.kind}),
}


@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_event_is_refused(name: str) -> None:
    kind, changes = ALTERED[name]
    rows = rows_of(WAY)
    assert refusal_of(rows) is None
    place = [number for number, row in enumerate(rows) if row["kind"] == kind][-1]
    rows[place] = rows[place] | changes
    assert refusal_of(rows) is not None


def test_a_lock_is_taken_only_once_its_release_is_told() -> None:
    rows = rows_of("create 1 0, acquire 0 1 0, cancel 0, acquire 1 1 0")
    assert refusal_of(rows) is None
    assert refusal_of([row for row in rows if row["kind"] != LockReleased.kind]) is not None


@pytest.mark.parametrize("changes", [{"kind": Deleted.kind}, {"kind": LockTaken.kind, "session": 1, "holder": 0}])
def test_what_the_text_does_not_speak_of_is_not_judged(changes: dict[str, Any]) -> None:
    rows = rows_of(WAY)
    rows[-1] = rows[-1] | {"channel": rows[0]["channel"]} | changes
    with pytest.raises(CannotFollow):
        refusal_of(rows)


def test_whether_segments_overlap_that_cross_at_other_instants_is_not_judged() -> None:
    """Where samples have times of their own nobody knows; a layer may refuse such a segment, and a text need not."""
    within = {1: {"start_ns": 0, "last_ns": 100}, 2: {"start_ns": 50, "last_ns": 60}}
    apart = {1: {"start_ns": 0, "last_ns": 100}, 2: {"start_ns": 150, "last_ns": 160}}
    rows = [row | {"period_ns": 0} for row in rows_of(WAY)]
    rejected = next(number for number, row in enumerate(rows) if row["kind"] == Rejected.kind)
    with pytest.raises(CannotFollow):
        refusal_of(row | within.get(row.get("request", 0), {}) for row in rows)
    refusal = refusal_of(row | apart.get(row.get("request", 0), {}) for row in rows)
    assert refusal is not None
    assert refusal.number == rejected + 1
