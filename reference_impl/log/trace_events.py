"""Notes: the events of this machine, by the names of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from reference_impl.kernel.noting import note
from reference_impl.kernel.step import Note
from reference_impl.log.copies import Copy, Nodes, Outcome
from reference_impl.log.lsn import epoch_of, esn_of
from reference_impl.log.stream.surroundings import Metadata
from spec import events
from spec.language.events import AnyEvent


def _kind(event: type[AnyEvent]) -> int:
    if event.kind is None:
        raise TypeError(f"{event.__name__} stands for the events below it; record one of them")
    return event.kind


EPOCH: Final = _kind(events.NewEpoch)
STATUS: Final = _kind(events.StatusTable)
INVOKE: Final = _kind(events.Invoke)
FAIL: Final = _kind(events.Refused)
INDEFINITE: Final = _kind(events.Indefinite)
APPEND: Final = _kind(events.Append)
STORE: Final = _kind(events.Store)
ACK: Final = _kind(events.Ack)
SEAL: Final = _kind(events.Seal)
DIGEST: Final = _kind(events.Digest)
MUTATE: Final = _kind(events.Mutate)
CLEAN: Final = _kind(events.Clean)
RELEASE: Final = _kind(events.Release)
ERASE: Final = _kind(events.Erase)
READ: Final = _kind(events.Read)
DELIVER: Final = _kind(events.Deliver)
GAP: Final = _kind(events.Gap)
FAULT: Final = _kind(events.Fault)
PLAN: Final = _kind(events.Planned)
OBEY: Final = _kind(events.MutationStored)
SETTLE: Final = _kind(events.CleanLearned)
SOFT_SEAL: Final = _kind(events.SoftSealed)
CHOSEN: Final = _kind(events.Chosen)
DISMISSED: Final = _kind(events.DeleteSent)
RETIRED: Final = _kind(events.AppenderDone)
STREAMED: Final = _kind(events.Streamed)
DRAINING: Final = _kind(events.Draining)
PURGE: Final = _kind(events.Purged)
KEPT: Final = _kind(events.PurgeSurvivor)
TRIM: Final = _kind(events.Trim)
TRIMMED: Final = _kind(events.Trimmed)
REBUILDING: Final = _kind(events.Rebuilding)
DONATED: Final = _kind(events.Donated)
REBUILT: Final = _kind(events.Rebuilt)
COPYSET: Final = _kind(events.CopysetChanged)
EMPTIED: Final = _kind(events.Emptied)
DESCRIBED: Final = _kind(events.Described)
LEARNT: Final = _kind(events.Learnt)


def _at(event: type[AnyEvent], log: int, lsn: int, **said: Any) -> Note:
    return note(event, log=log, epoch=epoch_of(lsn), esn=esn_of(lsn), **said)


def _of_epoch(event: type[AnyEvent], log: int, epoch: int, **said: Any) -> Note:
    return note(event, log=log, epoch=epoch, esn=0, **said)


def _to_reader(event: type[AnyEvent], log: int, stream: int, between: tuple[int, int], **said: Any) -> Note:
    lsn, upto = between
    return _at(event, log, lsn, reader=stream, upto_epoch=epoch_of(upto), upto_esn=esn_of(upto), **said)


def new_epoch(log: int, epoch: int, node: int, nodeset: Nodes, replication: Mapping[str, int]) -> Note:
    """The epoch store gave an epoch to a sequencer."""
    return _of_epoch(events.NewEpoch, log, epoch, sequencer=node, nodeset=nodeset, replication=replication)


def described(log: int, epoch: int, node: int, metadata: Metadata, holders: Nodes) -> Note:
    """The metadata of an epoch can be read in the metadata log: these nodes hold them."""
    return _of_epoch(events.Described, log, epoch, sequencer=node, holders=holders, **_said_of(metadata))


def learnt(log: int, stream: int, epoch: int, metadata: Metadata) -> Note:
    """A reader uses these metadata in an epoch."""
    return _of_epoch(events.Learnt, log, epoch, reader=stream, **_said_of(metadata))


def _said_of(metadata: Metadata) -> dict[str, Any]:
    return {"nodeset": metadata.shards, "replication": metadata.replication, "since": metadata.since}


def by_client(event: type[events.ClientEvent], log: int, client: int, digest: int) -> Note:
    """A client asked for an append, was refused, or gave up."""
    return note(event, log=log, writer=client, digest=digest)


def append(log: int, lsn: int, node: int, digest: int) -> Note:
    """A sequencer gave an LSN to a payload."""
    return _at(events.Append, log, lsn, sequencer=node, digest=digest)


def chosen(log: int, lsn: int, block: tuple[int, int], copyset: Nodes, avoided: Nodes) -> Note:
    """A sequencer chose where an append goes first; ``block``: its first ESN, and how many appends it has room for."""
    first, room = block
    return _at(events.Chosen, log, lsn, copyset=copyset, avoided=avoided, block=first, room=room)


def dismissed(log: int, lsn: int, wave: int, told: Nodes, kept: Nodes) -> Note:
    """A sequencer told some nodes to delete their copies of an append; others keep theirs."""
    return _at(events.DeleteSent, log, lsn, wave=wave, told=told, kept=kept)


def retired(log: int, lsn: int, wave: int, leaders: Nodes, held: tuple[Nodes, Nodes]) -> Note:
    """An append may be released; ``held``: who is to have it in the end, and who has stored this wave."""
    stay, stored = held
    return _at(events.AppenderDone, log, lsn, wave=wave, leaders=leaders, stay=stay, stored=stored)


def streamed(log: int, lsn: int, client: int, place: int) -> Note:
    """A sequencer gave an LSN to an append of a client's stream."""
    return _at(events.Streamed, log, lsn, writer=client, place=place)


