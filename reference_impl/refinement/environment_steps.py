"""What happens to nodes, in the words of the text: the event log says what the silence of each is worth; readers learn.

A node that is out is merely down until its data is lost for good. When the event log calls a node empty, the text wants
to know of each slot that still names it where else that lies: any copyset will do, all of which has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from reference_impl.kernel.step import Event
from reference_impl.log import trace_events
from reference_impl.log.copies import Nodes
from reference_impl.log.statuses import Statuses
from reference_impl.refinement.abstraction import ClaimedStep
from reference_impl.refinement.texts import EMPTY, LOST, EpochText, LogText, settler, statuses
from reference_impl.refinement.worlds import Worlds
from spec.events import StatusTable
from spec.language.events import column

UNDERREPLICATED: Final = column(StatusTable.underreplicated)
EMPTIED: Final = column(StatusTable.empty)


def status_steps(worlds: Worlds, log: LogText, event: Event) -> Iterator[ClaimedStep]:
    """A new table of statuses says whose data is lost, who is empty, and who serves again."""
    if event["kind"] != trace_events.STATUS:
        return
    lost, empty = event[UNDERREPLICATED], event[EMPTIED]
    for epoch, text in enumerate(log, 1):
        known = statuses(text.state)
        for node in sorted(text.nodeset):
            was, now = known.get(node), LOST if node in lost else EMPTY if node in empty else None
            if now != was:
                yield from _turns(worlds, text, epoch, node, now, lost | empty)


def _turns(
    worlds: Worlds, text: EpochText, epoch: int, node: int, now: int | None, gone: Nodes
) -> Iterator[ClaimedStep]:
    """A node's data is lost, or it is empty, or it serves again; whoever begins to read after that knows it."""
    if now is None:
        late = _late(text, node)
        yield from (ClaimedStep(epoch, "learn", (node, EMPTY), reader=one) for one in late)
        yield ClaimedStep(epoch, "rejoin", (node,))
        for one in late:
            yield from _denied_again(text, epoch, one, node)
        return
    if now == LOST:
        yield ClaimedStep(epoch, "lose", (node,))
    else:
        yield from _placed(worlds, text, epoch, node, gone)
        yield ClaimedStep(epoch, "mark_empty", (node,))
    yield ClaimedStep(epoch, "learn", (node, now))


def _late(text: EpochText, node: int) -> list[int]:
    """The readers that have not heard yet that a node is empty."""
    return [one for one, _ in text.readers if (node, EMPTY) not in text.seen_by(one)["known"]]


def _denied_again(text: EpochText, epoch: int, reader: int, back: int | None = None) -> Iterator[ClaimedStep]:
    """A reader keeps its answers where the text starts over: those that are still true are given to it once more.

    It has not been told of a node that is back, and asks nothing of it: that has nothing of what was released.
    """
    state = text.state
    writer, purged = settler(state), {one for (one,) in state["purged"]} | {back}
    if writer == 0:
        return
    there = {(where, slot) for where, _, slot in state["copy"]}
    out = {one for one, _ in state["status"]} - {back}
    answers = set(text.seen_by(reader)["denied"])
    if back is not None:
        answers |= {(back, slot) for whose, slot, _ in state["proposed"] if whose == writer}
    for one, slot in sorted(answers - there):
        if one in purged and one not in out:
            yield ClaimedStep(epoch, "deny", (one, slot), reader=reader)


def _placed(worlds: Worlds, text: EpochText, epoch: int, node: int, gone: Nodes) -> Iterator[ClaimedStep]:
    """What names a node gets a copyset without it, wherever there is one; what was trimmed wherever it lay vanished."""
    state, writer, below = text.state, settler(text.state), dict(text.trimmed)
    holders: dict[int, set[int]] = {}
    for where, whose, slot in state["copy"]:
        if whose == writer and where not in gone:
            holders.setdefault(slot, set()).add(where)
    relied = state["relied"]
    for slot in sorted(slot for named, slot in state["named"] if named == node):
        there = frozenset(holders.get(slot, ()))
        if there and all(slot < below.get(one, 0) for one in there):
            yield ClaimedStep(epoch, "vanish", (slot,))
            continue
        counted_on = frozenset(one for one in there if (one, slot) in relied)
        onto = worlds.copyset_of(text.nodeset, counted_on)
        if onto is None:
            onto = worlds.copyset_of(text.nodeset, there)
        if onto is not None:
            yield ClaimedStep(epoch, "place", (slot, onto))


def reader_learns(log: LogText, reader: int, table: Statuses) -> Iterator[ClaimedStep]:
    """A reader is told of a table; what it learns of nodes that are gone is what they are by now.

    The text starts over for lost nodes, too; ClientReadStream does so only for nodes that it is told are empty.
    """
    for epoch, text in enumerate(log, 1):
        now, known = statuses(text.state), statuses(text.seen_by(reader), "known")
        gone = table.gone & text.nodeset
        news = {node: now[node] for node in sorted(gone) if node in now and now[node] != known.get(node)}
        yield from (ClaimedStep(epoch, "learn", one, reader=reader) for one in news.items())
        if news and not table.empty.intersection(news):
            yield from _denied_again(text, epoch, reader)
