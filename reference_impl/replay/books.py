"""Books: what the events so far say of the cluster and of each log.

They are changed in place: a step must cost a few microseconds, and copies of a log's state at each of millions of
events do not. Nobody but ``Machine.step`` changes them, after all guards agreed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from reference_impl.log.blocks import Block
from reference_impl.log.copies import Nodes
from reference_impl.log.quorums import Quorums
from reference_impl.log.statuses import Statuses
from reference_impl.replay.habits import NO_HABITS, Habits
from reference_impl.replay.streams import Content, ReadStream
from spec.language.parameters import Parameters

ASKED: Final = -2
REFUSED: Final = -1
"""What stands for the LSN of a payload that has none: not yet, or never."""


class Held(NamedTuple):
    """What a node holds at an LSN.

    Attributes:
        becomes: RECORD, HOLE or BRIDGE.
        recovery: the epoch of the recovery that wrote it, 0 for the sequencer.
        rebuilt: it may be a copy that rebuilding made, of something an earlier writer wrote.
        late: it came when the LSN was released already, so readers may have been told that it is not there.
        copyset: where the copies lie, as this one says; None where nobody knows.
    """

    becomes: int
    digest: int | None
    recovery: int
    wave: int
    rebuilt: bool
    late: bool
    copyset: Nodes | None = None

    @property
    def content(self) -> Content:
        """What it says of the LSN, whoever wrote it."""
        return self.becomes, self.digest


class Wave:
    """One attempt to store something: on which nodes, and which of them did."""

    __slots__ = ("copyset", "stored")

    def __init__(self, copyset: Nodes | None) -> None:
        self.copyset = copyset
        self.stored: set[int] = set()


class Recovering:
    """What one recovery did with one epoch.

    Attributes:
        since: the version of the status table when its sequencer got its epoch.
        told: what each node told it, by ESN: more than one thing where it told again after it had stored something.
        waves: its attempts to store what it decided.
        said: what each wave stores, by ESN.
        stored: which nodes stored what, by ESN.
        decided: what is replicated, by ESN.
        round: how often it decided, as far as it said.
        heard: the nodes that it had heard when it decided last; None where it does not say.
        last: the ESN decided last; 0 before the first one and after the bridge.
    """

    __slots__ = ("decided", "heard", "last", "round", "said", "since", "stored", "told", "waves")

    def __init__(self, since: int) -> None:
        self.since = since
        self.told: dict[int, dict[int, tuple[Held, ...]]] = {}
        self.waves: dict[int, Wave] = {}
        self.said: dict[tuple[int, int], Content] = {}
        self.stored: dict[int, dict[Content, set[int]]] = {}
        self.decided: dict[int, Content] = {}
        self.last = self.round = 0
        self.heard: Nodes | None = None


class Epoch:
    """One epoch of a log.

    Attributes:
        begun: the epoch store gave it out; if not, it is only known from what others say.
        begun_ns: when; None where nobody knows.
        crashes: how often the sequencer's node had crashed when it was given the epoch.
        since: the version of the status table at that time.
        appended: the payload of every ESN that was given out, and when.
        top: the greatest LSN of the epoch at which anything was stored.
        good: all ESNs up to it are acknowledged.
        waves: attempts to store appends, by ESN and number.
        chosen: where appends were to go first, by ESN, where that is recorded.
        block: the block of the last of them.
        clean: what the recovery that cleaned it decided, by ESN; None while the epoch is not clean.
        bridge: the ESN of its bridge, once it is clean.
    """

    __slots__ = (
        "acked",
        "appended",
        "appended_ns",
        "begun",
        "begun_ns",
        "block",
        "bridge",
        "chosen",
        "clean",
        "crashes",
        "good",
        "last_esn",
        "nodeset",
        "number",
        "quorums",
        "recoveries",
        "sequencer",
        "since",
        "top",
        "waves",
    )

    def __init__(self, number: int) -> None:
        self.number, self.begun = number, False
        self.begun_ns: int | None = None
        self.sequencer: int | None = None
        self.nodeset: Nodes | None = None
        self.quorums: Quorums | None = None
        self.crashes = self.since = self.last_esn = self.good = self.bridge = self.top = 0
        self.appended: dict[int, int | None] = {}
        self.appended_ns: dict[int, int | None] = {}
        self.acked: set[int] = set()
        self.chosen: dict[int, Nodes | None] = {}
        self.block: Block | None = None
        self.waves: dict[int, dict[int, Wave]] = {}
        self.recoveries: dict[int, Recovering] = {}
        self.clean: dict[int, Content] | None = None


class Shard:
    """What one node says of one log.

    Attributes:
        seal: it takes no appends of this epoch and those before it; a wipe takes it away.
        promised: the greatest seal that it ever had.
        settled: the epochs of which it knows what became; a wipe takes that away.
        copies: what it holds, by LSN.
        trimmed: its trim point, 0 where it has none.
        deleted: what it held up to there; donors may have read it before.
        going: what it is losing with its disk, the next one last.
        soft: it takes no appends of this epoch and those before it, for it stored of a later one.
        softly: the epoch that it has just sealed softly, before it stores of the next one; else None.
        purged: up to this epoch, its copies are repaired, where that is recorded; a wipe takes that away.
        telling: epoch, recovery, LSN and time of the last copy that it told of, if that was the last thing it did.
    """

    __slots__ = (
        "copies",
        "deleted",
        "going",
        "promised",
        "purged",
        "seal",
        "settled",
        "soft",
        "softly",
        "telling",
        "trimmed",
    )

    def __init__(self) -> None:
        self.soft = self.purged = 0
        self.softly: int | None = None
        self.seal = self.promised = -1
        self.trimmed = 0
        self.settled: set[int] = set()
        self.copies: dict[int, Held] = {}
        self.deleted: dict[int, Held] = {}
        self.going: list[int] = []
        self.telling: tuple[int, int, int, int | None] | None = None


class Session:
    """A client in a log: the order of every append that waits for an answer, and the least epoch that it can be in."""

    __slots__ = ("epoch", "pending")

    def __init__(self) -> None:
        self.epoch = 0
        self.pending: dict[int | None, int] = {}


class Log:
    """What is known of one log.

    Attributes:
        payloads: LSN of every payload that was asked for; ASKED while it has none, REFUSED when it never will.
        gave_up: payloads of which clients will never be told anything.
        upto: where each read stream is.
        starts: where each read stream began.
        tables: the version of the status table that each read stream used last.
        streams: what each read stream asked for, where that is recorded.
        delivery: who is to send a record, as readers of this log ask to begin with; None before one did.
        crashes: how often each node had crashed when the log was new.
        lives: how often each node was started, as it said last, and how often it had crashed, and become empty.
        unwanted: the LSNs up to which its owner wanted nothing more, the last one last.
        points: all trim points that nodes ever had.
    """

    __slots__ = (
        "cleaned",
        "cluster",
        "crashes",
        "delivery",
        "epochs",
        "gave_up",
        "lives",
        "newest",
        "payloads",
        "points",
        "released",
        "sessions",
        "shards",
        "starts",
        "streams",
        "tables",
        "unwanted",
        "upto",
    )

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.newest = self.cleaned = 0
        self.released = -1
        self.epochs: dict[int, Epoch] = {}
        self.payloads: dict[int | None, int] = {}
        self.gave_up: set[int | None] = set()
        self.sessions: dict[int, Session] = {}
        self.shards: dict[int, Shard] = {}
        self.upto: dict[int, int] = {}
        self.starts: dict[int, int] = {}
        self.tables: dict[int, int] = {}
        self.streams: dict[int, ReadStream] = {}
        self.delivery: int | None = None
        self.crashes = dict(cluster.crashes)
        self.lives: dict[int, tuple[int, int, int]] = {}
        self.unwanted: list[int] = []
        self.points: set[int] = set()

    def epoch(self, number: int) -> Epoch:
        """An epoch of this log."""
        epoch = self.epochs.get(number)
        if epoch is None:
            epoch = self.epochs[number] = Epoch(number)
        return epoch

    def shard(self, node: int) -> Shard:
        """What a node says of this log."""
        shard = self.shards.get(node)
        if shard is None:
            shard = self.shards[node] = Shard()
        return shard

    def session(self, client: int) -> Session:
        """A client's session."""
        session = self.sessions.get(client)
        if session is None:
            session = self.sessions[client] = Session()
        return session

    def recovering(self, epoch: int, recovery: int) -> Recovering:
        """What a recovery did with an epoch."""
        recoveries = self.epoch(epoch).recoveries
        if recovery not in recoveries:
            recoveries[recovery] = Recovering(self.epoch(recovery).since)
        return recoveries[recovery]

    def holders(self, lsn: int, content: Content) -> frozenset[int]:
        """The nodes that hold this at an LSN."""
        return frozenset(
            node
            for node, shard in self.shards.items()
            if (held := shard.copies.get(lsn)) is not None and held.content == content
        )

    def lenders(self, lsn: int, content: Content) -> frozenset[int]:
        """The nodes that hold this, or did until they trimmed it."""
        deleted = (node for node, shard in self.shards.items() if lsn <= shard.trimmed and lsn in shard.deleted)
        return self.holders(lsn, content).union(
            node for node in deleted if self.shards[node].deleted[lsn].content == content
        )