def draining(log: int, lsn: int, node: int) -> Note:
    """A sequencer gives out no LSNs of an epoch after this one, and lets the appends under way end."""
    return _at(events.Draining, log, lsn, sequencer=node)


def ack(log: int, lsn: int, client: int, digest: int, copyset: Nodes, promised: tuple[int, int]) -> Note:
    """A client was told that its append is safe; ``promised``: how many copies, and the order of its invocation."""
    required, invoked = promised
    said = {"writer": client, "digest": digest, "copyset": copyset, "required": required, "invoked": invoked}
    return _at(events.Ack, log, lsn, **said)


def store(log: int, lsn: int, node: int, copy: Copy) -> Note:
    """A node holds a copy."""
    return _at(events.Store, log, lsn, node=node, wave=copy.wave, copyset=copy.copyset, **_written_by(copy))


def _contents(copy: Copy) -> dict[str, int]:
    return {"digest": copy.digest, "becomes": copy.becomes}


def _written_by(copy: Copy) -> dict[str, int]:
    return {**_contents(copy), "recovery": copy.recovery}


def seal(log: int, epoch: int, node: int) -> Note:
    """A node promised to take no more appends of this epoch and those before it."""
    return _of_epoch(events.Seal, log, epoch, node=node)


def soft_seal(log: int, epoch: int, node: int) -> Note:
    """A node will store something of the next epoch, and takes no more appends of this one and those before it."""
    return _of_epoch(events.SoftSealed, log, epoch, node=node)


def digest(log: int, lsn: int, node: int, copy: Copy, recovery: int) -> Note:
    """A node told a recovery what it holds at an LSN."""
    return _at(events.Digest, log, lsn, node=node, digest=copy.digest, recovery=recovery)


def plan(log: int, epoch: int, made: tuple[int, int], told: tuple[Nodes, Nodes], version: int) -> Note:
    """A recovery decided: ``made`` by its epoch and round, ``told`` by whom and written to whom, in a status table."""
    (recovery, number), (heard, written) = made, told
    said = {"recovery": recovery, "round": number, "heard": heard, "written": written, "statuses": version}
    return _of_epoch(events.Planned, log, epoch, **said)


def obey(log: int, epoch: int, node: int, recovery: int, number: int) -> Note:
    """A node holds what a recovery decided in some round."""
    return _of_epoch(events.MutationStored, log, epoch, node=node, recovery=recovery, round=number)


def settle(log: int, epoch: int, node: int, recovery: int) -> Note:
    """A node learnt what became of an epoch."""
    return _of_epoch(events.CleanLearned, log, epoch, node=node, recovery=recovery)


def purge(log: int, epoch: int, node: int, recovery: int) -> Note:
    """A node repaired its copies of an epoch."""
    return _of_epoch(events.Purged, log, epoch, node=node, recovery=recovery)


def kept(log: int, lsn: int, node: int, copy: Copy) -> Note:
    """A node that purged an epoch still holds a copy."""
    return _at(events.PurgeSurvivor, log, lsn, node=node, **_written_by(copy))


def mutate(log: int, epoch: int, outcome: Outcome, recovery: int) -> Note:
    """What a recovery decided for an ESN is replicated, so no later recovery can decide otherwise."""
    said = {"digest": outcome.digest, "becomes": outcome.becomes, "recovery": recovery}
    return note(events.Mutate, log=log, epoch=epoch, esn=outcome.esn, **said)


def clean(log: int, epoch: int, bridge: int, recovery: int) -> Note:
    """The epoch store keeps an epoch as the last clean one; ``bridge`` is the ESN of its bridge."""
    return note(events.Clean, log=log, epoch=epoch, esn=bridge, recovery=recovery)


def release(log: int, lsn: int) -> Note:
    """Everything of the log up to this LSN may be read."""
    return _at(events.Release, log, lsn)


def erase(log: int, lsn: int, node: int) -> Note:
    """A node no longer holds its copy."""
    return _at(events.Erase, log, lsn, node=node)


def trim(log: int, lsn: int) -> Note:
    """A log's owner asked for everything up to an LSN to be deleted."""
    return _at(events.Trim, log, lsn)


def trimmed(log: int, lsn: int, node: int) -> Note:
    """A node deletes everything up to an LSN."""
    return _at(events.Trimmed, log, lsn, node=node)


