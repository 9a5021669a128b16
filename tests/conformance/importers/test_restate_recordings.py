"""Recordings of real Restate clusters: nothing that the rules judge is violated while two nodes die in turn.

Sources: the background material's data/README.md and the README of examples/restate, which count events.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.importers.restate import import_restate
from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from spec.events import CRASH, RESTART, Ack, Fault, NewEpoch, Refused, Store
from spec.language.outcomes import Verdict
from spec.verdicts import Standing, TraceVerdict
from tests.support.recordings import by_id, checked, of_kind, undecided, violated

EXAMPLE = Path(__file__).parents[3] / "examples" / "restate"

NEEDS_A_RECORD = {
    "log.append.one_record",
    "log.append.stores_the_append",
    "log.sequencing.one_payload",
    "log.sequencing.own_epoch",
}
"""Need to see records and who wrote them, which no digest tells."""

NEEDS_A_READER = {"client.read.acked_is_asked_for"}
"""Nobody reads these logs but the counters themselves, and what they are given is not recorded."""

TRUSTED = {
    "client.append.one_per_lsn",
    "client.append.in_order",
    "log.sequencing.one_sequencer",
    "log.sequencing.epochs_in_order",
    "log.release.is_replicated",
}


def shared_recording(shared: Path) -> tuple[Header, list[EventRow]]:
    """The trace of the longer recording."""
    return import_restate(shared / "data/restate/client.jsonl", shared / "data/restate/controller.jsonl")


def kept_recording() -> tuple[Header, list[EventRow]]:
    """The trace of the recording that is kept with the project."""
    if not EXAMPLE.is_dir():
        pytest.skip("the recording examples/restate is not beside these tests")
    return import_restate(EXAMPLE / "client.jsonl.zst", EXAMPLE / "controller.jsonl.zst")


def check(verdict: TraceVerdict) -> None:
    """The promised rules hold with instances, and nothing is violated."""
    rules = by_id(verdict)
    assert violated(verdict) == {}
    assert {rule for rule in TRUSTED if rules[rule].verdict is Verdict.HOLDS} == TRUSTED
    assert undecided(verdict) <= NEEDS_A_RECORD | NEEDS_A_READER
    assert rules["log.seal.fences"].standing is Standing.IN_PART, "a look does not show every store and seal"
    assert rules["log.seal.fences"].judged > 5


def test_the_longer_recording_keeps_the_rules(shared: Path, tmp_path: Path) -> None:
    """Restate, replicated loglets: a sequencer for each segment; what is below the tail lies on two nodes."""
    header, events = shared_recording(shared)
    verdict = checked(tmp_path, header, events)
    check(verdict)
    counts = {rule: by_id(verdict)[rule].judged for rule in TRUSTED}
    assert counts == {
        "client.append.one_per_lsn": 2038,
        "client.append.in_order": 2038,
        "log.sequencing.one_sequencer": 9,
        "log.sequencing.epochs_in_order": 7,
        "log.release.is_replicated": 8112 + 2078 + 2068 + 9,
    }


def test_the_kept_recording_keeps_the_rules(tmp_path: Path) -> None:
    """examples/restate/README.md: 1580 calls were answered, 219 refused; log 0 has three segments at the end."""
    header, events = kept_recording()
    check(checked(tmp_path, header, events))
    assert len(of_kind(events, Ack.kind or 0)) == 1580
    assert len(of_kind(events, Refused.kind or 0)) == 219
    assert {event["epoch"] for event in of_kind(events, NewEpoch.kind or 0) if event["log"] == 0} == {0, 1, 2}


def test_faults_and_copies_are_those_that_the_operator_saw(shared: Path) -> None:
    """The recording itself: node 2, then node 1 is killed and restarted; node 3 lacks offsets 1882 to 1887 of 0_0."""
    header, events = shared_recording(shared)
    assert [node.name for node in header.members["nodes"]] == ["N1", "N2", "N3"]
    faults = [(event["node"], event["arg"]) for event in of_kind(events, Fault.kind or 0)]
    assert sorted(faults) == sorted([(1, CRASH), (1, RESTART), (0, CRASH), (0, RESTART)])
    held = {
        node: {
            event["esn"]
            for event in of_kind(events, Store.kind or 0)
            if (event["log"], event["epoch"], event["node"]) == (0, 0, node)
        }
        for node in range(3)
    }
    everything = set(range(1, 8113))
    assert everything - held[0] == set()
    assert everything - held[1] == set(range(1942, 6264))
    assert everything - held[2] == {*range(1882, 1888), 7189}
