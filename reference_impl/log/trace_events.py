"""Notes: the events of this machine, in the columns of the recording vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
ASK: Final = _kind(events.Ask)
ALLOW: Final = _kind(events.Allow)
SHIP: Final = _kind(events.Ship)
TRIM: Final = _kind(events.Trim)
TRIMMED: Final = _kind(events.Trimmed)
REBUILDING: Final = _kind(events.Rebuilding)
DONATED: Final = _kind(events.Donated)
REBUILT: Final = _kind(events.Rebuilt)
COPYSET: Final = _kind(events.CopysetChanged)
EMPTIED: Final = _kind(events.Emptied)
GREYLISTED: Final = _kind(events.Greylisted)
REINSTATED: Final = _kind(events.Reinstated)
DESCRIBED: Final = _kind(events.Described)
LEARNT: Final = _kind(events.Learnt)


def new_epoch(log: int, epoch: int, node: int, nodeset: Nodes, replication: Mapping[str, int]) -> Note:
    """The epoch store gave an epoch to a sequencer."""
    where = {"kind": EPOCH, "log": log, "epoch": epoch, "esn": 0, "node": node}
    return Note({**where, "nodes": nodeset, "replication": replication})


def described(log: int, epoch: int, node: int, metadata: Metadata, holders: Nodes) -> Note:
    """The metadata of an epoch can be read in the metadata log: these nodes hold them."""
    where = {"kind": DESCRIBED, "log": log, "epoch": epoch, "esn": 0, "node": node}
    what = {"nodes": metadata.shards, "replication": metadata.replication, "arg": metadata.since}
    return Note({**where, **what, "nodes_b": holders})


def learnt(log: int, stream: int, epoch: int, metadata: Metadata) -> Note:
    """A reader goes by these metadata in an epoch."""
    where = {"kind": LEARNT, "log": log, "epoch": epoch, "esn": 0, "actor": stream}
    return Note({**where, "nodes": metadata.shards, "replication": metadata.replication, "arg": metadata.since})


def by_client(kind: int, log: int, client: int, digest: int) -> Note:
    """A client asked for an append, was refused, or gave up."""
    return Note({"kind": kind, "log": log, "actor": client, "digest": digest})


def append(log: int, lsn: int, node: int, digest: int) -> Note:
    """A sequencer gave an LSN to a payload."""
    return Note(
        {"kind": APPEND, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn), "node": node, "digest": digest}
    )


def chosen(log: int, lsn: int, block: tuple[int, int], copyset: Nodes, avoided: Nodes) -> Note:
    """A sequencer chose where an append goes first; ``block``: its first ESN, and how many appends it has room for."""
    first, room = block
    where = {"kind": CHOSEN, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn)}
    return Note({**where, "nodes": copyset, "nodes_b": avoided, "arg": first, "arg_b": room})


def dismissed(log: int, lsn: int, wave: int, told: Nodes, kept: Nodes) -> Note:
    """A sequencer told some nodes to delete their copies of an append; others keep theirs."""
    where = {"kind": DISMISSED, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn)}
    return Note({**where, "arg": wave, "nodes": told, "nodes_b": kept})


def retired(log: int, lsn: int, wave: int, leaders: Nodes, held: tuple[Nodes, Nodes]) -> Note:
    """An append may be released; ``held``: who is to have it in the end, and who has stored this wave."""
    stay, stored = held
    where = {"kind": RETIRED, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn)}
    return Note({**where, "arg": wave, "nodes": leaders, "nodes_b": stay, "nodes_c": stored})


def streamed(log: int, lsn: int, client: int, place: int) -> Note:
    """A sequencer gave an LSN to an append of a client's stream."""
    where = {"kind": STREAMED, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn)}
    return Note({**where, "actor": client, "arg": place})


def draining(log: int, lsn: int, node: int) -> Note:
    """A sequencer gives out no LSNs of an epoch after this one, and lets the appends under way end."""
    return Note({"kind": DRAINING, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn), "node": node})


def ack(log: int, lsn: int, client: int, digest: int, copyset: Nodes, promised: tuple[int, int]) -> Note:
    """A client was told that its append is safe; ``promised``: how many copies, and the order of its invocation."""
    required, invoked = promised
    return Note(
        {
            "kind": ACK,
            "log": log,
            "epoch": epoch_of(lsn),
            "esn": esn_of(lsn),
            "actor": client,
            "digest": digest,
            "nodes": copyset,
            "arg": required,
            "version": invoked,
        }
    )


def store(log: int, lsn: int, node: int, copy: Copy) -> Note:
    """A node holds a copy."""
    return Note(
        {
            "kind": STORE,
            "log": log,
            "epoch": epoch_of(lsn),
            "esn": esn_of(lsn),
            "node": node,
            "digest": copy.digest,
            "arg": copy.wave,
            "arg_b": copy.becomes,
            "version": copy.recovery,
            "nodes": copy.copyset,
        }
    )


