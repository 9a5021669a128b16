"""Claims: what a step of the machine comes to in the words of the text ``Epoch``.

The sequencer of an epoch is its first writer; every round of every recovery of it is a writer of its own. Slots are
ESNs counted from 0. What is no claim changes nothing that the text speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from reference_impl.kernel.simulator import Transition
from reference_impl.kernel.step import Effect, Note, Send
from reference_impl.log import trace_events
from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.disk import CopiesLost
from reference_impl.log.epoch_store import EpochStore
from reference_impl.log.lsn import ESN_MAX, epoch_of, esn_of, lsn_of
from reference_impl.log.messages import Acked
from reference_impl.log.node_log import NodeLog
from reference_impl.log.rebuilding.messages import Hold, Lend
from reference_impl.log.recovery import Phase
from reference_impl.log.recovery import Recovery as RecoveryState
from reference_impl.log.storage_messages import Delete, Mutation, ReadDigest, Store
from reference_impl.refinement.contents import LAST_ROUND, PAYLOAD, SEQUENCER, By, Content
from reference_impl.refinement.reading import Out, given, sent
from spec.events import BRIDGE, DATALOSS, RECORD
from spec.language.protocol.sorts import Sort
from spec.protocols.epoch import Epoch

PLANNED: Final = (Phase.MUTATING, Phase.CLEANING)
"""What follows a plan; where all is replicated already, nothing is stored."""

Arg: TypeAlias = int | By | Content


class Holding(NamedTuple):
    """What the machine holds for a writer's proposal; the digest is None where it must be what the sequencer took.

    Attributes:
        writer: None: by whom the slot was settled, whoever that is.
    """

    writer: By | None
    slot: int
    content: Content


class ClaimedStep(NamedTuple):
    """One step of the text, as the machine's step claims it.

    Attributes:
        epoch: the epoch whose text takes the step.
        action: the text's action.
        args: its arguments; a set of nodes is element 0 of a family that has no other.
        payload: the digest of what the sequencer takes for its next slot.
        heard: the nodes whose digests a recovery has.
        holdings: what must be proposed after the step.
        reader: whose step it is; None: that of the whole cluster.
    """

    epoch: int
    action: str
    args: tuple[Arg, ...]
    payload: int | None = None
    heard: Nodes | None = None
    holdings: tuple[Holding, ...] = ()
    reader: int | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Its arguments that are numbers of the text; all of them, once the text has seen it."""
        return tuple(arg for arg in self.args if isinstance(arg, int))

    def of(self, sort: type[Sort]) -> list[int]:
        """Its numbers of one sort."""
        pairs = zip(Epoch.clauses[self.action].sorts, self.args, strict=True)
        return [arg for kind, arg in pairs if kind is sort and isinstance(arg, int)]


class Passed(NamedTuple):
    """A node tells a reader all that it has of some slots: of what is released it denies the rest."""

    epoch: int
    reader: int
    node: int
    slots: range
    had: frozenset[int]


class Missed(NamedTuple):
    """A reader reports a slot as lost, by whichever rule lets it."""

    epoch: int
    reader: int
    slot: int


class Given(NamedTuple):
    """A reader gives what it was sent; that is no step of the text, but must have been one."""

    epoch: int
    slot: int
    content: Content


class Counted(NamedTuple):
    """A recovery counts copies that nodes told it of, and has nobody store them again.

    The text has it store them: what others have stored does not count there.
    """

    epoch: int
    by: By
    nodes: tuple[tuple[int, Nodes], ...]


class Trimmed(NamedTuple):
    """A node trims all slots of an epoch below one; the text keeps copies for ever, unless all of them vanish."""

    epoch: int
    node: int
    below: int


AbstractStep: TypeAlias = ClaimedStep | Passed | Missed | Given | Counted | Trimmed


def claims_of(taken: Transition) -> Iterator[AbstractStep]:
    """The steps of the text that a step of the machine claims to be, in order; none for a stutter."""
    match taken.to[0]:
        case "sequencer":
            yield from _by_sequencer(taken.effects)
        case "storage":
            yield from _by_node(taken.message, taken.before, taken.after)
            yield from _to_readers(taken.before, taken.after, taken.effects)
        case "recovery":
            yield from _by_recovery(taken.before, taken.after)
        case "epochs":
            yield from _by_epoch_store(taken.before, taken.after)
        case "reader":
            yield from _by_reader(taken.to[2], taken.effects)


