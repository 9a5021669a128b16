"""Following: the text takes the steps that a step of the machine claims to be, or refuses the first that it cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from reference_impl.kernel.simulator import Taken
from reference_impl.kernel.step import Address, Event, Note
from reference_impl.log import notes
from reference_impl.log.copies import Nodes
from reference_impl.refinement.claims import Claim, Given, Passed, Said, claims_of
from reference_impl.refinement.contents import By, Content
from reference_impl.refinement.texts import LOST, EpochText, LogText, with_nodeset, with_room
from reference_impl.refinement.worlds import Worlds
from spec.language.protocol.meaning import after, true
from spec.language.protocol.world import State, Step, World
from spec.language.terms import Term
from spec.protocols.epoch import Epoch
from spec.protocols.sorts import Slot

ACTIONS: Final = tuple(clause.name for clause in Epoch.of_kind("action"))
"""What may happen in the text."""

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

    taken: Taken
    claim: Claim | Given
    text: EpochText
    no_quorum: bool = False
    guards: tuple[Term, ...] = ()
    difference: Difference | None = None


def follow(worlds: Worlds, log: LogText, taken: Taken) -> Followed | Refused:
    """Let the texts of a log take the steps that a step of the machine claims to be."""
    for epoch, nodes in given_out(taken):
        log = with_nodeset(log, epoch, nodes, worlds.everyone)
    return _all_taken(worlds, log, claims_of(taken), taken)


def follow_event(worlds: Worlds, log: LogText, event: Event) -> Followed | Refused:
    """Let the texts of a log take the steps that an event of the environment claims to be."""
    return _all_taken(worlds, log, befallen(log, event), Taken(ENVIRONMENT, event, None, None, ()))


def _all_taken(worlds: Worlds, log: LogText, claims: Iterable[Said], taken: Taken) -> Followed | Refused:
    actions: tuple[str, ...] = ()
    for said in claims:
        log = with_room(log, said.epoch)
        found = _taken(worlds, log[said.epoch - 1], said, taken)
        if isinstance(found, Refused):
            return found
        text, more = found
        log, actions = (*log[: said.epoch - 1], text, *log[said.epoch :]), actions + more
    return Followed(log, actions)


def _taken(worlds: Worlds, text: EpochText, said: Said, taken: Taken) -> tuple[EpochText, tuple[str, ...]] | Refused:
    """Let the text of one epoch take the steps that are claimed of it; gives those that changed something."""
    if isinstance(said, Given) and not was_sent(text, said):
        return Refused(taken, said, text)
    actions = []
    for claim in meant(text, said):
        found = advance(worlds, text, claim, taken)
        if isinstance(found, Refused):
            return found
        if (found.state, found.readers) != (text.state, text.readers):
            actions.append(claim.action)
        text = found
    return text, tuple(actions)


def befallen(log: LogText, event: Event) -> Iterator[Claim]:
    """A new table of statuses says whose data is lost: until then a node without its disk is merely down."""
    match event:
        case {"kind": notes.STATUS, "nodes_b": lost}:
            for epoch, text in enumerate(log, 1):
                there = lost - {node for node, _ in text.state["status"]}
                yield from (Claim(epoch, "lose", (node,)) for node in sorted(there))
                for reader in (None, *(number for number, _ in text.readers)):
                    yield from learnt(text, epoch, reader, lost)
        case _:
            pass


def learnt(text: EpochText, epoch: int, reader: int | None, lost: Nodes) -> Iterator[Claim]:
    """What is news to a reader, or to all that will begin later."""
    news = lost - {node for node, _ in text.seen_by(reader)["known"]}
    yield from (Claim(epoch, "learn", (node, LOST), reader=reader) for node in sorted(news))


def given_out(taken: Taken) -> list[tuple[int, Nodes]]:
    """The epochs that the epoch store gives out in a step, each with its nodeset."""
    events = [effect.event for effect in taken.effects if isinstance(effect, Note)]
    return [(event["epoch"], event["nodes"]) for event in events if event["kind"] == notes.EPOCH]


# ------------------------------------------------------------------------------------ the text's own numbers


def meant(text: EpochText, said: Said) -> Iterator[Claim]:
    """The steps that a claim comes to where the text is; a node denies nothing before it has purged."""
    if isinstance(said, Claim):
        yield said
    if isinstance(said, Passed):
        yield from (Claim(said.epoch, "deny", (said.node, slot), reader=said.reader) for slot in denied(text, said))


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


def numbered(text: EpochText, claim: Claim) -> tuple[EpochText, Claim]:
    """The text in which all writers of a claim have shown up, and the claim in its numbers."""
    writers = [arg for arg in claim.args if isinstance(arg, By)]
    for by in (*writers, *(held.writer for held in claim.holdings)):
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


def advance(worlds: Worlds, text: EpochText, claim: Claim, taken: Taken) -> EpochText | Refused:
    """Let the text of one epoch take one step."""
    heard = claim.heard
    if heard is not None and not worlds.is_f_majority(heard, text.nodeset):
        return Refused(taken, claim, text, no_quorum=True)
    text, claim = numbered(text, claim)
    slots = max([len(text.payloads), *claim.of(Slot)]) + 2
    world = worlds.world(text.nodeset, len(text.writers) + 1, slots, heard)
    step = world.step(claim.action, *claim.numbers)
    before = text.seen_by(claim.reader)
    state = after(world, before, step)
    if state is None:
        return Refused(taken, claim, text, guards=failing(world, before, step))
    payloads = text.payloads if claim.payload is None else (*text.payloads, claim.payload)
    text = text._replace(payloads=payloads)
    difference = next(differences(text, claim, state), None)
    if difference is not None:
        return Refused(taken, claim, text, difference=difference)
    return text.with_seen(state, claim.reader)


def failing(world: World, state: State, step: Step) -> tuple[Term, ...]:
    """The guards of an action that do not hold."""
    values = dict(enumerate(step.args))
    return tuple(guard for guard in step.action.requires if not true(guard, world, state, values))


def differences(text: EpochText, claim: Claim, state: State) -> Iterator[Difference]:
    """Where the machine holds something else than what the text has proposed."""
    if not claim.holdings:
        return
    proposed = {(writer, slot): value for writer, slot, value in state["proposed"]}
    for by, slot, content in claim.holdings:
        writer = text.number_of(by)
        machine, there = content.value(slot, text.payloads), proposed.get((writer, slot))
        if machine != there:
            yield Difference(writer, slot, machine, there)
