"""Traces of BookKeeper recordings: what rules say of what ZooKeeper, journals, clients and lists show.

Sources: BookKeeper documentation, "The BookKeeper protocol"; BP-34, High Level Logic.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.importers.bookkeeper import import_bookkeeper
from conformance.importers.errors import Contradiction
from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from spec.language.outcomes import Verdict
from spec.ledger.events import Closed, Created, Event, Fenced, Sent, Stored
from spec.ledger.events.values import ADD, RECOVERY
from spec.verdicts import TraceVerdict
from tests.support.recorded_ledgers import (
    RECOVERER,
    WRITER,
    closed,
    history,
    lists,
    moved,
    opened,
    recorded,
    recovering,
    sound,
    stored,
    versions,
)
from tests.support.recordings import by_id, checked, undecided, violated

NO_CLOCK = "ledger.add.stored_before"


def verdict_of(folder: Path) -> TraceVerdict:
    header, events = imported(folder)
    return checked(folder, header, events)


def imported(folder: Path) -> tuple[Header, list[EventRow]]:
    history, metadata, stored, lists = (folder / f"{name}.jsonl" for name in ("history", "metadata", "stored", "lists"))
    return import_bookkeeper(history, metadata, stored, lists if lists.exists() else None)


def events_of(events: list[EventRow], kind: type[Event]) -> list[EventRow]:
    return [event for event in events if event["kind"] == kind.kind]


def test_a_sound_recording_holds(tmp_path: Path) -> None:
    verdict = verdict_of(sound(tmp_path))
    assert verdict.verdict is Verdict.HOLDS
    assert by_id(verdict)["ledger.recovery.keeps_acknowledged"].judged == 3
    assert by_id(verdict)["ledger.check.asks_all"].judged == 3


def test_without_times_nobody_knows_what_was_stored_before_it_was_acknowledged(tmp_path: Path) -> None:
    held = dict.fromkeys(range(3), (0, 1, 2, None, 2))
    verdict = verdict_of(recorded(sound(tmp_path), stored=stored(held, late=None)))
    assert violated(verdict) == {}
    assert undecided(verdict) == {NO_CLOCK}


def test_events_name_members_of_ensembles_and_the_clients_of_sessions(tmp_path: Path) -> None:
    header, events = imported(sound(tmp_path))
    (created,), (end,) = events_of(events, Created), events_of(events, Closed)
    assert (created["arg"], created["arg_b"], created["arg_c"]) == (3, 3, 2)
    clients = header.names_of(header.family.universes[2])
    assert clients[end["actor"]] == "r0"
    assert (end["entry"], end["flag"]) == (3, 1)
    assert {(event["entry"], event["member"]) for event in events_of(events, Sent)} == {
        (entry, member) for entry in range(3) for member in range(3)
    }
    assert len(events_of(events, Fenced)) == 3


def test_what_is_stored_behind_a_fence_is_a_repetition_if_somebody_had_it(tmp_path: Path) -> None:
    _, events = imported(sound(tmp_path))
    purposes = [event["purpose"] for event in events_of(events, Stored)]
    assert (purposes.count(ADD), purposes.count(RECOVERY)) == (9, 3)
    folder = recorded(sound(tmp_path), stored=stored(dict.fromkeys(range(3), (0, 1, None, 2))))
    assert violated(verdict_of(folder))["ledger.fence.takes_no_adds"] == 3, (
        "nobody had entry 2 to give it to a recovery"
    )


def test_what_is_acknowledged_and_cut_off_is_lost(tmp_path: Path) -> None:
    ledger = opened()
    made = ((WRITER, ledger), (RECOVERER, recovering(ledger)), (RECOVERER, closed(ledger, 1)))
    folder = recorded(sound(tmp_path), metadata=versions(*made), history=history(0, 1, 2, read_to=1))
    assert violated(verdict_of(folder))["ledger.recovery.keeps_acknowledged"] == 1


def test_an_acknowledgement_counts_on_whoever_stored_the_entry(tmp_path: Path) -> None:
    folder = recorded(sound(tmp_path), stored=stored({0: (0, 1, 2), 1: (0, 1), 2: (0, 1)}))
    assert violated(verdict_of(folder))["ledger.add.by_an_ack_quorum"] == 1, "entry 2 has one copy"
    held = [*stored({0: (0, 1, 2)}), *stored({1: (0, 1, 2), 2: (0, 1, 2)}, late=(1,))]
    verdict = verdict_of(recorded(folder, stored=held))
    assert violated(verdict)["ledger.add.by_an_ack_quorum"] == 1, "but one bookie had entry 1 by then"


@pytest.mark.parametrize(("confirmed", "broken"), [(1, {}), (0, {"ledger.ensemble.behind_confirmed": 1})])
def test_a_new_segment_begins_behind_what_its_writer_knew(
    tmp_path: Path, confirmed: int, broken: dict[str, int]
) -> None:
    ledger = opened()
    later = moved(ledger, 2, "d:1", "b:1", "c:1")
    made = ((WRITER, ledger), (WRITER, later), (WRITER, closed(later, 2)))
    change = {"kind": "change", "ledger": 0, "entry": 2, "confirmed": confirmed}
    held = {0: (0, 1), 1: (0, 1, 2), 2: (0, 1, 2), 3: (2,)}
    folder = recorded(
        sound(tmp_path),
        metadata=versions(*made),
        history=[*history(0, 1, 2, read_to=2), change],
        stored=stored(held),
        lists=lists(held),
    )
    verdict = verdict_of(folder)
    assert violated(verdict) == broken
    assert by_id(verdict)["ledger.close.whole_segments"].judged == 1


def test_the_checker_reports_who_lost_copies(tmp_path: Path) -> None:
    folder = recorded(sound(tmp_path), lists=lists({0: None, 1: (0, 1, 2), 2: (0, 1, 2)}))
    verdict = verdict_of(folder)
    assert by_id(verdict)["ledger.check.once"].judged == 3
    assert violated(verdict) == {"ledger.list.tells_all": 3}


def test_a_wiped_bookie_is_told_to_have_lost_its_copies(tmp_path: Path) -> None:
    held = [*stored(dict.fromkeys(range(3), (0, 1, 2))), {"node": 0, "wiped_ns": 50}]
    folder = recorded(sound(tmp_path), stored=held, lists=lists({0: None, 1: (0, 1, 2), 2: (0, 1, 2)}))
    verdict = verdict_of(folder)
    assert by_id(verdict)["ledger.list.tells_all"].verdict is Verdict.HOLDS, "it lost what it does not tell"


def test_without_lists_nothing_is_checked(tmp_path: Path) -> None:
    (sound(tmp_path) / "lists.jsonl").unlink()
    header, _ = imported(tmp_path)
    assert "checker" not in header.recorders


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (((WRITER, opened()), (WRITER, moved(opened(), 2, "d:1", "b:1", "c:1"))), "no row of the history tells"),
        (((WRITER, opened()), (WRITER, opened(ack=1))), "sizes never change"),
        (((WRITER, moved(opened(), 2, "e:1", "b:1", "c:1")),), "it never registered"),
    ],
    ids=["nobody tells what was confirmed", "other sizes", "a bookie that nobody knows"],
)
def test_metadata_that_contradicts_itself_is_named(tmp_path: Path, made: tuple[object, ...], why: str) -> None:
    folder = recorded(sound(tmp_path), metadata=versions(*made))  # type: ignore[arg-type]
    with pytest.raises(Contradiction, match=why) as caught:
        imported(folder)
    assert "metadata.jsonl" in caught.value.where
