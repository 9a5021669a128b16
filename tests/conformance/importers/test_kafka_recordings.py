"""Recordings of real Kafka clusters: what each lost and repeated was counted by hand when it was recorded.

Sources: the tables in the background material's data/README.md and in the READMEs of examples/; Kafka documents each
loss here as what its weak setting allows (Producer configuration, acks and enable.idempotence).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.importers.kafka import import_kafka
from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from spec.events import CRASH, RESTART, Ack, Erase, Fault
from spec.language.outcomes import Verdict
from spec.verdicts import Standing
from tests.support.recordings import by_id, checked, of_kind, undecided, violated

EXAMPLES = Path(__file__).parents[3] / "examples"
LOST, TWICE = "client.read.acked_is_delivered", "client.append.once"
COPIES = "log.append.acked_has_copies"


@dataclass(frozen=True)
class Recorded:
    """One recording: its settings, and what was counted in it."""

    name: str
    acks: str
    acked: int
    lost: int = 0
    twice: int = 0
    inferred: int = 0
    unseen: int = 0


RECORDED = [
    Recorded("acks_all_idem_kill9", "all", 2746),
    Recorded("acks1_kill9_leader_alone", "1", 908, lost=275),
    Recorded("acks1_zombie_sigstop", "1", 1321, lost=67, inferred=67, unseen=67),
    Recorded("acks_all_nonidem_dups", "all", 2105, twice=4),
    Recorded("acks_all_power_loss_all_one_tail_cut", "all", 789, lost=164, inferred=164, unseen=164),
]


def of_shared(shared: Path, recorded: Recorded) -> tuple[Header, list[EventRow]]:
    """The trace of one of the five recordings."""
    files = {
        part: shared / f"data/kafka/{recorded.name}{part}.jsonl.zst" for part in ("", ".replicas", ".before_restart")
    }
    before = files[".before_restart"] if files[".before_restart"].exists() else None
    return import_kafka(files[""], replicas=files[".replicas"], before_restart=before, acks=recorded.acks, min_insync=2)


def of_example(name: str, acks: str) -> tuple[Header, list[EventRow]]:
    """The trace of a recording that is kept with the project."""
    folder = EXAMPLES / name
    if not folder.is_dir():
        pytest.skip(f"the recording examples/{name} is not beside these tests")
    before = folder / "before_restart.jsonl.zst"
    return import_kafka(
        folder / "history.jsonl.zst",
        replicas=folder / "replicas.jsonl.zst",
        before_restart=before,
        acks=acks,
        min_insync=2,
    )


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded.name)
def test_what_was_counted_by_hand_is_what_the_rules_say(shared: Path, tmp_path: Path, recorded: Recorded) -> None:
    """Acknowledged and never delivered, delivered twice, and nothing else: data/README.md of the recordings."""
    header, events = of_shared(shared, recorded)
    verdict = checked(tmp_path, header, events)
    counted = {LOST: recorded.lost, TWICE: recorded.twice}
    assert violated(verdict) == {rule: count for rule, count in counted.items() if count}
    assert by_id(verdict)[LOST].judged == recorded.acked
    assert by_id(verdict)[COPIES].unknown == recorded.unseen, "no look showed these copies, so nothing is proved"
    assert sum("extra" in event for event in of_kind(events, Ack.kind or 0)) == recorded.inferred
    assert undecided(verdict) == set()


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded.name)
def test_clients_alone_show_what_was_counted_by_hand(shared: Path, tmp_path: Path, recorded: Recorded) -> None:
    """The same counts from deliveries and acknowledgements: no replica is looked at, and no setting is told."""
    header, events = import_kafka(shared / f"data/kafka/{recorded.name}.jsonl.zst")
    assert dict(header.promises) == {}
    verdict = checked(tmp_path, header, events)
    counted = {LOST: recorded.lost, TWICE: recorded.twice}
    assert violated(verdict) == {rule: count for rule, count in counted.items() if count}
    assert by_id(verdict)[LOST].judged == recorded.acked
    assert undecided(verdict) == set()


def test_a_strong_setting_keeps_every_rule(shared: Path, tmp_path: Path) -> None:
    """Kafka, Producer configuration: acks=all with enable.idempotence loses nothing and writes nothing twice."""
    header, events = of_shared(shared, RECORDED[0])
    assert header.promises == {"copies": 2, "append_once": True}
    verdict = checked(tmp_path, header, events)
    assert verdict.verdict is Verdict.HOLDS
    assert {rule.rule.id for rule in verdict.judged} >= {LOST, TWICE, COPIES, "client.append.in_order"}
    assert by_id(verdict)["log.append.copy_before_ack"].standing is Standing.IN_PART, "a look at a disk has no clock"


def test_one_offset_acknowledged_twice_is_two_lsns(shared: Path, tmp_path: Path) -> None:
    """real_systems.md, Kafka: 275 offsets from 319 on have two payloads, each of a leader epoch of its own."""
    header, events = of_shared(shared, RECORDED[1])
    acks = of_kind(events, Ack.kind or 0)
    by_offset: dict[int, set[int]] = {}
    for ack in acks:
        by_offset.setdefault(ack["esn"], set()).add(ack["epoch"])
    assert {offset for offset, epochs in by_offset.items() if epochs == {0, 1}} == set(range(319, 594))
    verdict = by_id(checked(tmp_path, header, events))
    assert (verdict["client.append.one_per_lsn"].verdict, verdict[COPIES].verdict) == (Verdict.HOLDS, Verdict.HOLDS)
    erased = of_kind(events, Erase.kind or 0)
    assert {(event["recorder"], event["epoch"]) for event in erased} == {("n2", 0)}
    assert [event["esn"] for event in erased] == list(range(319, 594)), "the restarted leader cut off what diverged"


def test_the_kept_weak_recording_loses_154(tmp_path: Path) -> None:
    """examples/kafka-acks1/README.md: 154 acknowledged values are lost; node 0, which was killed, alone had them."""
    header, events = of_example("kafka-acks1", "1")
    verdict = checked(tmp_path, header, events)
    assert violated(verdict) == {LOST: 154}
    assert len(of_kind(events, Erase.kind or 0)) == 154
    assert [(event["node"], event["arg"]) for event in of_kind(events, Fault.kind or 0) if event["node"] == 0] == [
        (0, CRASH),
        (0, RESTART),
    ]
    assert undecided(verdict) == set()


def test_the_kept_strong_recording_loses_nothing(tmp_path: Path) -> None:
    """examples/kafka-clean/README.md: offset 374 lies in epoch 0 on node 1, unacknowledged, and in epoch 1 for good."""
    header, events = of_example("kafka-clean", "all")
    verdict = checked(tmp_path, header, events)
    assert violated(verdict) == {}
    assert undecided(verdict) == set()
    assert {event["epoch"] for event in of_kind(events, Ack.kind or 0) if event["esn"] == 374} == {1}