def _by_sequencer(effects: tuple[Effect, ...]) -> Iterator[ClaimedStep]:
    """An append that is given an LSN is assigned; whatever a client is told is safe is acknowledged."""
    streamed = set(_streamed(effects))
    for effect in effects:
        match effect:
            case Note({"kind": trace_events.APPEND, "epoch": epoch, "esn": esn, "digest": digest}):
                action = "assign_in_stream" if (epoch, esn) in streamed else "assign"
                yield ClaimedStep(epoch, action, (esn - 1, PAYLOAD), payload=digest)
            case Send(_, Acked() as told):
                yield ClaimedStep(epoch_of(told.lsn), "acknowledge", (esn_of(told.lsn) - 1,))
            case _:
                pass


def _streamed(effects: tuple[Effect, ...]) -> Iterator[tuple[int, int]]:
    """The epochs and ESNs of appends that go into streams."""
    for effect in effects:
        match effect:
            case Note({"kind": trace_events.STREAMED, "epoch": epoch, "esn": esn}):
                yield epoch, esn
            case _:
                pass


def _by_node(message: Any, before: NodeLog, after: NodeLog) -> Iterator[ClaimedStep | Trimmed]:
    """A new copy is stored for its writer; a seal holds in every epoch up to its own; clean epochs are purged.

    In an epoch that the node has purged a seal forbids nothing more. Whoever reads a digest has sealed for his round.
    What a donor brings is rebuilt; copies that are gone without a word vanished. What nobody needs is dropped, where
    copysets have extras; then it matters, too, that a donor counts on what it is lent.
    """
    if isinstance(message, Hold):
        yield from _rebuilt(message, before, after)
    if isinstance(message, Lend) and after.lent:
        lent = (lsn for lsn, copy in after.copies.between(0, message.until) if not copy.damaged and not copy.recovery)
        yield from (ClaimedStep(epoch_of(lsn), "rebuild", (esn_of(lsn) - 1, after.node, after.node)) for lsn in lent)
    if isinstance(message, Delete) and after.copies.get(message.lsn) is None:
        yield ClaimedStep(epoch_of(message.lsn), "drop", (after.node, esn_of(message.lsn) - 1, 0))
    if isinstance(message, CopiesLost):
        yield from (ClaimedStep(epoch_of(lsn), "vanish", (esn_of(lsn) - 1,)) for lsn in message.lsns)
    round_ = message.round if isinstance(message, Mutation) else 0
    for lsn in _concerned(message):
        copy = after.copies.get(lsn)
        if copy is not None and copy != before.copies.get(lsn):
            yield _stored(after.node, lsn, copy, By(copy.recovery, round_) if copy.recovery else SEQUENCER)
    if after.seal > before.seal:
        epochs = range(after.clean + 1, after.seal + 1)
        yield from (ClaimedStep(epoch, "seal", (after.node, By(after.seal + 1, 1))) for epoch in epochs)
    if isinstance(message, ReadDigest) and after.seal < message.recovery:
        yield ClaimedStep(message.epoch, "seal", (after.node, By(message.recovery, message.round)))
    yield from (ClaimedStep(epoch, "purge", (after.node,)) for epoch in range(before.clean + 1, after.clean + 1))
    if after.trimmed > before.trimmed:
        last = epoch_of(after.trimmed)
        below = dict.fromkeys(range(1, last), ESN_MAX) | {last: esn_of(after.trimmed)}
        yield from (Trimmed(epoch, after.node, slot) for epoch, slot in below.items() if epoch and slot)


def _concerned(message: Any) -> Iterator[int]:
    """The LSNs at which a message asks a node for a copy."""
    match message:
        case Store(lsn=lsn):
            yield lsn
        case Mutation(epoch=epoch, outcomes=outcomes):
            yield from (lsn_of(epoch, outcome.esn) for outcome in outcomes)
        case _:
            pass


