"""Placing: to which nodes an append goes; in blocks, runs of appends share one copyset while its nodes store them.

LogDevice, Read path, Copyset and Sticky copysets; common/CopySetManager.cpp, StickyCopySetManager.
"""

# ruff: noqa: ARG001 - all decisions of one kind have one signature

from __future__ import annotations

from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.log.context import EXTRAS, LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.lsn import esn_of

ROOM: Final = 16
"""How many appends a block has at most; LogDevice counts bytes and time instead."""


class Block(NamedTuple):
    """A run of appends.

    Attributes:
        first: the ESN of the first of them.
        copyset: where their first waves go.
    """

    first: int
    copyset: Nodes


# --------------------------------------------------------------------------------------------- decisions


@decision
def copyset(context: LogContext, nodes: Nodes, avoid: Nodes, lsn: int, wave: int) -> Nodes | None:
    """A copyset keeps for a run of records, as long as its writes succeed: Read path, Sticky copysets."""
    if EXTRAS in context.variants:
        return context.quorums.choose_wide(context.extras, nodes, avoid, lsn >> 3, wave)
    return context.quorums.choose(nodes, avoid, lsn >> 3, wave)


@decision
def goes_on(block: Block, esn: int, avoid: Nodes) -> bool:
    """A block ends when it is full, or when one of its nodes fails to store."""
    return esn < block.first + ROOM and not block.copyset & avoid


@decision
def placed_in(context: LogContext, block: Block, nodes: Nodes, lsn: int) -> Nodes:
    """All appends of a block have its copyset."""
    return block.copyset


# ------------------------------------------------------------------------------------------------ blocks


def block_of(context: LogContext, block: Block | None, nodes: Nodes, avoid: Nodes, lsn: int) -> Block | None:
    """The block of an append: the one before if it goes on, else a new one; None: its nodes can hold no copyset."""
    esn = esn_of(lsn)
    if block is not None and context.decides(goes_on)(block, esn, avoid):
        return block
    chosen = context.decides(copyset)(context, nodes, avoid, lsn, 1)
    return None if chosen is None else Block(esn, chosen)
