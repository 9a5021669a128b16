"""Events of the write side: epochs, appends, and the copies that sequencers have stored."""

from __future__ import annotations

from typing import Final

from spec.events.happening import BEGUN, AtNode, Positioned, Seen, Shown, Written, begins_before, is_property
from spec.events.universes import NODES, WRITERS
from spec.events.values import CONTENTS
from spec.language.events import Told, demand, factors, member, members, number, small
from spec.language.handles import Bool

HELD: Final = Told(("store",), raised=("store",))
"""What tells which nodes hold a record."""

AGREED: Final = Told(("store",))
"""What tells which copies of a plug count together."""


class NewEpoch(Positioned, kind=1, word="epoch"):
    """A sequencer was activated in a new epoch, with the metadata that the epoch store gave it."""

    sequencer = member("node", "the sequencer's node", NODES, optional=True)
    nodeset = members("nodes", "the nodes on which the epoch's records may lie", NODES, optional=True)
    replication = factors("replication", "copies required across each location scope", optional=True)

    @demand
    def is_replicated(self) -> Bool:
        """`replication` asks for some copy, and across a wider scope for no more than across a narrower one."""
        return is_property(self.replication)


class Described(Positioned, kind=35, word="described"):
    """The metadata of an epoch can be read in the metadata log, so that it may be released; the LSN is its first, 0."""

    sequencer = member("node", "the sequencer's node", NODES)
    nodeset = members("nodes", "the nodes on which records may lie, as the metadata log says", NODES)
    replication = factors("replication", "copies required across each location scope, as it says")
    since = small("arg", "the first epoch with these metadata", least=0)
    holders = members("nodes_b", "the nodes that hold this record of the metadata log", NODES)

    @demand
    def is_replicated(self) -> Bool:
        """`replication` asks for some copy, and across a wider scope for no more than across a narrower one."""
        return is_property(self.replication)


class ClientEvent(Seen):
    """Something that a client says about one payload of its own."""

    writer = small("actor", "the client", of=WRITERS)


class Invoke(ClientEvent, kind=3, word="invoke"):
    """A client asked for an append; no LSN is known yet."""


class Answer(Seen):
    """A client heard what became of its append."""

    @demand
    def begins_first(self) -> Bool:
        """`invoked` is less than `seq`: an append begins before its client hears of it."""
        return begins_before(self.invoker, self.invoked, self.seq)


class Refused(ClientEvent, Answer, kind=4, word="fail"):
    """A client was told that its append did not happen."""

    repeated = small("arg_b", "1 if it had been told so of this append before, 0 if not", optional=True, told=BEGUN)


class Indefinite(ClientEvent, Answer, kind=5, word="indefinite"):
    """A client gave up waiting: its append may or may not have happened."""


class Append(Written, kind=6, word="append"):
    """A sequencer gave an LSN to a payload."""

    sequencer = member("node", "the sequencer's node", NODES, optional=True)


class OfWriter(Positioned):
    """Anything about one LSN that was given to an append of a client, and names the client."""

    writer = small("actor", "the client", of=WRITERS)


class Streamed(OfWriter, kind=28, word="streamed"):
    """An append that a sequencer gave an LSN belongs to its client's stream, whose records are kept in order."""

    place = small("arg", "its place in the stream, from 1; what is lost is written again at the same place", least=1)


class Chosen(Positioned, kind=24, word="chosen"):
    """A sequencer chose where an append goes first."""

    copyset = members("nodes", "the nodes that it chose", NODES)
    avoided = members("nodes_b", "the nodes that it avoids: they failed to store, or their data is gone", NODES)
    block = small("arg", "the ESN of the first append of the block, all of which go to one copyset", least=0)
    room = small("arg_b", "how many appends a block has at most", least=1)


class Store(Written, AtNode, kind=7, word="store"):
    """A node holds a copy of the record of an LSN, or of a hole plug or bridge."""

    wave = small("arg", "which attempt of the writer, from 1", optional=True, least=1)
    becomes = small("arg_b", "RECORD, HOLE or BRIDGE", words=CONTENTS)
    recovery = number("version", "the epoch of the recovery that wrote it, 0 for the sequencer", optional=True, least=0)
    copyset = members("nodes", "the nodes that the writer chose", NODES, optional=True)
    holders = members(
        "nodes_b", "the nodes that held a record here, once this one did", NODES, optional=True, told=HELD
    )
    plug_copies = members(
        "nodes_c", "of a plug, who has a copy that counts with others", NODES, optional=True, told=AGREED
    )


class SoftSealed(AtNode, kind=23, word="soft_seal"):
    """A node takes no more appends of this epoch and those before it, for it is about to store some of the next."""


class Draining(Positioned, kind=39, word="draining"):
    """A sequencer has asked for another epoch: it lets appends end that are under way; this was its last LSN."""

    sequencer = member("node", "the sequencer's node", NODES, optional=True)


class Ack(OfWriter, Written, Shown, Answer, kind=8, word="ack"):
    """A writer was told that its record is safe."""

    copyset = members("nodes", "the nodes that the acknowledgement counts on", NODES, optional=True)
    required = small("arg", "how many copies it promises", optional=True, least=0)
    invoked = number("version", "the client's own order of the append's invocation", optional=True)
    held = number("held", "how many nodes held a record here, as far as clocks tell", optional=True, told=HELD, bits=16)
    holders = members("nodes_b", "the nodes that may have held a record here", NODES, optional=True, told=HELD)


class DeleteSent(Positioned, kind=27, word="dismissed"):
    """A sequencer told nodes to delete their copies of an append: enough others, before them in its order, have one."""

    wave = small("arg", "the wave that they stored", least=1)
    told = members("nodes", "the nodes that are told", NODES)
    kept = members("nodes_b", "the nodes that have the record, and keep it", NODES)
    again = members(
        "nodes_c", "of those told, who has a later wave, or stored one since", NODES, optional=True, told=HELD
    )


class AppenderDone(Positioned, kind=29, word="retired"):
    """An append may be released, as far as its sequencer is concerned: the nodes that must have it do."""

    wave = small("arg", "the wave that they stored", least=1)
    leaders = members(
        "nodes", "the nodes that must have it: the first of its copyset, which are to send it to readers", NODES
    )
    stay = members(
        "nodes_b", "the nodes that are to have it in the end: as many of the first as there are copies", NODES
    )
    stored = members("nodes_c", "the nodes that have stored this wave", NODES)


class Erase(AtNode, kind=14, word="erase"):
    """A node no longer holds its copy of an LSN: wiped, cut off, or truncated."""