def read(log: int, stream: int, lsn: int) -> Note:
    """A reader began at an LSN."""
    return _to_reader(events.Read, log, stream, (lsn, lsn - 1))


def deliver(log: int, stream: int, lsn: int, found: int) -> Note:
    """A reader was given the record at an LSN, with this digest."""
    return _to_reader(events.Deliver, log, stream, (lsn, lsn), digest=found)


def gap(log: int, stream: int, between: tuple[int, int], reason: int, heard: tuple[Nodes, int]) -> Note:
    """A reader was told of a gap; ``heard``: who had answered for all of it, and the version of the status table."""
    responders, version = heard
    return _to_reader(events.Gap, log, stream, between, reason=reason, responders=responders, statuses=version)


def statuses(version: int, unavailable: Nodes, underreplicated: Nodes, empty: Nodes) -> Note:
    """One version of the status table."""
    said = {"unavailable": unavailable, "underreplicated": underreplicated, "empty": empty}
    return note(events.StatusTable, version=version, **said)


def fault(node: int, what: int) -> Note:
    """A fault at a node."""
    return note(events.Fault, node=node, what=what)


def ask(log: int, stream: int, node: int, between: tuple[int, int], filters: tuple[int, int, Nodes]) -> Note:
    """A reader asked a node to begin to send; ``filters``: their version, who is to send, who is passed over."""
    version, mode, passed_over = filters
    said = {"node": node, "filters": version, "mode": mode, "filtered_out": passed_over}
    return _to_reader(events.Ask, log, stream, between, **said)


def allow(log: int, stream: int, node: int, between: tuple[int, int], capacity: int) -> Note:
    """A reader allowed a node to send further."""
    return _to_reader(events.Allow, log, stream, between, node=node, capacity=capacity)


def greylisted(
    reader: tuple[int, int], lsn: int, node: int, said: tuple[Nodes, Nodes, int], by: tuple[int, int]
) -> Note:
    """A reader lists a node as slow; ``said``: all that it lists, who is down, and how often it listed the node before.

    ``reader``: its log and number; ``by``: the version of its filters so far, and for how long it lists the node.
    """
    (log, stream), (listed, down, times), (filters, term_ns) = reader, said, by
    what = {"listed": listed, "down": down, "times": times, "filters": filters, "term": term_ns}
    return _at(events.Greylisted, log, lsn, reader=stream, node=node, **what)


def reinstated(reader: tuple[int, int], lsn: int, node: int, said: tuple[Nodes, int], by: tuple[int, int]) -> Note:
    """A reader lists a node no longer; ``said``: all that it lists, and why; ``reader`` and ``by`` as before."""
    (log, stream), (listed, why), (filters, term_ns) = reader, said, by
    what = {"listed": listed, "why": why, "filters": filters, "term": term_ns}
    return _at(events.Reinstated, log, lsn, reader=stream, node=node, **what)


def ship(log: int, stream: int, node: tuple[int, int, int], between: tuple[int, int], copy: Copy) -> Note:
    """A node sent a reader its copy of an LSN.

    ``node``: its number, how often it was started, and which request of the reader it obeys; ``between``: the LSN, and
    the last one that it may send.
    """
    number, life, order = node
    return _to_reader(events.Ship, log, stream, between, node=number, life=life, order=order, **_contents(copy))


def rebuilding(version: int, node: int, delta: tuple[int, int], donors: Nodes, relocating: Nodes) -> Note:
    """The event log says something of a node; ``delta``: what, and the version at which its rebuilding began."""
    what, began = delta
    said = {"delta": what, "began": began, "donors": donors, "relocating": relocating}
    return note(events.Rebuilding, version=version, node=node, **said)


def donated(version: int, node: int, by: tuple[int, int], donors: Nodes, relocating: Nodes) -> Note:
    """A donor is done with a log; ``by``: the version at which the rebuilding began, and the donor."""
    began, donor = by
    said = {"donor": donor, "began": began, "donors": donors, "relocating": relocating}
    return note(events.Donated, version=version, node=node, **said)


def rebuilt(log: int, lsn: int, node: int, copy: Copy, by: tuple[int, int]) -> Note:
    """A node holds a copy from a donor; ``by``: the version at which its rebuilding began, and the donor."""
    began, donor = by
    said = {"copyset": copy.copyset, "began": began, "donor": donor}
    return _at(events.Rebuilt, log, lsn, node=node, **_contents(copy), **said)


def copyset_changed(log: int, lsn: int, node: int, copyset: Nodes, by: tuple[int, int]) -> Note:
    """What a node holds has a new copyset; ``by``: the version at which the rebuilding began, and the donor."""
    began, donor = by
    return _at(events.CopysetChanged, log, lsn, node=node, copyset=copyset, began=began, donor=donor)


def emptied(log: int, lsn: int, node: int, version: int) -> Note:
    """Everything of a log up to an LSN lies on other nodes."""
    return _at(events.Emptied, log, lsn, node=node, version=version)
