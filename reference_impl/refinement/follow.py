"""Following: the text takes the steps that a step of the machine claims to be, or refuses the first that it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from reference_impl.kernel.simulator import Taken
from reference_impl.kernel.step import Note
from reference_impl.log import notes
from reference_impl.log.copies import Nodes
from reference_impl.refinement.claims import OTHER_PAYLOAD, PAYLOAD, Claim, Holding, claims_of
from reference_impl.refinement.texts import EpochText, LogText, with_nodeset, with_room
from reference_impl.refinement.worlds import Worlds
from spec.events import BRIDGE, HOLE
from spec.language.protocol.meaning import after, true
from spec.language.protocol.world import State, Step, World
from spec.language.terms import Term
from spec.protocols.recovery import Recovery
from spec.protocols.sorts import Slot, Value, Writer

ACTIONS: Final = tuple(clause.name for clause in Recovery.of_kind("action"))
"""What may happen in the text."""

MARKS: Final = {HOLE: Value.constants.index("hole"), BRIDGE: Value.constants.index("bridge")}
"""The elements that stand for what a recovery writes besides payloads."""


class Followed(NamedTuple):
    """A step of the machine that the text can take.

    Attributes:
        log: the texts after it.
        actions: the steps of the text that changed something, in order; none: the machine's step is a stutter.
    """

    log: LogText
    actions: tuple[str, ...]


class Difference(NamedTuple):
    """What machine and text have for one proposal, as elements of the sort ``Value``; None: the text has none."""

    writer: int
    slot: int
    machine: int
    text: int | None


class Refused(NamedTuple):
    """A step of the machine that is no step of the text, for one of three reasons.

    Attributes:
        taken: the step of the machine.
        claim: the step of the text that it claims to be.
        text: where the text was.
        no_quorum: the nodes that were heard are no f-majority.
        guards: the guards of the action that fail.
        difference: the text can take the step, but proposes something else.
    """

    taken: Taken
    claim: Claim
    text: EpochText
    no_quorum: bool = False
    guards: tuple[Term, ...] = ()
    difference: Difference | None = None


def follow(worlds: Worlds, log: LogText, taken: Taken) -> Followed | Refused:
    """Let the texts of a log take the steps that a step of the machine claims to be."""
    for epoch, nodes in given_out(taken):
        log = with_nodeset(log, epoch, nodes)
    actions = []
    for claim in claims_of(taken):
        log = with_room(log, claim.epoch + max(claim.of(Writer), default=0))
        text = log[claim.epoch - 1]
        found = advance(worlds, text, claim, taken, len(log) - claim.epoch + 1)
        if isinstance(found, Refused):
            return found
        if found.state != text.state:
            actions.append(claim.action)
            log = (*log[: claim.epoch - 1], found, *log[claim.epoch :])
    return Followed(log, tuple(actions))


def given_out(taken: Taken) -> list[tuple[int, Nodes]]:
    """The epochs that the epoch store gives out in a step, each with its nodeset."""
    events = [effect.event for effect in taken.effects if isinstance(effect, Note)]
    return [(event["epoch"], event["nodes"]) for event in events if event["kind"] == notes.EPOCH]


def advance(worlds: Worlds, text: EpochText, claim: Claim, taken: Taken, writers: int) -> EpochText | Refused:
    """Let the text of one epoch, which has so many writers, take one step."""
    heard = claim.heard
    if heard is not None and not worlds.is_f_majority(heard, text.nodeset):
        return Refused(taken, claim, text, no_quorum=True)
    slots = max([len(text.payloads), *claim.of(Slot)]) + 2
    world = worlds.world(text.nodeset, writers, slots, heard)
    step = world.step(claim.action, *claim.args)
    state = after(world, text.state, step)
    if state is None:
        return Refused(taken, claim, text, guards=failing(world, text.state, step))
    payloads = text.payloads if claim.payload is None else (*text.payloads, claim.payload)
    difference = next(differences(claim, state, payloads), None)
    if difference is not None:
        return Refused(taken, claim, text, difference=difference)
    return EpochText(state, payloads, text.nodeset)


def failing(world: World, state: State, step: Step) -> tuple[Term, ...]:
    """The guards of an action that do not hold."""
    values = dict(enumerate(step.args))
    return tuple(guard for guard in step.action.requires if not true(guard, world, state, values))


def differences(claim: Claim, state: State, payloads: tuple[int, ...]) -> Iterator[Difference]:
    """Where the machine holds something else than what the text has proposed."""
    if not claim.holdings:
        return
    proposed = {(writer, slot): value for writer, slot, value in state["proposed"]}
    for held in claim.holdings:
        machine, text = value_of(held, payloads), proposed.get((held.writer, held.slot))
        if machine != text:
            yield Difference(held.writer, held.slot, machine, text)


def value_of(held: Holding, payloads: tuple[int, ...]) -> int:
    """The element of the sort ``Value`` for what the machine holds; every payload but the slot's own is one element."""
    if held.becomes in MARKS:
        return MARKS[held.becomes]
    own = payloads[held.slot] if held.slot < len(payloads) else None
    return PAYLOAD if held.digest in (None, own) else OTHER_PAYLOAD
