"""Streams: what readers said to nodes, and what these sent them, as far as that is recorded."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from reference_impl.log.copies import Nodes

Content: TypeAlias = tuple[int, int | None]
"""What an LSN is: RECORD, HOLE or BRIDGE, and the digest."""


class Asked(NamedTuple):
    """One request of a reader to a node.

    Attributes:
        first: the first LSN.
        high: the last LSN for now.
        filters: the version of the filters.
        mode: who is to send a record.
        passed_over: the nodes whose records others are to send.
        allowed: all that was allowed to the node by these filters.
        damages: how often copies of the node had been damaged; -1 if some still were.
    """

    first: int
    high: int
    filters: int
    mode: int
    passed_over: Nodes
    allowed: set[int]
    damages: int


class Sending:
    """What a node sent a reader in answer to one request.

    Attributes:
        life: how often the node was started.
        order: the number of the request.
        last: the last LSN that it sent; that before the first one if there is none.
        high: the last LSN that it might send.
    """

    __slots__ = ("high", "last", "life", "order")

    def __init__(self, life: int, order: int, last: int, high: int) -> None:
        self.life, self.order, self.last, self.high = life, order, last, high


class ReadStream:
    """One reader in one log, where it is recorded what it asks for.

    Attributes:
        start: its first LSN.
        low: the beginning of the newest window of which nodes were told.
        visited: where it has been since.
        version: the version of its filters; 0 before it asked anybody.
        mode: who is to send a record, in this version.
        passed_over: the nodes whose records others are to send.
        turns: the orders in which it may be asking all nodes, by a new version; none when it has asked all.
        turn: how many it has asked.
        asks: its requests to each node.
        told: the last LSN that each node knows that it may send.
        sent: what nodes sent, by LSN, that it may not have been given yet; as they answer to this version.
        sending: what each node sent it last.
        read_sets: the nodes that it reads from once it knows the metadata of an epoch, in the order in which they came.
    """

    __slots__ = (
        "asks",
        "low",
        "mode",
        "passed_over",
        "read_sets",
        "sending",
        "sent",
        "start",
        "told",
        "turn",
        "turns",
        "version",
        "visited",
    )

    def __init__(self, start: int) -> None:
        self.start = self.low = start
        self.visited = [start]
        self.version = self.mode = self.turn = 0
        self.passed_over: Nodes = frozenset()
        self.turns: list[tuple[int, ...]] = []
        self.asks: dict[int, list[Asked]] = {}
        self.told: dict[int, int] = {}
        self.sent: dict[int, set[Content]] = {}
        self.sending: dict[int, Sending] = {}
        self.read_sets: dict[int, tuple[int, ...]] = {}

    @property
    def awaited(self) -> set[int]:
        """The nodes of which one is asked next, by the same filters."""
        return {turn[self.turn] for turn in self.turns if len(turn) > self.turn}

    @property
    def has_to_go_on(self) -> bool:
        """It has not asked all nodes yet, in whichever order."""
        return bool(self.turns) and all(len(turn) > self.turn for turn in self.turns)

    def rewind(self, version: int, filters: tuple[int, Nodes], turns: list[tuple[int, ...]]) -> None:
        """All nodes are asked by new filters; what was sent by others does not count."""
        self.version, self.turn, self.turns = version, 0, turns
        self.mode, self.passed_over = filters
        self.sent = {}

    def take_turn(self, node: int) -> None:
        """The node is asked, as one of all or by itself."""
        self.turns = [turn for turn in self.turns if len(turn) > self.turn and turn[self.turn] == node]
        self.turn += 1

    def forget(self, first: int, last: int) -> None:
        """It was given everything from one LSN to another."""
        if first == last:
            self.sent.pop(first, None)
        else:
            self.sent = {lsn: sent for lsn, sent in self.sent.items() if lsn > last}

    def request(self, node: int, order: int) -> Asked:
        """One of its requests to a node, by number from 1."""
        return self.asks[node][order - 1]
