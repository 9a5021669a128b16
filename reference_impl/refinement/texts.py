"""Texts: the state of the text ``Epoch`` for every epoch of a log.

The state keeps history: what a node has stored stays on its disk, also when a later writer has overwritten it.
Precedence makes that harmless. Every reader has relations of its own; what readers were given is kept for all of them,
so that the text holds them to each other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from reference_impl.log.copies import Nodes
from reference_impl.refinement.contents import LAST_ROUND, SEQUENCER, By
from spec.language.protocol.states import Row, Rows, State
from spec.protocols.epoch import Epoch
from spec.protocols.parts import Status
from spec.protocols.sorts import Writer

START: Final = State.of(dict.fromkeys(Epoch.relations, ()))

OWN: Final = ("known", "denied", "reported")
"""The relations of which every reader has its own."""

EVERYBODY: Final = frozenset({"rejoin"})
"""Steps of which every reader knows at once."""

LOST: Final = Status.constants.index("underreplicated")

EMPTY: Final = Status.constants.index("empty")


class EpochText(NamedTuple):
    """Where the text of one epoch is.

    Attributes:
        state: of all, and in the relations that each reader has of its own, what a new reader begins with.
        payloads: the digest of what the sequencer took for each slot.
        nodeset: where copies of the epoch may lie; nobody as long as the epoch has not been given out.
        writers: those that have shown up, in order of precedence, without the sequencer.
        readers: what each reader knows, by its number, in the order of ``OWN``.
        trimmed: below which slot a node has trimmed, for each that has.
    """

    state: State = START
    payloads: tuple[int, ...] = ()
    nodeset: Nodes = frozenset()
    writers: tuple[By, ...] = ()
    readers: tuple[tuple[int, tuple[Rows, ...]], ...] = ()
    trimmed: tuple[tuple[int, int], ...] = ()

    def seen_by(self, reader: int | None) -> State:
        """The state with the relations of one reader; None: of one that begins now."""
        own = next((own for number, own in self.readers if number == reader), self._new)
        return replaced(self.state, dict(zip(OWN, own, strict=True)))

    @property
    def _new(self) -> tuple[Rows, ...]:
        return tuple(self.state[name] for name in OWN)

    def with_seen(self, state: State, reader: int | None) -> EpochText:
        """The text in a state in which one reader's relations are its own; None: those of one that begins now."""
        if reader is None:
            return self._replace(state=state)
        own = tuple(state[name] for name in OWN)
        shared = replaced(state, dict(zip(OWN, self._new, strict=True)))
        return self._replace(state=shared, readers=tuple(sorted({**dict(self.readers), reader: own}.items())))

    @property
    def trimmed_below(self) -> int:
        """Below which slot some node has trimmed; 0 where nobody has."""
        return max((below for _, below in self.trimmed), default=0)

    def with_trimmed(self, node: int, below: int) -> EpochText:
        """The text in which a node has trimmed all slots below one."""
        return self._replace(trimmed=tuple(sorted({**dict(self.trimmed), node: below}.items())))

    def number_of(self, by: By) -> int:
        """Where a writer stands in the order of precedence; one that has not shown up stands before the next."""
        later = by.round == LAST_ROUND
        return 0 if by == SEQUENCER else bisect_left(self.writers, by) + (not later)

    def with_writer(self, by: By) -> EpochText:
        """The text in which a writer has shown up; those after it move up."""
        place = self.number_of(by)
        if by == SEQUENCER or by.round == LAST_ROUND or self.writers[place - 1 : place] == (by,):
            return self
        state = self.state if place > len(self.writers) else _renumbered(self.state, place)
        return self._replace(state=state, writers=(*self.writers[: place - 1], by, *self.writers[place - 1 :]))


LogText: TypeAlias = tuple[EpochText, ...]
"""The texts of a log's epochs, that of epoch 1 first."""


def replaced(state: State, relations: Mapping[str, Rows]) -> State:
    """A state with other rows of some relations."""
    return State(tuple((name, relations.get(name, rows)) for name, rows in state.relations))


def statuses(state: State, name: str = "status") -> dict[int, int]:
    """The statuses of nodes, as they are or as a reader knows them."""
    return dict((node, status) for node, status in state[name])  # noqa: C402 - rows have no length for the types


def answered(state: State, slot: int) -> Nodes:
    """The nodes that are known to be empty, or have denied a slot: the text's definition."""
    empty = {node for node, status in state["known"] if status == EMPTY}
    return frozenset(empty | {node for node, at in state["denied"] if at == slot})


def excused(state: State, slot: int) -> Nodes:
    """The nodes for which a reader does not wait: the text's definition."""
    return answered(state, slot) | {node for node, status in state["known"] if status == LOST}


def settler(state: State) -> int:
    """By whom slots are settled: the recovery by which the epoch is clean, or the sequencer of a running one."""
    return next((writer for (writer,) in state["clean"]), 0)


def _renumbered(state: State, place: int) -> State:
    """The state in which a new writer stands at a place."""
    return State.of({name: [_moved(name, row, place) for row in rows] for name, rows in state.items()})


def _moved(name: str, row: Row, place: int) -> Row:
    sorts = Epoch.relations[name].sorts
    return tuple(one + (sort is Writer and one >= place) for sort, one in zip(sorts, row, strict=True))


def with_room(log: LogText, epoch: int) -> LogText:
    """The texts of a log, with one for this epoch too."""
    return log + (EpochText(),) * (epoch - len(log))


def with_nodeset(log: LogText, epoch: int, nodes: Nodes, everyone: Nodes) -> LogText:
    """The texts of a log in which an epoch has its nodeset; it keeps the one that it was given first.

    All other nodes have lost what they never had, as every reader knows.
    """
    log = with_room(log, epoch)
    text = log[epoch - 1]
    if text.nodeset:
        return log
    others = {(node, LOST) for node in everyone - nodes}
    rows = {name: others.union(row for row in text.state[name] if row[0] in nodes) for name in ("status", "known")}
    state = replaced(text.state, {name: frozenset(found) for name, found in rows.items()})
    return (*log[: epoch - 1], text._replace(nodeset=nodes, state=state), *log[epoch:])
