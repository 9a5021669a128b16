"""What was observed of logs: what is known of one log, its clients and its read streams."""

from __future__ import annotations

from typing import Final

from reference_impl.replay.observed.cluster import Cluster
from reference_impl.replay.observed.epochs import Epoch, Recovering
from reference_impl.replay.observed.readers import Greylist
from reference_impl.replay.observed.shards import Shard
from reference_impl.replay.streams import Content, ReadStream

ASKED: Final = -2
REFUSED: Final = -1
"""What stands for the LSN of a payload that has none: not yet, or never."""


class Session:
    """A client in a log.

    Attributes:
        epoch: the latest epoch of which it had an answer.
        pending: the order of every append that waits for an answer.
        place: the last place of its stream that was acknowledged, where that is recorded.
        is_open: of some append, or of some answer, its payload is not known.
    """

    __slots__ = ("epoch", "is_open", "pending", "place")

    def __init__(self) -> None:
        self.epoch = self.place = 0
        self.pending: dict[int, int] = {}
        self.is_open = False

    def asks(self, payload: int | None, order: int) -> None:
        """An append waits for an answer."""
        if payload is None:
            self.is_open = True
        else:
            self.pending[payload] = order

    def hears(self, payload: int | None) -> None:
        """An append waits no more; where nobody knows which one, any may."""
        if payload is None:
            self.is_open = True
        else:
            self.pending.pop(payload, None)


class Log:
    """What is known of one log.

    Attributes:
        payloads: LSN of every payload that was asked for; ASKED while it has none, REFUSED when it never will.
        gave_up: payloads of which clients will never be told anything.
        upto: where each read stream is.
        starts: where each read stream began.
        learnt: the last epoch of which each read stream knows metadata.
        tables: the version of the status table that each read stream used last.
        streams: what each read stream asked for, where that is recorded.
        greylists: which nodes each read stream takes for slow, where that is recorded.
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
        "greylists",
        "learnt",
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
        self.shards = cluster.shards_of_log()
        self.upto: dict[int, int] = {}
        self.starts: dict[int, int] = {}
        self.learnt: dict[int, int] = {}
        self.tables: dict[int, int] = {}
        self.streams: dict[int, ReadStream] = {}
        self.greylists: dict[int, Greylist] = {}
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
        return self.shards[node]

    def greylist(self, reader: int) -> Greylist:
        """Which nodes a read stream takes for slow."""
        greylist = self.greylists.get(reader)
        if greylist is None:
            greylist = self.greylists[reader] = Greylist()
        return greylist

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

    def is_rebuilt(self, node: int, lsn: int) -> bool:
        """Rebuilding brought the node's copy: stored in a wave after that, it says so and stores nothing."""
        held = self.shard(node).copies.get(lsn)
        return held is not None and held.rebuilt

    def lends(self, node: int, lsn: int, content: Content) -> bool:
        """The node holds this, or did until it trimmed it or lost its disk: what it sent may come late."""
        shard = self.shards.get(node)
        if shard is None:
            return False
        held, deleted = shard.copies.get(lsn), shard.deleted.get(lsn)
        return (held is not None and held.content == content) or (deleted is not None and deleted.content == content)
