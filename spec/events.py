"""The recording vocabulary: one class for each kind of event that any replicated log may record.

Every implementation emits what it has. Clients see appends, acknowledgements, deliveries and gaps; nodes see stores,
seals and erasures; whoever steers sees epochs, statuses, recoveries and releases. Rules say what they need, so a poor
trace gives fewer verdicts, never wrong ones. Source of the vocabulary: LogDevice, Read path and Recovery.
"""

from __future__ import annotations

from typing import Final

from spec.language.events import AnyEvent, factors, nodes, number

RECORD: Final = 0
"""An ordinary record, as what a recovery decides for an LSN."""
HOLE: Final = 1
"""A hole plug: nothing was acknowledged at this LSN."""
BRIDGE: Final = 2
"""A bridge: the epoch ends here. Also the kind of gap that a bridge makes."""
DATALOSS: Final = 3
"""A gap over records that are lost, as far as the reader can tell."""
TRIM: Final = 4
"""A gap over records that were trimmed."""
ACCESS: Final = 5
"""A gap because the reader may not read further."""
NOT_IN_CONFIG: Final = 6
"""A gap because the log does not exist any more."""
FILTERED_OUT: Final = 7
"""A gap over records that the reader asked not to be given."""
SKIPPED: Final = 8
"""The reader went on without a word: systems that report no gaps only show that an LSN was passed over."""

GAP_KINDS: Final = {
    "hole": HOLE,
    "bridge": BRIDGE,
    "dataloss": DATALOSS,
    "trim": TRIM,
    "access": ACCESS,
    "not_in_config": NOT_IN_CONFIG,
    "filtered_out": FILTERED_OUT,
    "skipped": SKIPPED,
}
"""Kinds of gap, as LogDevice's client reports them (include/Record.h), and SKIPPED for systems that report none."""

EVERYONE: Final = 0
"""All nodes that have a record send it to a reader."""
ONE: Final = 1
"""One of the nodes that have a record sends it."""
ONE_NEAR: Final = 2
"""One of them does that is near the reader, if there is one."""

CRASH: Final = 1
RESTART: Final = 2
PAUSE: Final = 3
RESUME: Final = 4
WIPE: Final = 5
PARTITION: Final = 6
HEAL: Final = 7
SLOW: Final = 8
STEADY: Final = 9
BAD_CHECKSUM: Final = 10
GOOD_CHECKSUM: Final = 11
READ_ONLY: Final = 12
WRITABLE: Final = 13
DRAIN: Final = 14
_FAULTS: Final = (
    "crash restart pause resume wipe partition heal slow steady "  # as numbered above
    "bad_checksum good_checksum read_only writable drain"
)
FAULTS: Final = {name: number for number, name in enumerate(_FAULTS.split(), CRASH)}
"""What can befall a node."""

RESTORES: Final = 1
RELOCATES: Final = 2
IS_LOST: Final = 3
ACKNOWLEDGED: Final = 4
ABORTED: Final = 5
_DELTAS: Final = "restores relocates is_lost acknowledged aborted"
DELTAS: Final = {name: number for number, name in enumerate(_DELTAS.split(), RESTORES)}
"""What the event log may say of a node that is rebuilt: its data is to be restored elsewhere, or moved; it is lost for
good; the node serves again; the node keeps what it has."""


class Event(AnyEvent):
    """Anything recorded, in its recorder's own order and at its recorder's clock."""

    seq = number("seq", "the recorder's own order")
    time = number("time_ns", "the recorder's clock, in nanoseconds", optional=True)


class InLog(Event):
    """Anything about one log."""

    log = number("log", "the log's number in the header's list of logs")


class Named(InLog):
    """Anything that names a payload by its hash."""

    digest = number("digest", "hash of the payload, 64 bits with sign", optional=True)


class Seen(Named):
    """Anything that names a payload and that a client sees or says."""


class Positioned(InLog):
    """Anything about one LSN or one epoch of a log."""

    epoch = number("epoch", "the epoch of the LSN")
    esn = number("esn", "the sequence number within the epoch; 0 is the epoch itself")
    lsn = number("lsn", "epoch and ESN in one number", computed=True)


class AtNode(Positioned):
    """Anything that one storage node did or said about an LSN or an epoch."""

    node = number("node", "the storage node")


class NewEpoch(Positioned, kind=1, word="epoch"):
    """A sequencer was activated in a new epoch, with the metadata that the epoch store gave it."""

    sequencer = number("node", "the sequencer's node", optional=True)
    nodeset = nodes("nodes", "the nodes on which the epoch's records may lie", optional=True)
    replication = factors("replication", "copies required across each location scope", optional=True)


class StatusTable(Event, kind=2, word="status"):
    """The authoritative statuses of all nodes, as of one version of the event log."""

    version = number("version", "the version, increasing")
    unavailable = nodes("nodes", "nodes that are down", optional=True)
    underreplicated = nodes("nodes_b", "nodes whose data is lost and not yet copied", optional=True)
    empty = nodes("nodes_c", "nodes whose data was copied elsewhere", optional=True)


