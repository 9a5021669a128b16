"""Claims: what a step of the machine comes to in the words of the text ``Recovery``.

The sequencer of an epoch is its first writer. The sequencer of a later epoch recovers it as the writer whose number is
the distance of the two epochs. Slots are ESNs counted from 0. What is no claim changes nothing that the text speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from reference_impl.kernel.simulator import Taken
from reference_impl.kernel.step import Effect, Note, Send
from reference_impl.log import notes
from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.lsn import epoch_of, esn_of, lsn_of
from reference_impl.log.messages import Acked
from reference_impl.log.recovery import Phase
from reference_impl.log.recovery import Recovery as RecoveryState
from reference_impl.log.storage import NodeLog
from reference_impl.log.storage_messages import Mutation, Store
from spec.events import RECORD
from spec.language.protocol.sorts import Sort
from spec.protocols.recovery import Recovery
from spec.protocols.sorts import Value

PAYLOAD: Final = len(Value.constants)
"""The element of the sort ``Value`` that stands for what the sequencer took for a slot."""

OTHER_PAYLOAD: Final = PAYLOAD + 1
"""The element that stands for every other payload."""


class Holding(NamedTuple):
    """What the machine holds for a writer's proposal; the digest is None where it must be what the sequencer took."""

    writer: int
    slot: int
    becomes: int
    digest: int | None


class Claim(NamedTuple):
    """One step of the text, as the machine's step claims it.

    Attributes:
        epoch: the epoch whose text takes the step.
        action: the text's action.
        args: its arguments; a set of nodes is element 0 of a family that has no other.
        payload: the digest of what the sequencer takes for its next slot.
        heard: the nodes whose digests a recovery has.
        holdings: what must be proposed after the step.
    """

    epoch: int
    action: str
    args: tuple[int, ...]
    payload: int | None = None
    heard: Nodes | None = None
    holdings: tuple[Holding, ...] = ()

    def of(self, sort: type[Sort]) -> list[int]:
        """Its arguments of one sort."""
        pairs = zip(Recovery.clauses[self.action].sorts, self.args, strict=True)
        return [arg for kind, arg in pairs if kind is sort]


def claims_of(taken: Taken) -> Iterator[Claim]:
    """The steps of the text that a step of the machine claims to be, in order; none for a stutter."""
    match taken.to[0]:
        case "sequencer":
            yield from _by_sequencer(taken.effects)
        case "storage":
            yield from _by_node(taken.message, taken.before, taken.after)
        case "recovery":
            yield from _by_recovery(taken.before, taken.after)


def _by_sequencer(effects: tuple[Effect, ...]) -> Iterator[Claim]:
    """An append that is given an LSN is assigned; whatever a client is told is safe is acknowledged."""
    for effect in effects:
        match effect:
            case Note({"kind": notes.APPEND, "epoch": epoch, "esn": esn, "digest": digest}):
                yield Claim(epoch, "assign", (esn - 1, PAYLOAD), payload=digest)
            case Send(_, Acked() as told):
                yield Claim(epoch_of(told.lsn), "acknowledge", (esn_of(told.lsn) - 1,))
            case _:
                pass


def _by_node(message: Any, before: NodeLog, after: NodeLog) -> Iterator[Claim]:
    """A copy that is new is stored for its writer; a seal holds in every epoch up to its own."""
    for lsn in _concerned(message):
        copy = after.copies.get(lsn)
        if copy is not None and copy != before.copies.get(lsn):
            yield _stored(after.node, epoch_of(lsn), esn_of(lsn) - 1, copy)
    if after.seal > before.seal:
        yield from (Claim(epoch, "seal", (after.node, after.seal + 1 - epoch)) for epoch in range(1, after.seal + 1))


def _concerned(message: Any) -> Iterator[int]:
    """The LSNs at which a message asks a node for a copy."""
    match message:
        case Store(lsn=lsn):
            yield lsn
        case Mutation(epoch=epoch, outcomes=outcomes):
            yield from (lsn_of(epoch, outcome.esn) for outcome in outcomes)
        case _:
            pass


def _stored(node: int, epoch: int, slot: int, copy: Copy) -> Claim:
    writer = copy.recovery - epoch if copy.recovery else 0
    return Claim(epoch, "store", (node, writer, slot), holdings=(Holding(writer, slot, copy.becomes, copy.digest),))


def _by_recovery(before: RecoveryState, after: RecoveryState) -> Iterator[Claim]:
    """A recovery that begins to store has planned; up to its last known good ESN it trusts the sequencer's records."""
    if before.phase is not Phase.DIGESTING or after.phase not in (Phase.MUTATING, Phase.CLEANING):
        return
    (epoch, *_), heard = after.pending, frozenset(after.digests)
    writer, end = after.epoch - epoch, after.outcomes[-1].esn - 1
    good = [Holding(writer, slot, RECORD, None) for slot in range(after.known_good)]
    decided = [Holding(writer, esn - 1, becomes, digest) for esn, becomes, digest in after.outcomes]
    yield Claim(epoch, "plan", (writer, 0, end), heard=heard, holdings=(*good, *decided))
