"""What was observed of the cluster: what is known of nodes, of their rebuilding, and of who writes down what."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from reference_impl.log.copies import Nodes
from reference_impl.log.quorums import Quorums
from reference_impl.log.statuses import Statuses
from reference_impl.replay.known_parameters import NOTHING_KNOWN, KnownParameters
from reference_impl.replay.observed.shards import Shard
from spec.events import AppenderDone
from spec.language.parameters import Parameters


class Rebuilds(NamedTuple):
    """A rebuilding of a node that has begun.

    Attributes:
        began: the version of the event log at which it did.
        donors: who is not done; None where nobody knows.
        relocates: the node has its data.
        is_lost: it has lost its data for good.
        everyone: all donors; where nobody knows, all nodes.
    """

    began: int
    donors: Nodes | None
    relocates: bool
    is_lost: bool
    everyone: Nodes


class Cluster:
    """What is known of nodes and recorders.

    Attributes:
        statuses: every version of the status table.
        newest: the newest of them.
        is_open: it does not say who is unavailable.
        shards: what each node says of each log.
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
        known: what is known of the machine beyond what is recorded.
        has_extras: copysets may have more members than copies, for it is recorded when appends may be released.
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
        known: KnownParameters = NOTHING_KNOWN,
    ) -> None:
        self.parameters, self.records, self.in_part = parameters, records, in_part
        self.known = known
        self.has_extras = any(AppenderDone.word in words for words in records.values())
        self.clock_bound_ns = parameters.clock_bound_ns
        self.latest_ns = -sys.maxsize
        self.esn_max = (1 << parameters.low_bits) - 1
        self.statuses: dict[int, Statuses] = {}
        self.newest: Statuses = Statuses(-1, -1)
        self.is_open = False
        self.rebuilds: dict[int, Rebuilds] = {}
        self.over: dict[int, Nodes] = {}
        self.down: set[int] = set()
        self.asleep: set[int] = set()
        self.shards: list[defaultdict[int, Shard]] = []
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

    def shards_of_log(self) -> defaultdict[int, Shard]:
        """What each node says of a new log, by node: nothing so far."""
        shards = defaultdict[int, Shard](Shard)
        self.shards.append(shards)
        return shards

    def quorums(self, replication: Mapping[str, int] | None) -> Quorums | None:
        """What sets of nodes can do under a replication property; None where nobody knows it."""
        if not replication:
            return None
        key = frozenset(replication.items())
        if key not in self._quorums:
            self._quorums[key] = Quorums(self.parameters, replication)
        return self._quorums[key]