class ClientEvent(Seen):
    """Something that a client says about one payload of its own."""

    writer = number("actor", "the client")


class Invoke(ClientEvent, kind=3, word="invoke"):
    """A client asked for an append; no LSN is known yet."""


class Refused(ClientEvent, kind=4, word="fail"):
    """A client was told that its append did not happen."""


class Indefinite(ClientEvent, kind=5, word="indefinite"):
    """A client gave up waiting: its append may or may not have happened."""


class Written(Positioned, Named):
    """Anything on the write side that names the payload of an LSN."""


class Append(Written, kind=6, word="append"):
    """A sequencer gave an LSN to a payload."""

    sequencer = number("node", "the sequencer's node", optional=True)


class Store(Written, AtNode, kind=7, word="store"):
    """A node holds a copy of the record of an LSN, or of a hole plug or bridge."""

    wave = number("arg", "which attempt of the writer, from 1", optional=True)
    becomes = number("arg_b", "RECORD, HOLE or BRIDGE")
    recovery = number("version", "the epoch of the recovery that wrote it, 0 for the sequencer", optional=True)
    copyset = nodes("nodes", "the nodes that the writer chose", optional=True)


class Ack(Written, Seen, kind=8, word="ack"):
    """A writer was told that its record is safe."""

    writer = number("actor", "the client")
    copyset = nodes("nodes", "the nodes that the acknowledgement counts on", optional=True)
    required = number("arg", "how many copies it promises", optional=True)
    invoked = number("version", "the client's own order of the append's invocation", optional=True)


class Seal(AtNode, kind=9, word="seal"):
    """A node promised to take no more appends of this epoch and those before it."""


class Digest(Written, AtNode, kind=10, word="digest"):
    """A node told a recovery which record it holds at an LSN."""

    recovery = number("version", "the epoch of the recovery that asked", optional=True)


class Mutate(Written, kind=11, word="mutate"):
    """A recovery decided what an LSN is to be."""

    becomes = number("arg_b", "RECORD, HOLE or BRIDGE")
    recovery = number("version", "the epoch of the recovery", optional=True)


class Clean(Positioned, kind=12, word="clean"):
    """A recovery finished an epoch: it is the last clean epoch of its log. The LSN is that of the bridge."""

    recovery = number("version", "the epoch of the recovery", optional=True)


class Release(Positioned, kind=13, word="release"):
    """Everything of the log up to this LSN may be read."""


class Erase(AtNode, kind=14, word="erase"):
    """A node no longer holds its copy of an LSN: wiped, cut off, or truncated."""


class ByReader(Positioned):
    """Anything that one reader of a log was given or said."""

    reader = number("actor", "the read stream")


class Turn(ByReader):
    """Anything that shows who is to send to a reader, or what the reader concludes from what was sent."""


class Outcome(ByReader):
    """A step of a reader through a log: it now has an answer for every LSN from its start to ``upto``."""

    upto_epoch = number("upto_epoch", "the epoch of the last LSN that is answered for")
    upto_esn = number("upto_esn", "its sequence number")
    upto = number("upto", "both in one number", computed=True)


class Read(Outcome, kind=15, word="read"):
    """A reader began to read a log at this LSN; ``upto`` is the position just before it."""


class Given(Outcome):
    """What a reader is given for the LSNs from ``lsn`` to ``upto``."""


class Deliver(Given, Seen, kind=16, word="deliver"):
    """A reader was given the record of an LSN; ``upto`` is that LSN."""


class Gap(Given, Turn, kind=17, word="gap"):
    """A reader was told that there is nothing for it to read from one LSN to another."""

    reason = number("arg", "the kind of gap")
    responders = nodes("nodes", "the nodes that had answered for the whole gap", optional=True)
    statuses = number("version", "the version of the status table that the reader used", optional=True)


class Fault(Event, kind=18, word="fault"):
    """Something befell a node. Context for explanations; no rule depends on it."""

    node = number("node", "the node")
    what = number("arg", "which fault")


class Planned(Positioned, kind=20, word="plan"):
    """A recovery has heard enough of an epoch and decided what becomes of it; the LSN is the epoch's first, 0."""

    recovery = number("version", "the epoch of the recovery", optional=True)
    round = number("arg", "how often it has decided, under one seal", optional=True)
    heard = nodes("nodes", "the nodes that told what they hold")
    written = nodes("nodes_b", "those of them to which the outcome is written", optional=True)
    statuses = number("arg_b", "the version of the status table that the recovery used", optional=True)


class Obeyed(AtNode, kind=21, word="obey"):
    """A node holds what a recovery decided for some LSNs of an epoch; the LSN is the epoch's first, 0."""

    recovery = number("version", "the epoch of the recovery", optional=True)
    round = number("arg", "how often it had decided", optional=True)


