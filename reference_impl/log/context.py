"""What all entities of all logs share, and which of their decisions are taken otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, ParamSpec, TypeVar

from reference_impl.kernel.decision import Change, Decision
from reference_impl.log.copies import Nodes
from reference_impl.log.quorums import Quorums
from reference_impl.log.statuses import Statuses
from reference_impl.log.stream.surroundings import ShardLocation

P = ParamSpec("P")
R = TypeVar("R")

ALL_SEND_ALL: Final = "all_send_all"
SINGLE_COPY: Final = "single_copy"
LOCAL: Final = "local"
DELIVERIES: Final = (ALL_SEND_ALL, SINGLE_COPY, LOCAL)
"""Who sends a record: everyone who has it, one of them, or one of them who is near the reader."""

SOFT_SEALS: Final = "soft_seals"
STICKY: Final = "sticky"
PURGING: Final = "purging"
COMPRESSED: Final = "compressed"
REGIONS: Final = "regions"
NEAREST: Final = "nearest"
PIPELINED: Final = "pipelined"
EXTRAS: Final = "extras"
AMENDS: Final = "amends"
GREYLIST: Final = "greylist"
METADATA_LOG: Final = "metadata_log"
WRITE_STREAMS: Final = "write_streams"
GRACEFUL: Final = "graceful"
SHIPPED_PURGES: Final = "shipped_purges"
VARIANTS: Final[Mapping[str, str]] = {
    SOFT_SEALS: "nodes that store of an epoch refuse appends of those before it",
    STICKY: "appends go to one copyset for as long as its nodes store them",
    PURGING: "nodes that missed a recovery ask others what it decided",
    COMPRESSED: "records are sent compressed, so that readers notice which are damaged",
    REGIONS: "nodes know in which region they lack copies, not which ones",
    NEAREST: "in local delivery every location scope that a node shares with a reader counts, not only the region",
    PIPELINED: "clients begin appends before earlier ones have ended",
    EXTRAS: "copysets have more members than copies, and appends go through stages",
    AMENDS: "later waves do not send the record to who has it already",
    GREYLIST: "where one node sends each record, readers pass over much slower nodes for a while",
    METADATA_LOG: "nodesets of epochs are written to a metadata log and read there",
    WRITE_STREAMS: "two of three clients have several appends under way in streams, which are kept in order",
    GRACEFUL: "a sequencer that asks for another epoch lets its appends end before earlier epochs are recovered",
    SHIPPED_PURGES: "nodes that a recovery did not hear delete right copies as well, as LogDevice does",
}
"""What a machine may do besides, by name."""


@dataclass(frozen=True)
class Timing:
    """How patient everybody is, in nanoseconds of virtual time.

    Attributes:
        wave_ns: how long a sequencer waits for a wave of stores.
        tick_ns: how often a sequencer looks at its window and releases.
        recovery_ns: how long a recovery waits before it asks again.
        grace_ns: how long it waits for nodes without which it could decide.
        retry_ns: how long a client waits before it asks again.
        think_ns: least time and spread between a client's appends.
        poll_ns: how often a reader asks for more.
        detector_tick_ns: what stands for a millisecond of LogDevice's detector of slow nodes, whose first term is a
            minute, and whose averages are of half an hour.
    """

    wave_ns: int = 2_000_000
    tick_ns: int = 2_500_000
    recovery_ns: int = 1_000_000
    grace_ns: int = 200_000
    retry_ns: int = 1_800_000
    think_ns: tuple[int, int] = (20_000, 500_000)
    poll_ns: int = 5_000_000
    detector_tick_ns: int = 100


@dataclass(frozen=True)
class LogContext:
    """What all entities of all logs share.

    Attributes:
        replication: the replication property of every epoch.
        clients: how many clients each log has.
        pipeline: how many appends a client has under way at most, where it has several.
        sequencer_window: how many appends a sequencer has under way at most.
        reader_window: how many LSNs a reader asks for at most.
        statuses: the newest table of authoritative statuses; readers are told of it a little later.
        read_only: nodes that take no stores, and are read and digested as before.
        places: where nodes are.
        closeness: the priority of nodes that are close to readers, in local single copy delivery.
        delivery: who sends a record to readers: a name of ``DELIVERIES``; several take turns, log by log.
        trusts_at_once: whether a node that was passed over and sends leaves the list at once, as LogDevice does, or
            with the next window, as its document says.
        on_the_wire: whether it is recorded what readers ask of nodes, and what these send.
        variants: what it does besides, by names of ``VARIANTS``.
        extras: how many members copysets have beyond copies, where there are extras and nodes for them.
        changes: what it decides otherwise than the protocol has it.
    """

    quorums: Quorums
    replication: Mapping[str, int]
    clients: int
    pipeline: int = 4
    timing: Timing = field(default_factory=Timing)
    sequencer_window: int = 32
    reader_window: int = 32
    statuses: Statuses = field(default_factory=Statuses)
    read_only: Nodes = frozenset()
    places: Mapping[int, ShardLocation] = field(default_factory=dict)
    closeness: Mapping[int, int] = field(default_factory=dict)
    delivery: tuple[str, ...] = (ALL_SEND_ALL,)
    trusts_at_once: bool = True
    on_the_wire: bool = False
    variants: frozenset[str] = frozenset()
    extras: int = 1
    changes: Mapping[Decision[..., Any], Callable[..., Any]] = field(default_factory=dict)

    def decides(self, decision: Decision[P, R]) -> Callable[P, R]:
        """How this machine decides."""
        return self.changes.get(decision, decision.right)

    def deciding(self, *changes: Change) -> LogContext:
        """The same machine, which takes some decisions otherwise."""
        return replace(self, changes={**self.changes, **dict(changes)})

    @property
    def under_way(self) -> int:
        """How many appends a client has under way at most."""
        return self.pipeline if self.variants & {PIPELINED, WRITE_STREAMS} else 1

    def writes_stream(self, client: int) -> bool:
        """Whether a client's appends are a stream."""
        return WRITE_STREAMS in self.variants and client % 3 < 2  # noqa: PLR2004 - two of three

    def delivery_of(self, log: int) -> str:
        """Who sends the records of a log."""
        return self.delivery[log % len(self.delivery)]
