"""When a sequencer fails: LogDevice, Recovery after the failure of a sequencer, seen in simulated runs.

The environment plays the failure detector and the routing of appends; which node is activated when is drawn.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from reference_impl.log import trace_events
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from spec.events import CRASH


@cache
def run() -> tuple[dict[str, Any], ...]:
    """A run of one log with the usual faults."""
    plan = SimulationPlan(seed=3, events=6000, logs=1)
    print("SimulationPlan(seed=3, events=6000, logs=1)")
    return tuple(simulate(plan))


def first(kind: int) -> dict[int, int]:
    """When the first event of a kind was, by epoch."""
    found: dict[int, int] = {}
    for event in run():
        if event["kind"] == kind:
            found.setdefault(event["epoch"], event["time_ns"])
    return found


def _is_crash(event: dict[str, Any]) -> bool:
    return bool(event["kind"] == trace_events.FAULT and event["arg"] == CRASH)


def test_another_node_takes_over() -> None:
    """After a crash of a sequencer's node, a healthy one has the next epoch, and clients append to it."""
    sequencers = {event["epoch"]: event["node"] for event in run() if event["kind"] == trace_events.EPOCH}
    crashes = [(event["time_ns"], event["node"]) for event in run() if _is_crash(event)]
    started, acked = first(trace_events.EPOCH), first(trace_events.ACK)
    taken_over = [
        epoch
        for epoch, node in sequencers.items()
        if epoch + 1 in sequencers
        and sequencers[epoch + 1] != node
        and any(started[epoch] < at < started[epoch + 1] for at, crashed in crashes if crashed == node)
    ]
    assert taken_over
    assert {epoch + 1 for epoch in taken_over} & set(acked)


def test_each_new_epoch_is_followed_by_the_recovery_of_the_one_before() -> None:
    """Its nodes are sealed, up to it or to a later one, and then it is clean."""
    started, clean = first(trace_events.EPOCH), first(trace_events.CLEAN)
    seals = [(event["epoch"], event["time_ns"]) for event in run() if event["kind"] == trace_events.SEAL]
    assert len(clean) > 1
    for epoch, at in clean.items():
        assert any(sealed >= epoch and started[epoch + 1] <= when <= at for sealed, when in seals)


def test_appends_do_not_wait_for_recovery_and_releases_do() -> None:
    """Some are acknowledged in the new epoch before the old one is clean; none is released."""
    acked, clean, released = first(trace_events.ACK), first(trace_events.CLEAN), first(trace_events.RELEASE)
    early = [epoch for epoch in acked if epoch - 1 in clean and acked[epoch] < clean[epoch - 1]]
    assert early
    assert all(released[epoch] >= clean[epoch - 1] for epoch in released if epoch - 1 in clean)