class Settled(AtNode, kind=22, word="settle"):
    """A node learnt what became of an epoch; the LSN is the epoch's first, 0."""

    recovery = number("version", "the epoch of the recovery that finished it", optional=True)


class SoftSealed(AtNode, kind=23, word="soft_seal"):
    """A node takes no more appends of this epoch and those before it, for it is about to store some of the next."""


class Chosen(Positioned, kind=24, word="chosen"):
    """A sequencer chose where an append goes first."""

    copyset = nodes("nodes", "the nodes that it chose")
    avoided = nodes("nodes_b", "the nodes that it avoids: they failed to store, or their data is gone")
    block = number("arg", "the ESN of the first append of the block, all of which go to one copyset")
    room = number("arg_b", "how many appends a block has at most")


class Purged(AtNode, kind=25, word="purge"):
    """A node repaired its copies of an epoch, so that it may be read there; the LSN is the epoch's first, 0."""

    recovery = number("version", "the epoch of the recovery by whose outcome it did; 0 if it knew of none")


class Kept(Written, AtNode, kind=26, word="kept"):
    """A node that purged an epoch still holds this, after the last ESN that was known to be good."""

    becomes = number("arg_b", "RECORD, HOLE or BRIDGE")
    recovery = number("version", "the epoch of the recovery that wrote it, 0 for the sequencer")


class Demand(ByReader):
    """A reader said to a node what it wants: everything from this LSN on, for now up to ``upto``."""

    node = number("node", "the storage node")
    upto_epoch = number("upto_epoch", "the epoch of the window's last LSN")
    upto_esn = number("upto_esn", "its sequence number")
    upto = number("upto", "both in one number", computed=True)


class Ask(Demand, Turn, kind=30, word="ask"):
    """A reader asked a node to begin to send, by filters of this version."""

    filters = number("version", "the version of the filters, counted by the reader")
    mode = number("arg", "EVERYONE, ONE or ONE_NEAR: who is to send a record")
    filtered_out = nodes("nodes", "the nodes whose records others are to send")


class Allow(Demand, kind=31, word="allow"):
    """A reader allowed a node to send further: its window slid."""

    capacity = number("arg", "how many LSNs the reader has room for")


class Served(AtNode):
    """Anything that one storage node did or said about an LSN which readers may still be sent, or not any more."""


class Ship(Written, Served, kind=32, word="ship"):
    """A node sent a reader its copy of a record, or of a hole plug or bridge."""

    reader = number("actor", "the read stream")
    life = number("version", "how often the node was started")
    order = number("arg", "the number of the reader's request that the node obeys")
    becomes = number("arg_b", "RECORD, HOLE or BRIDGE")
    upto_epoch = number("upto_epoch", "the epoch of the last LSN that the node may send")
    upto_esn = number("upto_esn", "its sequence number")
    upto = number("upto", "both in one number", computed=True)


class Trim(Positioned, kind=33, word="trim"):
    """Whoever owns a log asked that everything up to this LSN be deleted."""


class Trimmed(Served, kind=34, word="trimmed"):
    """A node deletes everything of a log up to this LSN: its trim point."""


class InEventLog(Event):
    """Anything that the event log says of the rebuilding of one node."""

    version = number("version", "the version of the event log")
    node = number("node", "the node that is rebuilt")
    began = number("arg_b", "the version at which its rebuilding began")
    donors = nodes("nodes", "the donors that are not done", optional=True)
    relocating = nodes("nodes_b", "all nodes whose data is only moved", optional=True)


class Rebuilding(InEventLog, kind=40, word="rebuilding"):
    """The event log says of a node that it is to be rebuilt, is lost for good, or serves again."""

    delta = number("arg", "which of these")


class Donated(InEventLog, kind=41, word="donated"):
    """A donor has re-replicated its part of a log."""

    donor = number("actor", "the donor")


class Rebuilt(Written, AtNode, kind=42, word="rebuilt"):
    """A node holds a copy that a donor gave it, of what another node has lost or is to lose."""

    becomes = number("arg_b", "RECORD, HOLE or BRIDGE")
    began = number("version", "the version of the event log at which the rebuilding began", optional=True)
    donor = number("actor", "the donor", optional=True)
    copyset = nodes("nodes", "the nodes on which the copies lie from now on", optional=True)


class CopysetChanged(AtNode, kind=43, word="copyset"):
    """A donor changed the copyset of what a node holds."""

    began = number("version", "the version of the event log at which the rebuilding began", optional=True)
    donor = number("actor", "the donor", optional=True)
    copyset = nodes("nodes", "the nodes on which the copies lie from now on")


class Emptied(AtNode, kind=44, word="emptied"):
    """A node is empty: of this log, everything up to this LSN lies on others, and nothing above it counted on it."""

    version = number("version", "the version of the event log", optional=True)