def seal(log: int, epoch: int, node: int) -> Note:
    """A node promised to take no more appends of this epoch and those before it."""
    return Note({"kind": SEAL, "log": log, "epoch": epoch, "esn": 0, "node": node})


def soft_seal(log: int, epoch: int, node: int) -> Note:
    """A node will store something of the next epoch, and takes no more appends of this one and those before it."""
    return Note({"kind": SOFT_SEAL, "log": log, "epoch": epoch, "esn": 0, "node": node})


def digest(log: int, lsn: int, node: int, copy: Copy, recovery: int) -> Note:
    """A node told a recovery what it holds at an LSN."""
    return Note(
        {
            "kind": DIGEST,
            "log": log,
            "epoch": epoch_of(lsn),
            "esn": esn_of(lsn),
            "node": node,
            "digest": copy.digest,
            "version": recovery,
        }
    )


def plan(log: int, epoch: int, made: tuple[int, int], told: tuple[Nodes, Nodes], version: int) -> Note:
    """A recovery decided: ``made`` by its epoch and round, ``told`` by whom and written to whom, in a status table."""
    recovery, number = made
    heard, written = told
    where = {"kind": PLAN, "log": log, "epoch": epoch, "esn": 0, "version": recovery, "arg": number}
    return Note({**where, "nodes": heard, "nodes_b": written, "arg_b": version})


def obey(log: int, epoch: int, node: int, recovery: int, number: int) -> Note:
    """A node holds what a recovery decided in some round."""
    where = {"kind": OBEY, "log": log, "epoch": epoch, "esn": 0, "node": node}
    return Note({**where, "version": recovery, "arg": number})


def settle(log: int, epoch: int, node: int, recovery: int) -> Note:
    """A node learnt what became of an epoch."""
    return Note({"kind": SETTLE, "log": log, "epoch": epoch, "esn": 0, "node": node, "version": recovery})


def purge(log: int, epoch: int, node: int, recovery: int) -> Note:
    """A node repaired its copies of an epoch."""
    return Note({"kind": PURGE, "log": log, "epoch": epoch, "esn": 0, "node": node, "version": recovery})


def kept(log: int, lsn: int, node: int, copy: Copy) -> Note:
    """A node that purged an epoch still holds a copy."""
    where = {"kind": KEPT, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn), "node": node}
    return Note({**where, "digest": copy.digest, "arg_b": copy.becomes, "version": copy.recovery})


def mutate(log: int, epoch: int, outcome: Outcome, recovery: int) -> Note:
    """What a recovery decided for an ESN is replicated, so no later recovery can decide otherwise."""
    return Note(
        {
            "kind": MUTATE,
            "log": log,
            "epoch": epoch,
            "esn": outcome.esn,
            "digest": outcome.digest,
            "arg_b": outcome.becomes,
            "version": recovery,
        }
    )


def clean(log: int, epoch: int, bridge: int, recovery: int) -> Note:
    """The epoch store keeps an epoch as the last clean one; ``bridge`` is the ESN of its bridge."""
    return Note({"kind": CLEAN, "log": log, "epoch": epoch, "esn": bridge, "version": recovery})


def release(log: int, lsn: int) -> Note:
    """Everything of the log up to this LSN may be read."""
    return Note({"kind": RELEASE, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn)})


def erase(log: int, lsn: int, node: int) -> Note:
    """A node no longer holds its copy."""
    return Note({"kind": ERASE, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn), "node": node})


def trim(log: int, lsn: int) -> Note:
    """A log's owner asked for everything up to an LSN to be deleted."""
    return Note({"kind": TRIM, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn)})


def trimmed(log: int, lsn: int, node: int) -> Note:
    """A node deletes everything up to an LSN."""
    return Note({"kind": TRIMMED, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn), "node": node})


def _step(kind: int, log: int, stream: int, lsn: int, upto: int) -> dict[str, Any]:
    return {
        "kind": kind,
        "log": log,
        "epoch": epoch_of(lsn),
        "esn": esn_of(lsn),
        "actor": stream,
        "upto_epoch": epoch_of(upto),
        "upto_esn": esn_of(upto),
    }


def read(log: int, stream: int, lsn: int) -> Note:
    """A reader began at an LSN."""
    return Note(_step(READ, log, stream, lsn, lsn - 1))


def deliver(log: int, stream: int, lsn: int, found: int) -> Note:
    """A reader was given the record at an LSN, with this digest."""
    event = _step(DELIVER, log, stream, lsn, lsn)
    event["digest"] = found
    return Note(event)


def gap(log: int, stream: int, between: tuple[int, int], reason: int, heard: tuple[Nodes, int]) -> Note:
    """A reader was told of a gap; ``heard``: who had answered for all of it, and the version of the status table."""
    event = _step(GAP, log, stream, *between)
    event["arg"], (event["nodes"], event["version"]) = reason, heard
    return Note(event)


