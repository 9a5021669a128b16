"""Every run of the machine of ledgers is a run of the text ``ensemble_change``; what is altered or wrong in one is not.

The text is proved for any number of bookies, entries, fragments and clients: ``spec/protocols/ensemble_change.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

import pytest

from benchmarks.long_ledger import LongLedger
from reference_impl.following.checker import FollowingChecker, Refusal
from reference_impl.following.families import LEDGERS
from reference_impl.kernel.weather import Weather
from reference_impl.ledger.mutants import LEDGER_MUTANTS, recoveries, writers
from reference_impl.ledger.plan import LedgerPlan
from reference_impl.mutants.registry import mutants_of
from spec.ledger.events import Acknowledged, Closed, Fenced, InRecovery, ReadBack, RecoveryBegan, Sent, Stored
from spec.ledger.schedule import Quorums
from tests.suite.caught import Catches
from tests.support.ledger_runs import events_of, header_of

PLANS = {
    "stripes": LedgerPlan(),
    "everybody has all": LedgerPlan(quorums=Quorums(3, 3, 2)),
    "a bad network": LedgerPlan(quorums=Quorums(5, 3, 2), weather=Weather(drop=0.08), ledgers=12),
    "one answer is enough": LedgerPlan(quorums=Quorums(4, 3, 1), weather=Weather(drop=0.1), ledgers=12),
    "long since begun": LedgerPlan(first_entry=(1 << 31) - 4),
    "many fragments": LedgerPlan(entries=120),
}

REFUSED = {
    "entries_are_shifted": "accept",
    "entries_are_cut_to_32_bits": "accept",
    "acknowledged_one_early": "no step",
    "acknowledged_out_of_order": "acknowledge",
    "acknowledged_while_it_changes": "acknowledge",
    "who_was_replaced_counts": "acknowledge",
    "confirmed_runs_ahead": "accept",
    "segment_begins_behind_what_was_sent": "change",
    "sent_to_the_neighbour": "accept",
    "replaced_by_a_member": "no step",
    "ensemble_changes_in_recovery": "change",
    "ensembles_change_from_the_beginning": "change",
    "segment_begins_before_the_last": "change",
    "versions_are_used_twice": "change",
    "more_acknowledge_than_store": "no step",
    "segment_begins_too_early": "change",
    "fenced_bookies_take_adds": "accept",
    "answered_without_storing": "acknowledge",
    "recovery_reads_do_not_fence": "read",
    "recovery_begins_before_its_segment": "lay_out",
    "one_bookie_is_fenced_enough": "read",
    "one_bookie_without_it_is_enough": "finish",
    "one_copy_is_none": "finish",
    "one_copy_is_added_enough": "finish",
    "last_entry_is_dropped": "finish",
    "recovered_while_open": "no step",
    "closed_by_whoever_comes": "close",
    "closed_before_its_last_segment": "lay_out",
    "closed_ledgers_are_recovered": "close",
    "unreadable_entries_are_denied": "read",
    "acknowledged_entries_get_another_segment": "change",
    "bookies_have_what_they_never_stored": "read",
    "closed_one_too_late": "close",
}
"""Mutants of writers, bookies and recoveries, and the step that the first refused event claims to be."""

NOT_OF_THE_TEXT = {
    "one_member_is_left_out": "nobody must send an entry to anybody in a text of what may happen",
    "members_get_different_contents": "entries have no contents",
    "versions_are_left_out": "fragments come in the order of versions, whatever their numbers are",
    "reads_behind_what_is_confirmed": "nobody reads but to recover",
    "digests_are_not_verified": "entries have no contents",
    "missing_where_one_lacks_it": "nobody reads but to recover",
}
"""The others, and why."""


def followed(events: Iterable[dict[str, Any]], plan: LedgerPlan) -> tuple[FollowingChecker, Refusal | None]:
    """What following says of events, and the first that is refused."""
    checker = FollowingChecker(LEDGERS, header_of(plan).parameters())
    refusals = (checker.step(event) for event in events)
    return checker, next((refusal for refusal in refusals if refusal is not None), None)


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_correct_run_is_followed_to_its_end(name: str, seed: int) -> None:
    plan = LedgerPlan(**{**vars(PLANS[name]), "seed": seed})
    events = events_of(plan)
    checker, refusal = followed(events, plan)
    assert refusal is None
    assert checker.taken == len(events)
    assert checker.subjects == plan.ledgers
    assert checker.steps > plan.entries * plan.ledgers


@pytest.mark.parametrize("name", REFUSED)
def test_a_mutant_is_refused_at_the_step_that_it_takes_wrongly(name: str, catches: Catches) -> None:
    plans = (LEDGER_MUTANTS[name].plan(LedgerPlan(seed=seed)) for seed in range(1, 5))
    refusals = (followed(events_of(plan), plan)[1] for plan in plans)
    refusal = next((one for one in refusals if one is not None), None)
    assert refusal is not None
    assert refusal.claims.partition("(")[0] == REFUSED[name]
    assert refusal.reasons
    catches("ledger", name, "refinement")


def test_the_other_mutants_of_writers_and_recoveries_are_not_of_the_text() -> None:
    known = {mutant.name for module in (writers, recoveries) for mutant in mutants_of(module)}
    assert {*REFUSED, *NOT_OF_THE_TEXT} == known


EVENTS = events_of(LedgerPlan(quorums=Quorums(4, 3, 2)))


def altered(kind: int | None, **changes: Any) -> list[dict[str, Any]]:
    """A run in which one event of a kind says something else: the middle one that did not say so."""
    places = [
        place
        for place, event in enumerate(EVENTS)
        if event["kind"] == kind and all(event[column] != value for column, value in changes.items())
    ]
    events = list(EVENTS)
    place = places[len(places) // 2]
    events[place] = {**events[place], **changes}
    return events


def without(kind: int | None) -> list[dict[str, Any]]:
    """A run of which nobody saw the first event of a kind."""
    place = next(place for place, event in enumerate(EVENTS) if event["kind"] == kind)
    return EVENTS[:place] + EVENTS[place + 1 :]


ALTERED: dict[str, tuple[int | None, dict[str, Any]]] = {
    "an add is stored that nobody sent": (Stored.kind, {"entry": 700}),
    "an add is stored elsewhere": (Stored.kind, {"bookie": 8}),
    "an add says that it is confirmed itself": (Sent.kind, {"lac": 8}),
    "an entry is acknowledged ahead of its turn": (Acknowledged.kind, {"entry": 8}),
    "an entry is acknowledged by one": (Acknowledged.kind, {"members": frozenset({0})}),
    "an entry is acknowledged in a segment that is none": (Acknowledged.kind, {"segment": 5}),
    "who never began recovers": (RecoveryBegan.kind, {"actor": 7}),
    "a recovery goes on after one answer": (RecoveryBegan.kind, {"members": frozenset({0})}),
    "a recovery heard that more is confirmed": (RecoveryBegan.kind, {"lac": 600}),
    "an entry is not found where it is": (ReadBack.kind, {"flag": 0}),
    "an entry is found where it is not": (ReadBack.kind, {"flag": 1}),
    "an entry is read back by who never began": (ReadBack.kind, {"actor": 7}),
    "a ledger ends too early": (Closed.kind, {"entry": 1}),
    "a ledger ends too late": (Closed.kind, {"entry": 12}),
    "a ledger is closed by who never began": (Closed.kind, {"actor": 7, "flag": 1}),
}


@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_event_is_refused(name: str) -> None:
    kind, changes = ALTERED[name]
    assert followed(altered(kind, **changes), LedgerPlan())[1] is not None


@pytest.mark.parametrize("kind", [Sent, Stored, Fenced, InRecovery])
def test_what_needs_an_event_is_refused_where_it_did_not_happen(kind: Any) -> None:
    assert followed(without(kind.kind), LedgerPlan())[1] is not None


def denied_at_the_end() -> int:
    """The place of the answer after which a recovery ends its ledger before an entry."""
    closed = next(event for event in EVENTS if event["kind"] == Closed.kind and event["flag"])
    about = closed["ledger"], closed["entry"], closed["actor"]
    return max(
        place
        for place, event in enumerate(EVENTS)
        if event["kind"] == ReadBack.kind and (event["ledger"], event["entry"], event["actor"]) == about
    )


def late(**changes: Any) -> list[dict[str, Any]]:
    """A run in which the recovery is answered once more after that, perhaps in another way."""
    place = denied_at_the_end()
    return [*EVENTS[: place + 1], {**EVENTS[place], **changes}, *EVENTS[place + 1 :]]


def test_an_answer_after_the_decision_changes_nothing() -> None:
    events = late()
    checker, refusal = followed(events, LedgerPlan())
    assert refusal is None
    assert checker.taken == len(events)


def test_a_late_answer_is_refused_where_it_is_not_so() -> None:
    place = denied_at_the_end()
    refusals = followed(late(flag=1), LedgerPlan())[1], followed(late(bookie=999), LedgerPlan())[1]
    assert [refusal and refusal.number for refusal in refusals] == [place + 2, place + 2]
    assert [refusal and refusal.claims.partition("(")[0] for refusal in refusals] == ["tell", "tell"]


def test_who_begins_anew_counts_no_answer_to_what_it_asked_before() -> None:
    """Two clients put a ledger in recovery in turn; by then another has restored what a slow answer denies."""
    plan = LedgerPlan(seed=409, ledgers=20, bookies=11, racks=4, entries=20, quorums=Quorums(5, 4, 2))
    assert followed(events_of(plan), plan)[1] is None


def answered_ahead(events: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """The same run, in which a recovery hears of an entry before the one below it; None where nobody reads two."""
    reads = [(place, event) for place, event in enumerate(events) if event["kind"] == ReadBack.kind]
    fenced = {
        (event["ledger"], event["bookie"]): place for place, event in enumerate(events) if event["kind"] == Fenced.kind
    }
    for first, low in reads:
        same = low["ledger"], low["actor"]
        higher = [
            place
            for place, event in reads
            if (event["ledger"], event["actor"]) == same and event["entry"] == low["entry"] + 1 and place > first
        ]
        if higher and all(fenced[low["ledger"], events[place]["bookie"]] < first for place in higher):
            rest = [event for place, event in enumerate(events) if place >= first and place not in higher]
            return [*events[:first], *(events[place] for place in higher), *rest]
    return None


def test_a_recovery_may_hear_of_several_entries_at_once() -> None:
    """BookKeeper, conf/ClientConfiguration.java, recoveryReadBatchSize."""
    moved = 0
    for seed in range(1, 9):
        plan = LedgerPlan(seed=seed)
        events = answered_ahead(events_of(plan))
        if events is not None:
            moved += 1
            assert followed(events, plan)[1] is None, f"seed {seed}"
    assert moved > 0


def calls(entries: int, behind: int) -> int:
    """How many functions are called to follow a ledger of so many entries."""
    events, counted = list(LongLedger(entries, behind).events()), 0

    def count(frame: FrameType, what: str, given: Any) -> None:
        nonlocal counted
        counted += what == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        _, refusal = followed(events, LedgerPlan())
    finally:
        sys.setprofile(before)
    assert refusal is None
    return counted


@pytest.mark.parametrize("behind", [3, 100], ids=["heard at once", "much is read by the recovery"])
def test_a_ledger_of_many_entries_costs_in_proportion(behind: int) -> None:
    assert calls(800, behind) < 2.2 * calls(400, behind)


def test_a_long_ledger_is_refused_where_it_counts_on_who_has_nothing() -> None:
    events = list(LongLedger(300).events())
    events.remove(next(event for event in events if event["kind"] == Stored.kind and event["entry"] == 250))
    _, refusal = followed(events, LedgerPlan())
    assert refusal is not None
    assert refusal.event["kind"] == Acknowledged.kind
    assert refusal.event["entry"] == 250
