"""From whom a recovery learns what an epoch holds, and who obeys it: LogDevice, Recovery, Log recovery."""

from __future__ import annotations

from spec.events import WIPE, CleanLearned, Digest, Fault, MutationStored, NewEpoch, Planned, Seal, StatusTable
from tests.support.tiny import at, outcomes

ALL = frozenset({0, 1, 2})


def planned(heard: set[int], written: set[int] | None = None) -> list[dict[str, object]]:
    """Recovery 2 decides what becomes of epoch 1, which has three nodes and two copies of each record."""
    return [
        at(NewEpoch, 1, 0, sequencer=0, nodeset=ALL, replication={"node": 2}),
        at(StatusTable, version=1, unavailable=frozenset(), underreplicated=frozenset({2}), empty=frozenset()),
        at(StatusTable, version=0, unavailable=frozenset(), underreplicated=frozenset(), empty=frozenset()),
        at(
            Planned,
            1,
            0,
            recovery=2,
            round=1,
            heard=frozenset(heard),
            written=frozenset(heard if written is None else written),
            statuses=0,
        ),
    ]


def lossy(events: list[dict[str, object]]) -> list[dict[str, object]]:
    """The same, when the data of node 2 is known to be gone."""
    return [{**event, "arg_b": 1} if event["kind"] == Planned.kind else event for event in events]


def test_a_recovery_decides_when_it_heard_enough() -> None:
    """Of three nodes with two copies, two are an f-majority; or everybody whose data is there."""
    rule = "log.plan.heard_enough"
    assert outcomes(rule, *planned({0, 1})) == ["holds"]
    assert outcomes(rule, *planned({0})) == ["violated"]
    assert outcomes(rule, *lossy(planned({0, 1}))) == ["holds"]
    assert outcomes(rule, *lossy(planned({0, 2}))) == ["holds"], "it answers, so its data is there after all"
    assert outcomes(rule, *lossy(planned({2}))) == ["violated"]
    assert outcomes(rule, *lossy(planned({0, 2})), at(Fault, node=2, what=WIPE)) == ["violated"]


def test_those_it_writes_to_can_hold_what_it_decides() -> None:
    rule = "log.plan.can_be_stored"
    assert outcomes(rule, *planned({0, 1})) == ["holds"]
    assert outcomes(rule, *planned({0, 1}, {0})) == ["violated"]
    assert outcomes(rule, *planned({0, 1, 2}, {0})) == ["holds"]


def test_it_writes_to_nodes_that_it_heard() -> None:
    rule = "log.plan.in_nodeset"
    assert outcomes(rule, *planned({0, 1})) == ["holds"]
    assert outcomes(rule, *planned({0, 1}, {1, 2})) == ["violated"]
    assert outcomes(rule, *planned({0, 1, 3})) == ["violated"]


def test_a_node_is_sealed_before_it_tells() -> None:
    rule = "log.digest.is_sealed"
    seal, digest = at(Seal, 2, 0, node=0), at(Digest, 1, 4, node=0, recovery=3, digest=7)
    late = at(Seal, 1, 0, node=0)
    assert outcomes(rule, seal, digest) == ["holds"]
    assert outcomes(rule, digest, late) == ["violated"]
    assert outcomes(rule, digest) == ["violated"]


def test_seals_rise() -> None:
    rule = "log.seal.rises"
    low, high = at(Seal, 1, 0, node=0), at(Seal, 3, 0, node=0)
    assert outcomes(rule, low, high) == ["holds", "holds"]
    lower = at(Seal, 2, 0, node=0)
    assert outcomes(rule, high, lower) == ["holds", "violated"]


def test_a_node_obeys_recoveries_in_their_order() -> None:
    rule = "log.recovery.obeyed_in_order"
    early, late = (at(MutationStored, 1, 0, node=0, recovery=recovery, round=1) for recovery in (2, 3))
    again = at(MutationStored, 1, 0, node=0, recovery=2, round=1)
    assert outcomes(rule, early, late) == ["holds"]
    assert outcomes(rule, late, again) == ["violated"]


def test_a_clean_epoch_takes_nothing_more() -> None:
    """But from a recovery that began again, or from a later one."""
    rule = "log.recovery.clean_is_final"
    settled = at(CleanLearned, 1, 0, node=0, recovery=3)
    before, after = (at(MutationStored, 1, 0, node=0, recovery=3, round=1) for _ in range(2))
    before["seq"] = 0
    again, later, earlier, unsaid = (
        at(MutationStored, 1, 0, node=0, recovery=by, round=nth) for by, nth in ((3, 2), (4, 1), (2, 2), (3, None))
    )
    assert outcomes(rule, before, settled) == ["holds"]
    assert outcomes(rule, settled, after) == ["violated"]
    assert outcomes(rule, settled, again) == ["holds"]
    assert outcomes(rule, settled, later) == ["holds"]
    assert outcomes(rule, settled, earlier) == ["violated"]
    assert outcomes(rule, settled, unsaid) == ["unknown"]
