"""The machine is served to somebody outside: time passes while they wait, and faults last until they are undone.

Justified by LogDevice, Recovery: a sequencer that fails is replaced, and what was acknowledged is read after it.
"""

from __future__ import annotations

import pytest

from reference_impl.environment.served import Served
from reference_impl.kernel.weather import CALM
from reference_impl.log import trace_events
from reference_impl.log.lsn import epoch_of, lsn_of
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import context_for
from spec.log.topology import Topology

SECOND_NS = 1_000_000_000
LONG_NS = 60_000_000


@pytest.fixture
def served() -> Served:
    """Give a new log on three nodes."""
    topology = Topology.flat(3)
    plan = SimulationPlan(topology=topology, replication={"node": 2})
    return Served(context_for(plan), topology, 1, CALM)


def append(served: Served, digest: int) -> int | None:
    """Append, and return the LSN; None if there is no acknowledgement."""
    served.append("w", digest)
    if not served.wait(lambda: digest in served.told, LONG_NS) or served.told[digest]["kind"] != trace_events.ACK:
        return None
    return lsn_of(served.told[digest]["epoch"], served.told[digest]["esn"])


def read(served: Served, records: int) -> list[int]:
    """Read so many records from the beginning; return their hashes."""
    given = served.given(served.read(lsn_of(1, 1)))
    seen: list[int] = []
    while len(seen) < records and served.wait(lambda: bool(given), LONG_NS):
        event = given.popleft()
        seen += [event["digest"]] if event["kind"] == trace_events.DELIVER else []
    return seen


def test_what_is_appended_is_read(served: Served) -> None:
    assert [append(served, digest) for digest in (1, 2)] == [lsn_of(1, 1), lsn_of(1, 2)]
    assert read(served, 2) == [1, 2]


def test_a_seal_begins_a_new_epoch(served: Served) -> None:
    append(served, 1)
    served.seal()
    served.wait(lambda: False, LONG_NS)
    answers = [append(served, digest) for digest in (2, 3)]  # the first may still go to the sequencer before
    assert epoch_of(answers[-1] or 0) == 2
    assert read(served, 2)[0] == 1


@pytest.mark.parametrize(("hurt", "undo"), [("crash", "restart"), ("pause", "resume"), ("partition", "heal")])
def test_two_nodes_of_three_must_be_well_and_a_fault_lasts_until_it_is_undone(
    served: Served, hurt: str, undo: str
) -> None:
    append(served, 1)
    for node in (0, 1):
        getattr(served, hurt)(node)
    assert append(served, 2) is None
    for node in (0, 1):
        getattr(served, undo)(node)
    assert served.wait(served.is_served, SECOND_NS)
    assert any(append(served, digest) is not None for digest in range(3, 20))
    assert read(served, 1) == [1]


def test_nodes_are_told_of_a_trim_until_all_have_trimmed(served: Served) -> None:
    lsn = append(served, 1) or 0
    assert sum(1 in served.holds(node).values() for node in range(3)) >= 2
    served.wait(lambda: served.is_released(lsn), LONG_NS)
    served.crash(0)
    served.trim(lsn)
    served.restart(0)
    served.seal()
    assert not served.wait(lambda: False, LONG_NS)
    assert [served.holds(node) for node in range(3)] == [{}, {}, {}]
