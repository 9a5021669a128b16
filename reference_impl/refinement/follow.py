"""Following: the text takes the steps that a step of the machine claims to be, or refuses the first that it cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from reference_impl.kernel.simulator import Transition
from reference_impl.kernel.step import Address, Event, Note
from reference_impl.log import trace_events
from reference_impl.log.copies import Nodes
from reference_impl.log.reading_messages import StatusesTold
from reference_impl.refinement.abstraction import (
    AbstractStep,
    ClaimedStep,
    Counted,
    Given,
    Missed,
    Passed,
    Trimmed,
    claims_of,
)
from reference_impl.refinement.contents import By, Content
from reference_impl.refinement.environment_steps import reader_learns, status_steps
from reference_impl.refinement.texts import (
    EMPTY,
    EVERYBODY,
    EpochText,
    LogText,
    answered,
    excused,
    settler,
    with_nodeset,
    with_room,
)
from reference_impl.refinement.worlds import Worlds
from spec.events import NewEpoch
from spec.language.events import column
from spec.language.protocol.states import State, Step
from spec.language.protocol.stepping import stepping
from spec.language.protocol.world import World
from spec.language.terms import Term
from spec.protocols.epoch import Epoch
from spec.protocols.sorts import Slot

NODESET: Final = column(NewEpoch.nodeset)

ACTIONS: Final = tuple(clause.name for clause in Epoch.of_kind("action"))
"""What may happen in the text."""

EPOCH: Final = stepping(Epoch)
"""The steps of the text."""

ENVIRONMENT: Final[Address] = ("environment", 0, 0)
"""Who makes tables of statuses, for all logs."""


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
    """A step of the machine that is no step of the text.

    Attributes:
        taken: the step of the machine.
        claim: the step of the text that it claims to be; or what a reader gives although nobody has sent it.
        text: where the text was.
        no_quorum: the nodes that were heard are no f-majority.
        guards: the guards of the action that fail.
        difference: the text can take the step, but proposes something else.
    """

    taken: Transition
    claim: ClaimedStep | Given
    text: EpochText
    no_quorum: bool = False
    guards: tuple[Term, ...] = ()
    difference: Difference | None = None


def follow(worlds: Worlds, log: LogText, taken: Transition) -> Followed | Refused:
    """Let the texts of a log take the steps that a step of the machine claims to be."""
    for epoch, nodes in given_out(taken):
        log = with_nodeset(log, epoch, nodes, worlds.everyone)
    claims: Iterable[AbstractStep] = claims_of(taken)
    if isinstance(taken.message, StatusesTold):
        claims = chain(reader_learns(log, taken.to[2], taken.message.statuses), claims)
    return _all_taken(worlds, log, claims, taken)


def follow_event(worlds: Worlds, log: LogText, event: Event) -> Followed | Refused:
    """Let the texts of a log take the steps that an event of the environment claims to be."""
    return _all_taken(worlds, log, status_steps(worlds, log, event), Transition(ENVIRONMENT, event, None, None, ()))


def _all_taken(worlds: Worlds, log: LogText, claims: Iterable[AbstractStep], taken: Transition) -> Followed | Refused:
    actions: tuple[str, ...] = ()
    for said in claims:
        log = with_room(log, said.epoch)
        found = taken_by(worlds, log[said.epoch - 1], said, taken)
        if isinstance(found, Refused):
            return found
        text, more = found
        log, actions = (*log[: said.epoch - 1], text, *log[said.epoch :]), actions + more
    return Followed(log, actions)


def taken_by(
    worlds: Worlds, text: EpochText, said: AbstractStep, taken: Transition
) -> tuple[EpochText, tuple[str, ...]] | Refused:
    """Let the text of one epoch take the steps that are claimed of it; gives those that changed something."""
    if isinstance(said, Given) and not (was_sent(text, said) or is_trimmed_away(text, said.slot)):
        return Refused(taken, said, text)
    if isinstance(said, Trimmed):
        text = text.with_trimmed(said.node, said.below)
    actions = []
    for claim in meant(worlds, text, said):
        found = advance(worlds, text, claim, taken)
        if isinstance(found, Refused):
            return found
        if (found.state, found.readers) != (text.state, text.readers):
            actions.append(claim.action)
        text = found
    return text, tuple(actions)


def given_out(taken: Transition) -> list[tuple[int, Nodes]]:
    """The epochs that the epoch store gives out in a step, each with its nodeset."""
    events = [effect.event for effect in taken.effects if isinstance(effect, Note)]
    return [(event["epoch"], event[NODESET]) for event in events if event["kind"] == trace_events.EPOCH]


# ------------------------------------------------------------------------------------ the text's own numbers


def meant(worlds: Worlds, text: EpochText, said: AbstractStep) -> Iterator[ClaimedStep]:
    """The steps that a claim comes to where the text is; a node denies nothing before it has purged.

    A plan counts empty nodes as heard: they have nothing, and will have sealed when they come back. Who trims an epoch
    has purged it: before it is clean, nobody knows what of it may go.
    """
    if isinstance(said, ClaimedStep) and said.heard is not None:
        empty = {node for node, status in text.state["status"] if status == EMPTY} & text.nodeset
        yield from (ClaimedStep(said.epoch, "seal", (node, said.args[0])) for node in sorted(empty))
        yield said._replace(heard=said.heard | empty)
    elif isinstance(said, ClaimedStep) and said.action == "declare_clean":
        yield finished(worlds, text, said)
    elif isinstance(said, ClaimedStep) and said.action == "drop":
        yield said._replace(args=(*said.args[:-1], others(worlds, text, said)))
    elif isinstance(said, ClaimedStep):
        if not is_old_news(text, said) and not is_late_copy(text, said):
            yield said
    elif isinstance(said, Passed):
        yield from (
            ClaimedStep(said.epoch, "deny", (said.node, slot), reader=said.reader) for slot in denied(text, said)
        )
    elif isinstance(said, Missed):
        if not is_beyond_what_was_trimmed(text, said):
            yield missed(worlds, text, said)
    elif isinstance(said, Counted):
        yield from counted(text, said)
    elif isinstance(said, Trimmed) and (said.node,) not in text.state["purged"]:
        yield ClaimedStep(said.epoch, "purge", (said.node,))


def finished(worlds: Worlds, text: EpochText, claim: ClaimedStep) -> ClaimedStep:
    """An epoch is clean by a recovery in the last of its rounds that finished; it may have begun another since.

    What it only counted, on nodes that obey a later one by then, an earlier one has finished: all decide alike.
    """
    (by,) = (arg for arg in claim.args if isinstance(arg, By))
    world = worlds.world(text.nodeset, len(text.writers) + 1, len(text.payloads) + 2, None)
    for one in reversed(text.writers):
        step = world.step(claim.action, text.number_of(one))
        if one.recovery <= by.recovery and EPOCH.after(world, text.state, step) is not None:
            return claim._replace(args=(one,))
    return claim


def counted(text: EpochText, said: Counted) -> Iterator[ClaimedStep]:
    """A recovery has stored what it counts, wherever nobody forbids it by now."""
    state, by = text.state, text.number_of(said.by)
    left = {node for node, writer in state["sealed"] if writer > by}
    out = left | {node for node, _ in state["status"]} | {node for (node,) in state["purged"]}
    for slot, nodes in said.nodes:
        yield from (ClaimedStep(said.epoch, "store", (node, said.by, slot)) for node in sorted(nodes - out))


def others(worlds: Worlds, text: EpochText, claim: ClaimedStep) -> int:
    """A copyset of other nodes that stored what a node drops; where there is none, any."""
    node, slot, _ = claim.numbers
    stored = frozenset(other for other, writer, at in text.state["stored"] if (writer, at) == (0, slot))
    return worlds.copyset_of(text.nodeset, stored - {node}) or 0


def is_old_news(text: EpochText, claim: ClaimedStep) -> bool:
    """Whether a client is told again, what vanished on one node does so on the next, or donors count on it as before.

    Nor is it news that a node which lost its disk seals once more what it had purged, for a later recovery, before.
    """
    if claim.action == "acknowledge":
        return claim.args in text.state["acked"]
    if claim.action == "vanish":
        (slot,) = claim.numbers
        left = any(at == slot for _, _, at in text.state["copy"])
        return claim.args in text.state["vanished"] and not left
    if claim.action == "seal":
        return claim.args[:1] in text.state["purged"] and is_sealed_later(text, claim)
    if claim.action != "rebuild" or claim.holdings:
        return False
    slot, _, node = claim.numbers
    return (node, slot) in text.state["relied"]


def is_sealed_later(text: EpochText, claim: ClaimedStep) -> bool:
    """Whether a node obeys the seal of a recovery that comes after the one for which it seals."""
    (node,), (by,) = claim.numbers, (arg for arg in claim.args if isinstance(arg, By))
    text = text.with_writer(by)
    return any(where == node and whose > text.number_of(by) for where, whose in text.state["sealed"])


def is_late_copy(text: EpochText, claim: ClaimedStep) -> bool:
    """Whether a donor sent, before it trimmed, what comes only now, or a reader is sent a copy that came so."""
    return claim.action in ("rebuild", "deliver") and any(is_trimmed_away(text, slot) for slot in claim.of(Slot))


def is_trimmed_away(text: EpochText, slot: int) -> bool:
    """Whether a slot was trimmed by all that had it when a node was called empty: the text has lost sight of it."""
    return slot < text.trimmed_below and (slot,) in text.state["vanished"]


def missed(worlds: Worlds, text: EpochText, said: Missed) -> ClaimedStep:
    """A reader applies the second rule where every node is excused, else by the first, if enough have answered."""
    state = text.seen_by(said.reader)
    report = ClaimedStep(said.epoch, "report", (said.slot,), reader=said.reader)
    if excused(state, said.slot) >= worlds.everyone:
        return report
    heard = answered(state, said.slot) & text.nodeset
    if not worlds.is_f_majority(heard, text.nodeset):
        return report
    return report._replace(action="report_by_majority", args=(said.slot, 0), heard=heard)


def is_beyond_what_was_trimmed(text: EpochText, said: Missed) -> bool:
    """Whether a reader finds nothing above a bridge that was trimmed: it takes that for a loss, where nothing ever lay.

    ClientReadStream.cpp, determineGapType: only a bridge tells it of the end of an epoch.
    """
    writer = settler(text.state)
    if not text.trimmed or writer == 0:
        return False
    bridge = max((slot for whose, slot, _ in text.state["proposed"] if whose == writer), default=said.slot)
    return bridge < min(said.slot, text.trimmed_below)


def was_sent(text: EpochText, given: Given) -> bool:
    """Some node has sent what a reader gives."""
    return (given.slot, given.content.value(given.slot, text.payloads)) in text.state["read"]


def denied(text: EpochText, passed: Passed) -> list[int]:
    """The slots of a clean epoch that a node of its nodeset says it has not, and has not said so before."""
    state = text.seen_by(passed.reader)
    if (passed.node,) not in state["purged"] or passed.node not in text.nodeset:
        return []
    clean = {writer for (writer,) in state["clean"]}
    released = {slot for writer, slot, _ in state["proposed"] if writer in clean}
    asked = {slot for slot in released if slot in passed.slots} - passed.had
    return sorted(slot for slot in asked if (passed.node, slot) not in state["denied"])


def numbered(text: EpochText, claim: ClaimedStep) -> tuple[EpochText, ClaimedStep]:
    """The text in which all writers of a claim have shown up, and the claim in its numbers."""
    writers = [arg for arg in claim.args if isinstance(arg, By)]
    for by in (*writers, *(held.writer for held in claim.holdings if held.writer is not None)):
        text = text.with_writer(by)
    args: list[int] = []
    for arg in claim.args:
        if isinstance(arg, By):
            args.append(text.number_of(arg))
        elif isinstance(arg, Content):
            args.append(arg.value(args[-1], text.payloads))
        else:
            args.append(arg)
    if claim.action == "deliver":
        args[1] = holder(text, *args)
    return text, claim._replace(args=tuple(args))


def holder(text: EpochText, node: int, writer: int, slot: int, value: int) -> int:
    """Of the writers whose copies a node has at a slot, one that has written this; where there is none, any."""
    proposed = text.state["proposed"]
    found = (one for (where, one, at) in text.state["copy"] if (where, at) == (node, slot))
    return next((one for one in found if (one, slot, value) in proposed), writer)


# ---------------------------------------------------------------------------------------------------- steps


def advance(worlds: Worlds, text: EpochText, claim: ClaimedStep, taken: Transition) -> EpochText | Refused:
    """Let the text of one epoch take one step."""
    heard = claim.heard
    if heard is not None and not worlds.is_f_majority(heard, text.nodeset):
        return Refused(taken, claim, text, no_quorum=True)
    text, claim = numbered(text, claim)
    slots = max([len(text.payloads), *claim.of(Slot)]) + 2
    world = worlds.world(text.nodeset, len(text.writers) + 1, slots, heard)
    step = world.step(claim.action, *claim.numbers)
    before = text.seen_by(claim.reader)
    state = EPOCH.after(world, before, step)
    if state is None:
        return Refused(taken, claim, text, guards=EPOCH.failing(world, before, step))
    payloads = text.payloads if claim.payload is None else (*text.payloads, claim.payload)
    text = text._replace(payloads=payloads)
    difference = next(differences(text, claim, state), None)
    if difference is not None:
        return Refused(taken, claim, text, difference=difference)
    if claim.action in EVERYBODY:
        return _by_everybody(world, text, step, state)
    return text.with_seen(state, claim.reader)


def _by_everybody(world: World, text: EpochText, step: Step, state: State) -> EpochText:
    """A step of the whole cluster of which all readers know at once."""
    seen = {reader: EPOCH.after(world, text.seen_by(reader), step) for reader, _ in text.readers}
    text = text.with_seen(state, None)
    for reader, one in seen.items():
        if one is not None:
            text = text.with_seen(one, reader)
    return text


def differences(text: EpochText, claim: ClaimedStep, state: State) -> Iterator[Difference]:
    """Where the machine holds something else than what the text has proposed."""
    if not claim.holdings:
        return
    proposed = {(writer, slot): value for writer, slot, value in state["proposed"]}
    for by, slot, content in claim.holdings:
        writer = settler(state) if by is None else text.number_of(by)
        machine, there = content.value(slot, text.payloads), proposed.get((writer, slot))
        if machine != there:
            yield Difference(writer, slot, machine, there)
