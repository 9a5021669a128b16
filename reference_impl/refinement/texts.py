"""Texts: the state of the text ``Recovery`` for every epoch of a log.

The state keeps history: what a node has stored stays stored, also when a later writer has overwritten it or a purge has
deleted it. Precedence makes that harmless, as long as nothing is lost.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from reference_impl.log.copies import Nodes
from spec.language.protocol.world import State
from spec.protocols.recovery import Recovery

START: Final = State.of(dict.fromkeys(Recovery.relations, ()))


class EpochText(NamedTuple):
    """Where the text of one epoch is.

    Attributes:
        payloads: the digest of what the sequencer took for each slot.
        nodeset: where copies of the epoch may lie; nobody as long as the epoch has not been given out.
    """

    state: State = START
    payloads: tuple[int, ...] = ()
    nodeset: Nodes = frozenset()


LogText: TypeAlias = tuple[EpochText, ...]
"""The texts of a log's epochs, that of epoch 1 first."""


def with_room(log: LogText, epoch: int) -> LogText:
    """The texts of a log, with one for this epoch too."""
    return log + (EpochText(),) * (epoch - len(log))


def with_nodeset(log: LogText, epoch: int, nodes: Nodes) -> LogText:
    """The texts of a log in which an epoch has its nodeset; it keeps the one that it was given first."""
    log = with_room(log, epoch)
    text = log[epoch - 1]
    return (*log[: epoch - 1], text._replace(nodeset=text.nodeset or nodes), *log[epoch:])
