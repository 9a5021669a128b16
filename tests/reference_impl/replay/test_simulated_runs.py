"""Runs in which something rare happens replay on the machine of events, too; runs of every kind are in the corpus.

Justified by the demand that every simulator trace replays.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from reference_impl.kernel.faults import Rate
from reference_impl.log import trace_events
from reference_impl.plan import EVERY_FAULT, MILLISECOND, REPLICATIONS, TOPOLOGIES, Faults, SimulationPlan
from reference_impl.replay import GUARDS
from reference_impl.replay.pages import page
from reference_impl.simulate import simulate
from tests.support.corpus import WEATHERS
from tests.support.replayed import machine_of, refusal_of

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "replay.md"

EVENTS = 3000

Row: TypeAlias = dict[str, Any]


def plan_on(topology: str, seed: int, events: int, faults: Faults) -> SimulationPlan:
    """A run with some faults."""
    return SimulationPlan(seed, TOPOLOGIES[topology], REPLICATIONS[topology], events, faults=faults)


def replays(plan: SimulationPlan) -> None:
    """The whole run is a behaviour of the machine."""
    refusal = refusal_of(plan, simulate(plan))
    assert refusal is None, (refusal.guard.id, refusal.number, refusal.expected, refusal.seen, refusal.event)


TRIMS = Rate(2 * MILLISECOND)
SOME = {name: EVERY_FAULT.rates[name] for name in ("straggler", "wipe")}
RARE = {
    "a node that crashed while it was drained comes back empty, before the crash is over": replace(
        plan_on("racks6", 0, 20_000, Faults()), variants=("metadata_log",)
    ),
    "a record moves to another node's turn after a node passed over it": replace(
        plan_on("flat5", 70253, 20_000, EVERY_FAULT),
        variants=("amends", "extras"),
        delivery=("local", "all_send_all", "single_copy"),
        on_the_wire=True,
        trims=TRIMS,
    ),
    "what a donor sent comes after it was trimmed and lost its disk": replace(
        plan_on("regions9", 76063, 20_000, Faults()),
        variants=("soft_seals",),
        delivery=("local", "all_send_all"),
        trims=TRIMS,
    ),
    "a node is empty when only some nodes have trimmed": replace(
        plan_on("racks8", 859989, 8000, EVERY_FAULT),
        variants=("regions",),
        delivery=("single_copy", "all_send_all", "local"),
        trims=TRIMS,
    ),
    "a node is empty while it is down, and trims as far as before": replace(
        plan_on("racks8", 145665, 8000, EVERY_FAULT),
        variants=("compressed", "greylist", "regions"),
        delivery=("local",),
        trims=TRIMS,
    ),
    "the end of a clean epoch is trimmed before it is released": replace(
        plan_on("flat3", 338183, 20_000, EVERY_FAULT),
        variants=("pipelined", "write_streams"),
        delivery=("local",),
        trims=TRIMS,
    ),
    "a reader learns twice that nodes are down before it asks anybody": replace(
        plan_on("racks4", 934206515, 20_000, Faults(WEATHERS["storm"], SOME)),
        variants=("compressed", "extras", "amends", "greylist", "metadata_log", "graceful"),
        delivery=("local",),
        on_the_wire=True,
        logs=0,
    ),
}
"""Runs in which something rare happens."""


def test_a_release_waits_for_copies_and_for_no_client() -> None:
    """Where every client tires of waiting, what is stored is released all the same: LogDevice, common/Sequencer.cpp."""
    plan = plan_on("flat3", 5, EVENTS, Faults())
    rows = list(simulate(plan))
    tired = [deaf(row) if row["kind"] == trace_events.ACK else row for row in rows]
    assert any(row["kind"] == trace_events.RELEASE and row["esn"] > 0 for row in rows)
    assert refusal_of(plan, tired) is None


def test_a_release_of_what_is_not_stored_is_refused() -> None:
    """It comes before the last copy of what it releases last: a client's answer would make no difference."""
    plan = plan_on("flat3", 5, EVENTS, Faults())
    rows = list(simulate(plan))
    place, release = next(
        (at, row) for at, row in enumerate(rows) if row["kind"] == trace_events.RELEASE and row["esn"] > 0
    )
    same = (release["log"], release["epoch"], release["esn"])
    last = max(at for at, row in enumerate(rows[:place]) if row["kind"] == trace_events.STORE and where(row) == same)
    machine = machine_of(plan)
    for row in rows[:last]:
        assert machine.step(row) is None
    following = next(row["seq"] for row in rows[last:] if row["recorder"] == release["recorder"])
    refusal = machine.refuses({**release, "seq": following, "time_ns": rows[last]["time_ns"]})
    assert refusal is not None
    assert refusal.guard.id == "release.is_known_good"


def deaf(row: Row) -> Row:
    """The client gives up instead."""
    about = {name: row[name] for name in ("recorder", "seq", "time_ns", "log", "actor", "digest")}
    return {**about, "kind": trace_events.INDEFINITE}


def where(row: Row) -> tuple[int, int, int]:
    """The LSN of which an event speaks."""
    return row["log"], row["epoch"], row["esn"]


@pytest.mark.slow
@pytest.mark.parametrize("what", RARE)
def test_a_run_with_something_rare_replays(what: str) -> None:
    replays(RARE[what])


def test_the_machine_takes_every_event() -> None:
    plan = SimulationPlan(events=EVENTS)
    machine = machine_of(plan)
    assert [machine.step(event) for event in simulate(plan)] == [None] * EVENTS
    assert (machine.taken, machine.unsure) == (EVENTS, 0)


def test_the_page_is_what_the_guards_say(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    if request.config.getoption("--rewrite"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_guards_have_names_of_their_own_and_a_place_on_the_page() -> None:
    ids = [guard.id for guard in GUARDS]
    assert len(set(ids)) == len(ids)
    told = page()
    assert [name for name in ids if f"### {name}\n" not in told] == []
