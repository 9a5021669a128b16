"""What an operator's looks at Restate show: segments, copies, seals, tails.

A look says that a node holds a record, not since when: stores, erasures and seals have no time, only when they were
seen. Within one look nothing has an order; copies are put before the seal that is seen with them, which claims nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

from conformance.importers.journal import Journal
from conformance.importers.restate_text import GONE, HELD, Digest, Segment
from spec.events import RECORD

OPERATOR = "operator"

AtNode: TypeAlias = tuple[int, int, int]
"""A node, a log and a segment."""


def node_name(node: int) -> str:
    """How Restate calls a node."""
    return f"N{node}"


class Looks:
    """Writes down what each look shows that earlier ones did not.

    Args:
        journal: where events go.
        nodes: the place in the header of each node.
        logs: the number in the trace of each of Restate's logs.
    """

    def __init__(self, journal: Journal, nodes: Mapping[int, int], logs: Mapping[int, int]) -> None:
        self.journal, self.nodes, self.logs = journal, nodes, logs
        self._segments: set[Segment] = set()
        self._held: dict[AtNode, set[int]] = defaultdict(set)
        self._sealed: set[AtNode] = set()
        self._appended: dict[tuple[int, int], set[int]] = defaultdict(set)
        self._readable: dict[tuple[int, int], int] = defaultdict(int)

    def segment(self, seen: Segment, time_ns: int) -> None:
        """A segment as metadata describes it; one that is described anew in other words is written down again."""
        if seen in self._segments:
            return
        self._segments.add(seen)
        self.journal.add(
            OPERATOR,
            "epoch",
            time_ns=time_ns,
            **self._place(seen, 0),
            sequencer=self.nodes[seen.sequencer],
            nodeset=sorted(self.nodes[node] for node in seen.nodeset),
            replication=None if seen.copies is None else {"node": seen.copies},
        )

    def digest(self, seen: Digest, time_ns: int) -> None:
        """Who holds what of one segment, who is sealed, what was appended, and up to where it may be read."""
        self.segment(seen.segment, time_ns)
        self._appends(seen)
        for column, node in enumerate(seen.nodes):
            marks = {offset: row[column] for offset, row in seen.marks.items()}
            self._copies(node, seen, marks, time_ns)
            at = (node, seen.segment.log, seen.segment.index)
            if node in seen.sealed and at not in self._sealed:
                self._sealed.add(at)
                self._at_node("seal", node, seen.segment, 0, time_ns)
        place = (seen.segment.log, seen.segment.index)
        if seen.tail - 1 > self._readable[place]:
            self._readable[place] = seen.tail - 1
            self.journal.add(OPERATOR, "release", time_ns=time_ns, **self._place(seen.segment, seen.tail - 1))

    def _appends(self, seen: Digest) -> None:
        """What the digest lists below the tail was given out by the sequencer, whoever holds it."""
        known = self._appended[seen.segment.log, seen.segment.index]
        for offset in sorted(offset for offset in seen.marks if offset < seen.tail and offset not in known):
            known.add(offset)
            self.journal.add(OPERATOR, "append", **self._place(seen.segment, offset))

    def _copies(self, node: int, seen: Digest, marks: Mapping[int, str], time_ns: int) -> None:
        held = self._held[node, seen.segment.log, seen.segment.index]
        for offset in sorted(offset for offset, mark in marks.items() if mark == HELD and offset not in held):
            held.add(offset)
            recovery = self._written_by(node, seen, offset)
            self._at_node("store", node, seen.segment, offset, time_ns, becomes=RECORD, recovery=recovery)
        trimmed = seen.trimmed.get(node, 0)
        for offset in sorted(offset for offset in held if marks.get(offset, HELD) in GONE or offset <= trimmed):
            held.discard(offset)
            self._at_node("erase", node, seen.segment, offset, time_ns)

    def _written_by(self, node: int, seen: Digest, offset: int) -> int | None:
        """0 for the sequencer; None where a repair of the tail may have put the copy on a sealed node."""
        was_sealed = (node, seen.segment.log, seen.segment.index) in self._sealed
        return None if was_sealed and offset < seen.tail else 0

    def _at_node(self, kind: str, node: int, segment: Segment, offset: int, seen_ns: int, **fields: object) -> None:
        place = self._place(segment, offset)
        self.journal.add(node_name(node), kind, **place, node=self.nodes[node], seen_ns=seen_ns, **fields)

    def _place(self, segment: Segment, offset: int) -> dict[str, int]:
        return {"log": self.logs[segment.log], "epoch": segment.index, "esn": offset}