class Rebuilds(NamedTuple):
    """A rebuilding of a node that has begun.

    Attributes:
        began: the version of the event log at which it did.
        donors: who is not done.
        relocates: the node has its data.
        is_lost: it has lost its data for good.
        everyone: all donors.
    """

    began: int
    donors: Nodes
    relocates: bool
    is_lost: bool
    everyone: Nodes


class Cluster:
    """What is known of nodes and recorders.

    Attributes:
        statuses: every version of the status table.
        newest: the newest of them.
        logs: the book of each log, by number.
        rebuilds: the rebuildings that are not over, by node.
        over: the donors of rebuildings that are, by version: what they sent may still come.
        damaged: nodes some of whose copies cannot be read, and of how many logs.
        delta: the version that the last delta of the event log makes.
        returned: the nodes whose rebuilding that ended.
        wiped: nodes whose data is lost and that did not start again since.
        crashes: how often each node has crashed.
        emptied: how often each node has become empty.
        records: the kinds of event, by word, that each recorder may write down.
        in_part: recorders that leave out some of what they see.
        habits: what is known of the machine beyond what is recorded.
        damages: how often copies of each node were damaged.
        latest_ns: nothing that comes can be older.
        out: nodes out of service: their data is lost or was moved away, and they did not start again since.
        said: the last order and time of each recorder.
        speaks_for: which recorder speaks for a node, client or read stream.
        voices: for whom each recorder speaks.
        ailing: how many faults of each node are not over, by what began them.
    """

    def __init__(
        self,
        parameters: Parameters,
        records: Mapping[str, frozenset[str]],
        in_part: frozenset[str] = frozenset(),
        habits: Habits = NO_HABITS,
    ) -> None:
        self.parameters, self.records, self.in_part = parameters, records, in_part
        self.habits = habits
        self.clock_bound_ns = parameters.clock_bound_ns
        self.latest_ns = -sys.maxsize
        self.esn_max = (1 << parameters.esn_bits) - 1
        self.statuses: dict[int, Statuses] = {}
        self.newest: Statuses = Statuses(-1, -1)
        self.rebuilds: dict[int, Rebuilds] = {}
        self.over: dict[int, Nodes] = {}
        self.down: set[int] = set()
        self.asleep: set[int] = set()
        self.logs: dict[int, Log] = {}
        self.delta = -1
        self.returned: Nodes = frozenset()
        self.damaged: Counter[int] = Counter()
        self.damages: dict[int, int] = {}
        self.wiped: set[int] = set()
        self.out: set[int] = set()
        self.crashes: dict[int, int] = {}
        self.emptied: dict[int, int] = {}
        self.said: dict[str, tuple[int, int | None]] = {}
        self.speaks_for: dict[tuple[str, int], str] = {}
        self.voices: dict[str, int] = {}
        self.ailing: dict[tuple[int, int], int] = {}
        self._quorums: dict[frozenset[tuple[str, int]], Quorums] = {}

    def quorums(self, replication: Mapping[str, int] | None) -> Quorums | None:
        """What sets of nodes can do under a replication property; None where nobody knows it."""
        if not replication:
            return None
        key = frozenset(replication.items())
        if key not in self._quorums:
            self._quorums[key] = Quorums(self.parameters, replication)
        return self._quorums[key]
