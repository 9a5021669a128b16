"""Events of the machine are complete: every column of their kind, of the right sort, as the vocabulary declares.

``spec.events`` says what events carry; ``conformance.trace`` refuses anything else.
"""

from dataclasses import replace

import pytest

from conformance.cli_simulate import header_for
from conformance.trace.rows import Rows
from reference_impl.heading import header_of
from reference_impl.kernel.faults import Rate
from reference_impl.log.context import VARIANTS
from reference_impl.plan import MILLISECOND, REPLICATIONS, TOPOLOGIES, SimulationPlan
from reference_impl.simulate import simulate
from spec.events import Event
from spec.language.events import all_events, fields_of
from spec.log.family import LOG
from spec.promises import PROMISES


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_every_event_is_complete(topology: str) -> None:
    """No NULL, no missing column, no column of another kind, no recorder that the header does not name."""
    cluster, replication = TOPOLOGIES[topology], REPLICATIONS[topology]
    plan = SimulationPlan(events=5000, topology=cluster, replication=replication, variants=tuple(VARIANTS))
    plan = replace(plan, trims=Rate(MILLISECOND))
    rows = Rows(header_for(plan))
    stored = {
        event.kind: [field for field in fields_of(event).values() if not field.computed] for event in all_events(Event)
    }
    for event in simulate(plan):
        known = {field.column for field in stored[event["kind"]] if field.column in event or field.told is None}
        assert event.keys() == known | {"kind", "recorder"}
        assert None not in event.values()
        assert {name: value for name, value in rows.checked(event).items() if value is not None} == event


def test_recorders_keep_their_own_order() -> None:
    """``seq`` counts up from 1 for each recorder, and its clock never goes back."""
    last: dict[str, tuple[int, int]] = {}
    for event in simulate(SimulationPlan(events=5000)):
        seq, time_ns = last.get(event["recorder"], (0, 0))
        assert event["seq"] == seq + 1
        assert event["time_ns"] >= time_ns
        last[event["recorder"]] = event["seq"], event["time_ns"]


def test_recorders_record_what_the_header_says() -> None:
    """All kinds are complete, and each is recorded by those whom the header names for it."""
    plan = SimulationPlan(events=20_000, on_the_wire=True, variants=tuple(VARIANTS), trims=Rate(MILLISECOND))
    head = header_for(plan)
    words = {event.kind: event.word for event in all_events(Event)}
    assert {word for word in words.values() if head.completeness(word) != "complete"} == {"at_end", *LOG.added}
    assert all(words[event["kind"]] in head.recorders[event["recorder"]].records for event in simulate(plan))


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_the_header_keeps_the_topology(topology: str) -> None:
    """The rules see the same domains through the header as through the plan."""
    plan = SimulationPlan(topology=TOPOLOGIES[topology], replication=REPLICATIONS[topology])
    ours, theirs = plan.parameters(), header_for(plan).parameters()
    for scope in ("node", "rack", "row", "cluster", "data_center", "region"):
        assert set(ours.domains_of(scope)) == set(theirs.domains_of(scope))
    assert (ours.size, ours.low_bits, ours.clock_bound_ns) == (theirs.size, theirs.low_bits, theirs.clock_bound_ns)


def test_everything_is_promised() -> None:
    """The machine is held to every rule; ``copies`` says how many."""
    promises = header_of(SimulationPlan()).promises
    assert promises.keys() == PROMISES.keys()
    assert promises["copies"] == 3
    assert header_of(SimulationPlan(mutant="ack_before_stored")).system.endswith("mutant ack_before_stored")
