"""How a reader keeps its greylist while it reads: LogDevice, Read path, SCD greylisting.

What makes a node slow is tested with the detector; here is when the detector is told, and what comes of it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.step import After
from reference_impl.kernel.weather import CALM
from reference_impl.log.context import GREYLIST, SINGLE_COPY, LogContext, Timing
from reference_impl.log.delivery.greylist import FIRST_TERM, outlier_limit
from reference_impl.log.reading_messages import LookAgain
from reference_impl.log.slow_node_detection import Watch, World, alarm, changes, looked_again, watched
from reference_impl.log.stream import inputs
from reference_impl.log.stream.inputs import OutliersChanged
from reference_impl.log.stream.machine import step, stream_of
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import (
    EPOCH_LAST,
    LSN_MAX,
    LogAttributes,
    Metadata,
    Options,
    Source,
    Surroundings,
)
from reference_impl.log.stream.timers import Timer
from reference_impl.plan import MILLISECOND, REPLICATIONS, TOPOLOGIES, Faults, SimulationPlan
from reference_impl.simulate import simulate
from spec.events import (
    IS_DOWN,
    SLOW,
    STEADY,
    TERM_IS_OVER,
    Ask,
    Deliver,
    Fault,
    Greylisted,
    Reinstated,
)
from spec.log.status import Status
from tests.support.machines import machine_of
from tests.support.read_streams import e

FIVE = frozenset(range(5))

TICK = Timing().detector_tick_ns
TERM = int(FIRST_TERM.value) * TICK


class Reader:
    """A read stream over five nodes with three copies, its greylist, and a clock in ticks of the detector."""

    def __init__(self, context: LogContext | None = None) -> None:
        self.context = machine_of() if context is None else context
        around = Surroundings(FIVE, {}, LogAttributes(1, single_copy=True))
        self.stream = stream_of(Options(e(1), LSN_MAX, 10, 0.5), around)
        self.watch, self.now, self.notes = Watch(), 0, list[dict[str, Any]]()
        metadata = Metadata(1, FIVE, {"node": 3})
        self.tell(inputs.Start(), inputs.EpochMetadata(1, EPOCH_LAST, metadata, Source.LAST))
        self.tell(*(inputs.ConnectionSet(node, Connection.READING) for node in sorted(FIVE)))

    @property
    def world(self) -> World:
        return World(self.now * TICK, self.context)

    @property
    def outliers(self) -> frozenset[int]:
        """Whom the stream lists as slow."""
        return self.stream.single_copy.lists.new_slow

    def tell(self, *messages: Any) -> Reader:
        """Tell the stream, and whatever it is to be told after that."""
        pending = list(messages)
        while pending:
            before = self.stream
            self.stream, _ = step(before, pending.pop(0))
            self.notes += [one.event for one in changes((0, 1), self.stream.cursor, self.watch, before, self.stream)]
            self.watch, news = watched(self.watch, before, self.stream, self.world)
            pending += news
        return self

    def complete(self, at: int, *nodes: int) -> Reader:
        """At some time, nodes complete the first window, in which they have nothing: another one is to send."""
        self.now = at
        return self.tell(*(inputs.Gap(node, e(1), e(10), inputs.GapReason.NO_RECORDS) for node in nodes))

    def look(self, at: int) -> Reader:
        """It is time to look again."""
        self.now = at
        self.watch, news = looked_again(self.watch, self.world, rewinding=self.stream.rewinding)
        return self.tell(*news)

    def rewind(self) -> Reader:
        """The rewind that is due happens, and every node answers."""
        assert self.stream.rewinding
        version = self.stream.version + 1
        return self.tell(
            inputs.Fired(Timer.REWIND),
            *(inputs.StartSent(node, "OK") for node in sorted(FIVE)),
            *(inputs.Started(node, version, "OK") for node in sorted(FIVE)),
        )


def with_a_slow_node() -> Reader:
    """Four nodes take ten ticks for the first window; the last one has not sent anything after a hundred."""
    return Reader().complete(10, 0, 1, 2, 3).look(100)


def test_who_stays_behind_is_called_slow() -> None:
    """When those behind are few enough, and much slower than the others."""
    reader = Reader().complete(10, 0, 1, 2, 3)
    assert (reader.outliers, reader.watch.look_ns < 100 * TICK) == (frozenset(), True)
    reader.look(100)
    assert reader.outliers == {4}
    assert reader.stream.rewinding
    (listed,) = reader.notes
    assert (listed["kind"], listed["node"], listed["nodes"], listed["nodes_b"]) == (
        Greylisted.kind,
        4,
        {4},
        frozenset(),
    )
    assert (listed["arg"], listed["version"], listed["arg_b"]) == (1, TERM, 0)


def test_it_is_not_looked_for_before_it_is_time() -> None:
    assert Reader().complete(10, 0, 1, 2, 3).look(11).outliers == frozenset()


def test_a_quick_look_finds_nobody_where_many_are_behind() -> None:
    """Three copies: two may be slow, three are too many."""
    assert Reader().complete(10, 0, 1, 2).watch.detector.limit == 2
    assert Reader().complete(10, 0, 1).look(1_000).outliers == frozenset()


def test_while_a_rewind_is_due_nobody_is_called_slow() -> None:
    reader = Reader().complete(10, 0, 1, 2, 3).tell(inputs.ConnectionClosed(0, "PEER_CLOSED"))
    assert reader.stream.rewinding
    assert reader.look(100).outliers == frozenset()


def test_after_its_term_it_is_back() -> None:
    """The reader sets an alarm for that time; what was measured of the node is forgotten."""
    reader = with_a_slow_node().rewind()
    reader.watch, (effect,) = alarm(reader.watch, reader.world)
    assert effect == After(TERM, LookAgain(1))
    assert alarm(reader.watch, reader.world)[1] == ()
    reader.look(100 + TERM // TICK)
    assert (reader.outliers, reader.stream.rewinding) == (frozenset(), True)
    (_, back) = reader.notes
    assert (back["kind"], back["node"], back["nodes"]) == (Reinstated.kind, 4, frozenset())
    assert (back["arg"], back["version"], back["arg_b"]) == (2, TERM, TERM_IS_OVER)


def test_a_node_that_is_down_is_no_candidate() -> None:
    """And those that are down count against the slow ones, unless they are empty."""
    reader = with_a_slow_node().rewind().tell(inputs.ConnectionClosed(4, "PEER_CLOSED"))
    assert (reader.notes[-1]["kind"], reader.notes[-1]["arg_b"]) == (Reinstated.kind, IS_DOWN)
    assert (reader.watch.detector.outliers, reader.watch.detector.limit) == (frozenset(), 1)
    reader.rewind().tell(inputs.ConnectionClosed(4, "PEER_CLOSED"))
    reader.tell(inputs.StatusesChanged({4: Status.AUTHORITATIVE_EMPTY}))
    assert reader.watch.detector.limit == 2
    assert 4 not in reader.watch.detector.nodes
    assert 4 not in reader.watch.listed


def test_where_all_send_nobody_is_slow() -> None:
    """The others have nothing either, so everyone is asked."""
    reader = with_a_slow_node().rewind().complete(200, 0, 1, 2, 3).rewind()
    assert not reader.stream.single_copy.active
    assert (reader.outliers, reader.watch.detector.candidates) == (frozenset(), frozenset())


def test_a_decision_says_how_many_may_be_slow() -> None:
    """By the copies of a record and the nodes that are down."""
    none = machine_of().deciding(outlier_limit.otherwise(lambda replication, down: replication - 3 - down))
    assert Reader(none).complete(10, 0, 1, 2, 3).look(100).outliers == frozenset()


# --------------------------------------------------------------------------------------------------------- runs

ONE_SLOW = Faults(CALM, {"slow": Rate(12 * MILLISECOND, 8 * MILLISECOND, 16 * MILLISECOND)}, 0.0)
"""Nothing goes wrong but that nodes are slow now and then."""


@cache
def run(variants: tuple[str, ...] = (GREYLIST,)) -> list[dict[str, Any]]:
    """A run in which nodes are slow, in single copy delivery."""
    plan = SimulationPlan(3, TOPOLOGIES["flat5"], REPLICATIONS["flat5"], 8000, 2, delivery=(SINGLE_COPY,))
    return list(simulate(replace(plan, faults=ONE_SLOW, on_the_wire=True, variants=variants)))


def were_slow(node: int, at_ns: int) -> bool:
    """Whether a node was slow at a time, or shortly before."""
    faults = [one for one in run() if one["kind"] == Fault.kind and one["node"] == node and one["time_ns"] <= at_ns]
    ended = [one["time_ns"] for one in faults if one["arg"] == STEADY]
    return bool(faults) and (faults[-1]["arg"] == SLOW or at_ns - ended[-1] < 10 * MILLISECOND)


def test_slow_nodes_get_onto_the_list_and_come_back() -> None:
    """In a run where nothing else goes wrong: most of whom readers list were slow, and all of them are back in time."""
    listed = [one for one in run() if one["kind"] == Greylisted.kind]
    back = [one for one in run() if one["kind"] == Reinstated.kind]
    rightly = sum(were_slow(one["node"], one["time_ns"]) for one in listed)
    assert (len(listed) >= 3, rightly / len(listed) > 0.5) == (True, True)
    assert len(back) >= len(listed) - 1
    assert {one["arg_b"] for one in back} == {TERM_IS_OVER}


def test_others_send_while_a_node_is_on_the_list() -> None:
    """The next requests pass it over; after its term, they do not; and all is delivered as ever."""
    first = next(one for one in run() if one["kind"] == Greylisted.kind)
    mine = [one for one in run() if one.get("actor") == first["actor"] and one.get("log") == first["log"]]
    after = [one for one in mine if one["time_ns"] > first["time_ns"] and one["kind"] == Ask.kind]
    assert all(first["node"] in one["nodes"] for one in after[:5])
    back = next(one for one in mine if one["kind"] == Reinstated.kind and one["node"] == first["node"])
    again = [one for one in after if one["time_ns"] > back["time_ns"] and one["version"] > back["arg"]]
    assert first["node"] not in again[0]["nodes"]
    assert any(one["kind"] == Deliver.kind and one["time_ns"] > back["time_ns"] for one in mine)


@pytest.mark.parametrize("variants", [(), ("soft_seals",)])
def test_a_reader_without_a_greylist_lists_nobody(variants: tuple[str, ...]) -> None:
    assert {one["kind"] for one in run(variants)}.isdisjoint({Greylisted.kind, Reinstated.kind})


def test_the_stream_is_told_of_all_outliers_at_once() -> None:
    """Whom it listed and is not told of again, it lists no longer."""
    stream: Stream = with_a_slow_node().stream
    stream, _ = step(stream, OutliersChanged(frozenset({2})))
    assert stream.single_copy.lists.new_slow == {2}