def _stored(node: int, lsn: int, copy: Copy, by: By) -> ClaimedStep:
    slot = esn_of(lsn) - 1
    holding = Holding(by, slot, Content(copy.becomes, copy.digest))
    return ClaimedStep(epoch_of(lsn), "store", (node, by, slot), holdings=(holding,))


def _rebuilt(message: Hold, before: NodeLog, after: NodeLog) -> Iterator[ClaimedStep]:
    for lsn, _ in message.copies:
        copy, slot = after.copies.get(lsn), esn_of(lsn) - 1
        if copy is not None and copy != before.copies.get(lsn):
            holding = Holding(None, slot, Content(copy.becomes, copy.digest))
            yield ClaimedStep(epoch_of(lsn), "rebuild", (slot, message.donor, after.node), holdings=(holding,))
        elif copy is not None and after.lent:
            yield ClaimedStep(epoch_of(lsn), "rebuild", (slot, after.node, after.node))


def _to_readers(before: NodeLog, after: NodeLog, effects: tuple[Effect, ...]) -> Iterator[AbstractStep]:
    """What a node sends to a reader is delivered by the text; of what the node says that it has not, some is denied."""
    for epoch, reader, slots, copies in sent(before.serving, after.serving, effects):
        for slot, copy in copies.items():
            content = Content(copy.becomes, copy.digest)
            yield ClaimedStep(epoch, "deliver", (after.node, SEQUENCER, slot, content), reader=reader)
        yield Passed(epoch, reader, after.node, slots, frozenset(copies))


def _by_recovery(before: RecoveryState, after: RecoveryState) -> Iterator[ClaimedStep | Counted]:
    """A recovery that begins to store has planned; up to its last known good ESN it trusts the sequencer's records."""
    if before.phase is not Phase.DIGESTING or after.phase not in PLANNED:
        return
    (epoch, *_), heard = after.pending, frozenset(after.digests)
    by, end = By(after.epoch, after.round), after.outcomes[-1].esn - 1
    good = [Holding(by, slot, Content(RECORD)) for slot in range(after.known_good)]
    decided = [Holding(by, esn - 1, Content(becomes, digest)) for esn, becomes, digest, _ in after.outcomes]
    yield ClaimedStep(epoch, "plan", (by, 0, end), heard=heard, holdings=(*good, *decided))
    if counted := tuple(_counted(after)):
        yield Counted(epoch, by, counted)


def _counted(after: RecoveryState) -> Iterator[tuple[int, Nodes]]:
    """The slots that are replicated as they should be, and by whom."""
    if after.plan is not None:
        needed = {mutation.esn for mutation in after.plan.mutations}
        kept = (mutation for mutation in after.plan.decided if mutation.esn not in needed)
        yield from ((mutation.esn - 1, mutation.required) for mutation in kept)


def _by_epoch_store(before: EpochStore, after: EpochStore) -> Iterator[ClaimedStep]:
    """An epoch that the epoch store keeps as clean is declared so by its recovery."""
    for epoch in after.cleaned.keys() - before.cleaned.keys():
        yield ClaimedStep(epoch, "declare_clean", (By(after.cleaned[epoch].recovery, LAST_ROUND),))


def _by_reader(reader: int, effects: tuple[Effect, ...]) -> Iterator[AbstractStep]:
    """What a reader gives, it was sent; what it reports as lost, it reports in the text. A bridge ends its epoch."""
    for found in given(effects):
        epoch, slot = epoch_of(found.first), esn_of(found.first) - 1
        over = epoch_of(found.upto) > epoch or (found.becomes == BRIDGE and ends_its_epoch(found))
        for one in range(slot, slot + 1 if over else esn_of(found.upto)):
            if found.becomes == DATALOSS or (found.becomes == BRIDGE and not ends_its_epoch(found)):
                yield Missed(epoch, reader, one)
            else:
                yield Given(epoch, one, Content(found.becomes, found.digest))


def ends_its_epoch(found: Out) -> bool:
    """A bridge that ends before its epoch does is a loss where the reader began: ClientReadStream, determineGapType."""
    return epoch_of(found.upto) > epoch_of(found.first) or esn_of(found.upto) == ESN_MAX
