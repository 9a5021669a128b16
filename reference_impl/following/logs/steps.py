"""Steps: the text of one epoch takes what an event comes to, or refuses it."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from reference_impl.following.claims import EventRow, Unfounded
from reference_impl.following.logs.abstraction import WHEREVER_IT_ENDS, OneOf, Told
from reference_impl.following.logs.state import There, Unrecorded, is_there, with_unrecorded
from reference_impl.kernel.simulator import Transition
from reference_impl.log.copies import Nodes
from reference_impl.refinement.abstraction import AbstractStep, ClaimedStep
from reference_impl.refinement.contents import By
from reference_impl.refinement.follow import ENVIRONMENT, EPOCH, Refused, taken_by
from reference_impl.refinement.texts import EMPTY, EpochText
from reference_impl.refinement.worlds import Worlds
from spec.protocols.sorts import Slot

Against: TypeAlias = Refused | There | Unfounded
"""Why an event is no step: what the text refuses, what is not so, or what cannot be whatever happened before."""


class Stepped(NamedTuple):
    """The text after steps, and the actions of those that changed something."""

    text: EpochText
    actions: tuple[str, ...] = ()


def stepped(worlds: Worlds, text: EpochText, told: Told, event: EventRow) -> Stepped | Against:
    """The text after what an event comes to."""
    match told:
        case Unfounded():
            return told
        case There():
            return Stepped(text) if is_there(text, told) else told
        case Unrecorded():
            return Stepped(with_unrecorded(text, told))
        case OneOf():
            *others, last = told.claims
            for claim in others:
                if isinstance(found := _taken(worlds, text, claim, event), Stepped):
                    return found
            return _taken(worlds, text, last, event)
        case ClaimedStep(args=(By() as by, heard, end)) if end == WHEREVER_IT_ENDS:
            return _taken(
                worlds, text, told._replace(args=(by, heard, ending(worlds, text, by, told.heard or Nodes()))), event
            )
        case _:
            return _taken(worlds, text, told, event)


def _taken(worlds: Worlds, text: EpochText, said: AbstractStep, event: EventRow) -> Stepped | Refused:
    found = taken_by(worlds, text, said, Transition(ENVIRONMENT, event, None, None, ()))
    return found if isinstance(found, Refused) else Stepped(*found)


def ending(worlds: Worlds, text: EpochText, by: By, heard: Nodes) -> int:
    """The first slot at which the digests of those who were heard end; empty nodes count, and have nothing."""
    heard |= {node for node, status in text.state["status"] if status == EMPTY} & text.nodeset
    if not worlds.is_f_majority(heard, text.nodeset):
        return 0
    text = text.with_writer(by)
    world = worlds.world(text.nodeset, len(text.writers) + 1, len(text.payloads) + 2, heard)
    ends = (EPOCH.defined(world, text.state, "ends", (slot, 0, text.number_of(by))) for slot in world.elements(Slot))
    return next((slot for slot, is_so in enumerate(ends) if is_so), 0)