def statuses(version: int, unavailable: Nodes, underreplicated: Nodes, empty: Nodes) -> Note:
    """One version of the status table."""
    return Note(
        {"kind": STATUS, "version": version, "nodes": unavailable, "nodes_b": underreplicated, "nodes_c": empty}
    )


def fault(node: int, what: int) -> Note:
    """Something befell a node."""
    return Note({"kind": FAULT, "node": node, "arg": what})


def ask(log: int, stream: int, node: int, between: tuple[int, int], filters: tuple[int, int, Nodes]) -> Note:
    """A reader asked a node to begin to send; ``filters``: their version, who is to send, who is passed over."""
    event = _step(ASK, log, stream, *between)
    event["node"], (event["version"], event["arg"], event["nodes"]) = node, filters
    return Note(event)


def allow(log: int, stream: int, node: int, between: tuple[int, int], capacity: int) -> Note:
    """A reader allowed a node to send further."""
    event = _step(ALLOW, log, stream, *between)
    event["node"], event["arg"] = node, capacity
    return Note(event)


def greylisted(
    reader: tuple[int, int], lsn: int, node: int, said: tuple[Nodes, Nodes, int], by: tuple[int, int]
) -> Note:
    """A reader lists a node as slow; ``said``: all that it lists, who is down, and how often it listed the node before.

    ``reader``: its log and number; ``by``: the version of its filters so far, and for how long it lists the node.
    """
    log, stream = reader
    event = _listing(GREYLISTED, log, stream, lsn, by)
    event["node"], (event["nodes"], event["nodes_b"], event["arg_b"]) = node, said
    return Note(event)


def reinstated(reader: tuple[int, int], lsn: int, node: int, said: tuple[Nodes, int], by: tuple[int, int]) -> Note:
    """A reader lists a node no longer; ``said``: all that it lists, and why; ``reader`` and ``by`` as before."""
    log, stream = reader
    event = _listing(REINSTATED, log, stream, lsn, by)
    event["node"], (event["nodes"], event["arg_b"]) = node, said
    return Note(event)


def _listing(kind: int, log: int, stream: int, lsn: int, by: tuple[int, int]) -> dict[str, Any]:
    where = {"kind": kind, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn), "actor": stream}
    filters, term_ns = by
    return {**where, "arg": filters, "version": term_ns}


def ship(log: int, stream: int, node: tuple[int, int, int], between: tuple[int, int], copy: Copy) -> Note:
    """A node sent a reader its copy of an LSN.

    ``node``: its number, how often it was started, and which request of the reader it obeys; ``between``: the LSN, and
    the last one that it may send.
    """
    event = _step(SHIP, log, stream, *between)
    event["node"], event["version"], event["arg"] = node
    event["digest"], event["arg_b"] = copy.digest, copy.becomes
    return Note(event)


def rebuilding(version: int, node: int, delta: tuple[int, int], donors: Nodes, relocating: Nodes) -> Note:
    """The event log says something of a node; ``delta``: what, and the version at which its rebuilding began."""
    what, began = delta
    said = {"kind": REBUILDING, "version": version, "node": node, "arg": what, "arg_b": began}
    return Note({**said, "nodes": donors, "nodes_b": relocating})


def donated(version: int, node: int, by: tuple[int, int], donors: Nodes, relocating: Nodes) -> Note:
    """A donor is done with a log; ``by``: the version at which the rebuilding began, and the donor."""
    began, donor = by
    said = {"kind": DONATED, "version": version, "node": node, "actor": donor, "arg_b": began}
    return Note({**said, "nodes": donors, "nodes_b": relocating})


def rebuilt(log: int, lsn: int, node: int, copy: Copy, by: tuple[int, int]) -> Note:
    """A node holds a copy from a donor; ``by``: the version at which its rebuilding began, and the donor."""
    began, donor = by
    where = {"kind": REBUILT, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn), "node": node}
    what = {"digest": copy.digest, "arg_b": copy.becomes, "nodes": copy.copyset}
    return Note({**where, **what, "version": began, "actor": donor})


def copyset_changed(log: int, lsn: int, node: int, copyset: Nodes, by: tuple[int, int]) -> Note:
    """What a node holds has a new copyset; ``by``: the version at which the rebuilding began, and the donor."""
    began, donor = by
    where = {"kind": COPYSET, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn), "node": node}
    return Note({**where, "nodes": copyset, "version": began, "actor": donor})


def emptied(log: int, lsn: int, node: int, version: int) -> Note:
    """Everything of a log up to an LSN lies on other nodes."""
    where = {"kind": EMPTIED, "log": log, "epoch": epoch_of(lsn), "esn": esn_of(lsn), "node": node}
    return Note({**where, "version": version})
