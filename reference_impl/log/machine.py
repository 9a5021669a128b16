"""The machine: what all entities of all logs share, and every point at which the protocol decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from reference_impl.log.copies import Cleaned, Copy, Nodes, Outcome
from reference_impl.log.messages import Request
from reference_impl.log.metadata_log import Range
from reference_impl.log.quorums import Quorums
from reference_impl.log.repair.digest import Digest
from reference_impl.log.repair.nodeset import Nodeset
from reference_impl.log.repair.plan import Plan, Round
from reference_impl.log.statuses import Statuses
from reference_impl.log.stream.inputs import Input
from reference_impl.log.stream.outputs import Output
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import Metadata, Place

if TYPE_CHECKING:  # the states belong to the modules that change them, and those need the machine
    from reference_impl.log.blocks import Block
    from reference_impl.log.client import Asked, Client
    from reference_impl.log.delivery.greylist import Greylist
    from reference_impl.log.epoch_store import EpochStore
    from reference_impl.log.rebuilding.donor import Donor
    from reference_impl.log.rebuilding.statuses import Shard
    from reference_impl.log.sequencer import Answer, Appender, Sequencer, Session
    from reference_impl.log.serving.sending import Sending
    from reference_impl.log.storage import NodeLog
    from reference_impl.log.storage_messages import AmendStore, Delete
    from spec.log.status import Status

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
VARIANTS: Final = (
    SOFT_SEALS,
    STICKY,
    PURGING,
    COMPRESSED,
    REGIONS,
    NEAREST,
    PIPELINED,
    EXTRAS,
    AMENDS,
    GREYLIST,
    METADATA_LOG,
    WRITE_STREAMS,
    GRACEFUL,
    SHIPPED_PURGES,
)
"""What a machine may do besides: nodes that store of an epoch refuse appends of those before it; appends go to one
copyset for as long as its nodes store them; nodes that missed a recovery ask others what it decided; records are sent
compressed, so that readers notice which are damaged; nodes know in which region they lack copies, not which ones; in
local delivery every location scope that a node shares with a reader counts, not only the region; clients begin
appends before earlier ones have ended; copysets have more members than copies, and appends go through stages; later
waves do not send the record to who has it already; where one node sends each record, readers pass over nodes that are
much slower than the others for a while; nodesets of epochs are written to a metadata log and read there; two of three
clients have several appends under way in streams, which are kept in order; a sequencer that asks for another epoch
lets the appends under way end before the earlier epochs are recovered; nodes that a recovery did not hear delete right
copies as well, as LogDevice does."""


@dataclass(frozen=True)
class Decisions:
    """Every point at which the protocol decides, as a function; a mutant replaces one of them.

    Attributes:
        next_epoch: the epoch that the epoch store gives out next.
        may_clean: whether the epoch store keeps an epoch as clean now.
        told_clean: which epochs the epoch store tells a new sequencer to be clean.
        ends_at: the last ESN of an epoch that is clean.
        may_provision: whether the epoch store gives other metadata to a new epoch than to the one before.
        with_epoch: the records of the metadata log once an epoch has begun.
        awaits_metadata: whether an epoch is released only once its metadata can be read in the metadata log.
        is_readable: whether metadata can be read there for certain, when these nodes hold them.
        metadata_is_known: whether these nodes' answers have all records of the metadata log.
        ranges: which records of the metadata log are of which epochs.
        gives_out: whether a sequencer gives out LSNs.
        next_esn: the ESN of the next append.
        is_for: whether a request is meant for this sequencer.
        is_repetition: whether a request was seen before in its session.
        copyset: where a record of an LSN goes in a wave, of these nodes, and preferably not on those; None: nowhere.
        block_goes_on: whether an append is of the same block as the one before, which all go to one copyset.
        placed_in: the copyset of an append of a block.
        payload: the digest of what is sent to one node of a copyset.
        is_stored: whether nodes that stored the current wave suffice to acknowledge a record of a copyset.
        is_replicated_on: whether so much of an append with extras is stored that it is acknowledged.
        is_led: whether the members of its copyset have it that must have it before it is released.
        unneeded: who has it and is told to delete it.
        goes_on: whether it goes on once its record may be released.
        amended: what a copy becomes that is taken for one of a later wave.
        may_delete: whether a node deletes a copy that is not needed.
        when_preempted: what a sequencer becomes when it learns that epochs up to a seal are not its own any more.
        refused_when_preempted: the clients with their pending appends that are then refused for certain.
        is_next_in_stream: whether a sequencer takes an append of a stream now.
        may_answer: whether an append that is stored is acknowledged now.
        ends_append: whether an append is over for its client once it is acknowledged at an LSN.
        promises: how many copies an acknowledgement counts on.
        takes_answer: whether a client takes the answer to an append now.
        written_again: the places in a stream from which on a client writes again, of those that it lost.
        goes_into_stream: whether nodes are told that a record belongs to a stream.
        releasable: the ESN up to which a sequencer may release its epoch; None: nothing of it.
        may_store: whether a node takes the sequencer's copies of an epoch, which may be draining.
        raised: the seal of a node after it is asked for one; None: it refuses.
        may_mutate: whether a node takes what a recovery with this seal decided in some round.
        is_settled: whether a node takes no more of an epoch from recoveries either.
        stored_as: what a node stores of what a recovery decided for an ESN.
        after_crash: what a crash leaves of what a node holds.
        after_trim: what it holds once a log's owner wants nothing more up to an LSN.
        first_kept: the first LSN that it does not tell readers is trimmed.
        readable_upto: the LSN up to which a node answers readers.
        awaits_outcome: whether a node that does not know what became of an epoch waits until another one tells it.
        is_outdated: whether a copy contradicts the outcome of a recovery, or outlasts its bridge.
        seals: the epoch up to which a node promises to take no appends, when asked by the sequencer of an epoch.
        recovers: whether the sequencer of an epoch recovers another one.
        recovery_order: the order in which epochs are recovered.
        nodeset_of: what a recovery takes for proved by answers of an epoch's nodes.
        plan: what a recovery makes of a digest.
        is_replicated: whether nodes that hold what was decided, and those that must, are enough.
        sendable_upto: up to which LSN a node sends now, if it may show so much.
        sends: whether a node sends a record that it has.
        order_sent: the order in which a node sends records.
        lacking: between which LSNs a node says that it may lack copies, of those that it is to send; None: nowhere.
        expands: the digest of what a frame holds that a node sent; None: it cannot be expanded.
        read_step: what a read stream does when it is told something.
        outlier_limit: how many nodes a reader may take for slow, by the copies of a record and the nodes that are down.
        detect_slow: whom it takes for slow, and when to look again.
        reinstate: whom no longer.
        retry_number: the number of an append that a client asks for again.
        next_version: the next version of the status table.
        shard_status: what a shard that is rebuilt is worth, where the data of some may still come back.
        donates: whether a donor re-replicates a copy, some nodes being gone.
        may_be_missing: whether members of its copyset may have no copy, so that whoever has one donates it.
        rebuilt_copyset: where a copy lies then: nodes to keep and nodes that are free; None: nowhere.
        amended_copyset: what other copies then say, given their copyset before.
        awaited: the nodes that have to confirm their new copies before copysets are changed.
        may_lend: whether a node knows that everything up to an LSN is released, so that a donor may begin.
        may_hold: whether a node takes a rebuilt copy at an LSN.
        lent: what a node lends a donor of what it has.
        rebuilt_as: what a rebuilt copy is, of the lent one.
    """

    next_epoch: Callable[[EpochStore], int]
    may_clean: Callable[[EpochStore, int], bool]
    told_clean: Callable[[EpochStore], Mapping[int, Cleaned]]
    ends_at: Callable[[Cleaned], int]
    may_provision: Callable[[EpochStore], bool]
    with_epoch: Callable[[Sequence[Metadata], int, Nodes, Mapping[str, int]], tuple[Metadata, ...]]
    awaits_metadata: Callable[[int], bool]
    is_readable: Callable[[Machine, Nodes], bool]
    metadata_is_known: Callable[[Machine, Nodes], bool]
    ranges: Callable[[Sequence[Metadata]], tuple[Range, ...]]
    gives_out: Callable[[Sequencer], bool]
    next_esn: Callable[[Sequencer], int]
    is_for: Callable[[Sequencer, Request], bool]
    is_repetition: Callable[[Session, Request], bool]
    copyset: Callable[[Machine, Nodes, Nodes, int, int], Nodes | None]
    block_goes_on: Callable[[Block, int, Nodes], bool]
    placed_in: Callable[[Machine, Block, Nodes, int], Nodes]
    payload: Callable[[int, int, Nodes], int]
    is_stored: Callable[[Nodes, Nodes], bool]
    is_replicated_on: Callable[[Machine, Appender], bool]
    is_led: Callable[[Machine, Appender], bool]
    unneeded: Callable[[Machine, Appender], Nodes]
    goes_on: Callable[[Appender], bool]
    amended: Callable[[Copy, AmendStore], Copy]
    may_delete: Callable[[NodeLog, Copy, Delete], bool]
    when_preempted: Callable[[Sequencer, int], Sequencer]
    refused_when_preempted: Callable[[Sequencer], Iterable[tuple[int, Answer]]]
    is_next_in_stream: Callable[[Sequencer, Request], bool]
    may_answer: Callable[[Sequencer, int], bool]
    ends_append: Callable[[int], bool]
    promises: Callable[[Machine], int]
    takes_answer: Callable[[Client, Asked], bool]
    written_again: Callable[[Sequence[int]], tuple[int, ...]]
    goes_into_stream: Callable[[Appender], bool]
    releasable: Callable[[Sequencer], int | None]
    may_store: Callable[[NodeLog, int, bool], bool]
    raised: Callable[[int, int], int | None]
    may_mutate: Callable[[NodeLog, int, tuple[int, int]], bool]
    is_settled: Callable[[NodeLog, int], bool]
    stored_as: Callable[[Outcome], Outcome]
    after_crash: Callable[[NodeLog], NodeLog]
    after_trim: Callable[[NodeLog, int], NodeLog]
    first_kept: Callable[[NodeLog], int]
    readable_upto: Callable[[NodeLog], int]
    awaits_outcome: Callable[[NodeLog, int], bool]
    is_outdated: Callable[[Copy, Copy | None], bool]
    seals: Callable[[int], int]
    recovers: Callable[[int, int], bool]
    recovery_order: Callable[[Sequence[int]], tuple[int, ...]]
    nodeset_of: Callable[[Machine, Nodes], Nodeset]
    plan: Callable[[Digest, Round], Plan]
    is_replicated: Callable[[Machine, Nodes, Nodes], bool]
    sendable_upto: Callable[[Sending, int], int]
    sends: Callable[[Sending, int, Copy], bool]
    order_sent: Callable[[list[tuple[int, Copy]]], list[tuple[int, Copy]]]
    lacking: Callable[[list[tuple[int, Copy]]], tuple[int, int] | None]
    expands: Callable[[bytes], int | None]
    read_step: Callable[[Stream, Input], tuple[Stream, tuple[Output, ...]]]
    outlier_limit: Callable[[int, int], int]
    detect_slow: Callable[[Greylist, int], tuple[Greylist, int | None]]
    reinstate: Callable[[Greylist, int], Greylist]
    retry_number: Callable[[int], int]
    next_version: Callable[[Statuses], int]
    shard_status: Callable[[Shard, Nodes], Status]
    donates: Callable[[Donor, Copy, Nodes], bool]
    may_be_missing: Callable[[Machine, Copy], bool]
    rebuilt_copyset: Callable[[Machine, Nodes, Nodes, int], Nodes | None]
    amended_copyset: Callable[[Nodes, Nodes], Nodes]
    awaited: Callable[[Nodes], Nodes]
    may_lend: Callable[[NodeLog, int], bool]
    may_hold: Callable[[NodeLog, int], bool]
    lent: Callable[[list[tuple[int, Copy]]], list[tuple[int, Copy]]]
    rebuilt_as: Callable[[Copy], Copy]


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
class Machine:
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
    """

    quorums: Quorums
    replication: Mapping[str, int]
    decisions: Decisions
    clients: int
    pipeline: int = 4
    timing: Timing = field(default_factory=Timing)
    sequencer_window: int = 32
    reader_window: int = 32
    statuses: Statuses = field(default_factory=Statuses)
    read_only: Nodes = frozenset()
    places: Mapping[int, Place] = field(default_factory=dict)
    closeness: Mapping[int, int] = field(default_factory=dict)
    delivery: tuple[str, ...] = (ALL_SEND_ALL,)
    trusts_at_once: bool = True
    on_the_wire: bool = False
    variants: frozenset[str] = frozenset()
    extras: int = 1

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
