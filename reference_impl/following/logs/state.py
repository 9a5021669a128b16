"""What a text is told that is no step of it: what an event says is so, and what nobody recorded when it came."""

from __future__ import annotations

from typing import NamedTuple

from reference_impl.refinement.contents import By, Content
from reference_impl.refinement.texts import EpochText, replaced, settler
from spec.language.protocol.states import Row


class There(NamedTuple):
    """What an event says is so: that somebody has proposed one of these contents at a slot.

    Attributes:
        by: the writer; None: whoever settled the slot, or where a node has it, whoever wrote its copy last.
        node: who has it on its disk; None: that is not said.
    """

    epoch: int
    slot: int
    contents: tuple[Content, ...]
    by: By | None = None
    node: int | None = None


class Unrecorded(NamedTuple):
    """Rows of the text that came before an event by which they show, and that nothing asked for since.

    Attributes:
        sealed: nodes that had sealed for a writer.
        stored: nodes that had stored what a writer proposed.
        streamed: slots of streams.
    """

    epoch: int
    sealed: tuple[tuple[int, By], ...] = ()
    stored: tuple[tuple[int, By, int], ...] = ()
    streamed: tuple[int, ...] = ()


def is_there(text: EpochText, there: There) -> bool:
    """Whether what an event says is so."""
    state, node, slot = text.state, there.node, there.slot
    if there.by is not None:
        writer = text.number_of(there.by)
    elif node is None:
        writer = settler(state)
    else:
        writer = max((whose for one, whose, at in state["copy"] if (one, at) == (node, slot)), default=-1)
    proposed, payloads = state["proposed"], text.payloads
    return any((writer, slot, content.value(slot, payloads)) in proposed for content in there.contents)


def with_unrecorded(text: EpochText, rows: Unrecorded) -> EpochText:
    """The text with what came before, and shows only now."""
    for by in {by for _, by in rows.sealed} | {by for _, by, _ in rows.stored}:
        text = text.with_writer(by)
    stored: set[Row] = {(node, text.number_of(by), slot) for node, by, slot in rows.stored}
    new: dict[str, set[Row]] = {
        "sealed": {(node, text.number_of(by)) for node, by in rows.sealed},
        "stored": stored,
        "copy": stored,
        "streamed": {(slot,) for slot in rows.streamed},
    }
    state = text.state
    return text._replace(state=replaced(state, {name: state[name] | found for name, found in new.items() if found}))
