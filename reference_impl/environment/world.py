"""The world around the protocol: the cluster under way, as those who steer and those who do damage see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from reference_impl.environment.entities import CONTROLLER
from reference_impl.kernel.mix import mix
from reference_impl.kernel.simulator import Simulator
from reference_impl.kernel.step import Address, Note
from reference_impl.log import addresses, trace_events
from reference_impl.log.copies import Nodes
from reference_impl.log.epoch_store import EpochStore
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reading_messages import StatusesTold
from reference_impl.log.rebuilding.event_log import ADDRESS as EVENT_LOG
from reference_impl.log.rebuilding.event_log import EventLog
from reference_impl.log.rebuilding.messages import Down
from reference_impl.log.statuses import Statuses
from spec.log.topology import Topology

TELLING_NS: Final = 3_000_000
"""How long at most until a reader learns of a new table of statuses."""


@dataclass
class OpenLog:
    """What is known of a log that is open.

    Attributes:
        events: events so far.
        streams: readers that have begun.
        released: the LSN up to which the log may be read.
        tail: the last LSN that was given out.
        trimmed: the LSN up to which its owner wants nothing more.
        gave_up: payloads of which clients will never be told anything.
        lost: LSNs of records all of whose copies were lost.
        begun: LSNs where readers begin.
        sick_since_ns: when its sequencer was first seen not to work.
        stopped_at_ns: when its clients were told to stop.
    """

    log: int
    members: Nodes
    events: int = 0
    streams: int = 0
    released: int = 0
    tail: int = 0
    trimmed: int = 0
    gave_up: set[int] = field(default_factory=set)
    lost: set[int] = field(default_factory=set)
    begun: set[int] = field(default_factory=set)
    sick_since_ns: int | None = None
    stopped_at_ns: int | None = None


class World:
    """The cluster under way.

    Attributes:
        nodes: all storage nodes; each is a shard, of which several may be on one host.
        shut: nodes that take no stores for a while.
        suspected: nodes that count as unavailable although they are up.
        spoilt: logs of which a node has copies that it cannot read.
        out: nodes out of service: what they held is gone, or was moved.
        draining: nodes that are to be empty, and take no stores.
    """

    def __init__(self, simulator: Simulator, topology: Topology, rng: Random) -> None:
        self.simulator, self.rng = simulator, rng
        self.nodes = frozenset(range(len(topology.locations)))
        self.suspected = Nodes()
        self.spoilt: set[int] = set()
        self.open_logs: dict[int, OpenLog] = {}
        self._hosts = topology.domains()["node"]
        self.out: set[int] = set()
        self.draining = Nodes()
        self.shut = Nodes()

    def state(self, address: Address) -> Any:
        """The state of an entity; None where there is none."""
        entity = self.simulator.entities.get(address)
        return None if entity is None else entity.state

    def epochs(self, log: int) -> EpochStore:
        """What the epoch store of an open log knows."""
        store: EpochStore = self.state(addresses.epoch_store(log))
        return store

    def stores(self, log: int) -> dict[int, NodeLog]:
        """What all nodes in service hold of an open log, whether they are up or not."""
        found = {node: self.state(addresses.storage(log, node)) for node in self.open_logs[log].members}
        return {node: here for node, here in sorted(found.items()) if node not in self.out}

    def shards_of(self, node: int) -> Nodes:
        """All shards of the host on which this one is."""
        return next((shards for shards in self._hosts if node in shards), frozenset({node}))

    def serving(self) -> Nodes:
        """Nodes that are in service."""
        return self.nodes.difference(self.out)

    def healthy(self) -> Nodes:
        """Nodes that are in service, up and awake."""
        return self.serving().difference(self.simulator.down, self.simulator.asleep)

    def record(self, recorder: str, effects: Iterable[object]) -> None:
        """Record what the world did."""
        for effect in effects:
            if isinstance(effect, Note):
                self.simulator.record(recorder, effect.event)

    def fault(self, nodes: Iterable[int], what: int) -> None:
        """Record that a fault struck nodes, or is over."""
        self.record(CONTROLLER, [trace_events.fault(node, what) for node in nodes])

    def refuse_stores(self) -> None:
        """Let nodes that are shut for a while, or drained, take no stores."""
        self.simulator.context = replace(self.simulator.context, read_only=self.shut | self.draining)

    @property
    def statuses(self) -> Statuses:
        """The newest table of authoritative statuses."""
        found: Statuses = self.simulator.context.statuses
        return found

    @property
    def event_log(self) -> EventLog:
        """What the event log says."""
        found: EventLog = self.state(EVENT_LOG)
        return found

    def tell(self, delta: object) -> None:
        """Write a delta to the event log."""
        self.simulator.give(EVENT_LOG, delta)
        self.adopt()

    def adopt(self) -> None:
        """Make the event log's table the newest one; readers are told of it in their own time."""
        statuses = self.event_log.statuses
        if statuses == self.statuses:
            return
        self.simulator.context = replace(self.simulator.context, statuses=statuses)
        for known in self.open_logs.values():
            for stream in range(known.streams):
                delay_ns = mix(statuses.version, known.log, stream) % TELLING_NS
                self.simulator.at(delay_ns, addresses.reader(known.log, stream), StatusesTold(statuses))

    def publish_down(self) -> None:
        """Say which nodes are unavailable, if that is news: those that are down, and those that only seem so."""
        down = self.suspected.union(self.simulator.down).difference(self.out)
        if down != self.event_log.down:
            self.tell(Down(down))
