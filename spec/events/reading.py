"""Events of the read side: what readers ask of nodes, what nodes send, and what readers are given."""

from __future__ import annotations

from typing import Final

from spec.events.happening import AtNode, ByReader, Positioned, Shown, Written, is_property
from spec.events.positions import LSN, last_esn
from spec.events.universes import NODES, READERS
from spec.events.values import (
    CONTENTS,
    EVERYONE,
    GAP_KINDS,
    IN_SILENCE,
    ONE_NEAR,
    OTHERS_ARE_SLOWER,
    PERHAPS_TRIMMED,
    TERM_IS_OVER,
)
from spec.language.events import Told, demand, factors, member, members, number, small
from spec.language.handles import Bool

FOLLOWED: Final = Told(("read", "deliver", "gap"), raised=("deliver", "gap"))
"""What tells how far a read has come."""

HEARD: Final = Told(("ack",), raised=("ack",))
"""What tells what had been acknowledged before a reader asked."""


class Turn(ByReader):
    """Anything that shows who is to send to a reader, or what the reader concludes from what was sent."""


class Selection(ByReader):
    """Anything that shows whose records others are to send to a reader."""


class Outcome(ByReader):
    """A step of a reader through a log: it now has an answer for every LSN from its start to ``upto``."""

    upto_epoch = number("upto_epoch", "the epoch of the last LSN that is answered for")
    upto_esn = number("upto_esn", "its sequence number")
    upto = number("upto", "both in one number", computed=True)


class Read(Outcome, kind=15, word="read"):
    """A reader began to read a log at this LSN; ``upto`` is the position just before it."""

    @demand
    def begins_behind_upto(self) -> Bool:
        """`upto` is the position just before: of ESN 0, the last of the epoch before; of the very first, itself."""
        same_epoch, no_esn = self.upto_epoch == self.epoch, self.esn < 1
        within = same_epoch & (self.upto_esn == self.esn - 1)
        across = no_esn & (self.upto_epoch == self.epoch - 1) & (self.upto_esn == last_esn())
        return within | across | (no_esn & same_epoch & (self.epoch < 1) & (self.upto_esn < 1))


class Given(Outcome):
    """What a reader is given for the LSNs from ``lsn`` to ``upto``."""

    since = number(
        "since", "the LSN just after what the same read had answered for before", optional=True, told=FOLLOWED, of=LSN
    )


class Deliver(Given, Shown, kind=16, word="deliver"):
    """A reader was given the record of an LSN; ``upto`` is that LSN."""

    @demand
    def answers_for_itself(self) -> Bool:
        """`upto` is the LSN of the record: what lies beyond was not given."""
        return (self.upto_epoch == self.epoch) & (self.upto_esn == self.esn)


class Gap(Given, Turn, kind=17, word="gap"):
    """A reader was told that there is nothing for it to read from one LSN to another."""

    reason = small("arg", "the kind of gap", words=GAP_KINDS)
    responders = members("nodes", "the nodes that had answered for the whole gap", NODES, optional=True)
    statuses = number("version", "the version of the status table that the reader used", optional=True, least=0)


class Passed(ByReader, kind=46, word="passed"):
    """A reader went on beyond these LSNs for no reason that counts: what the books of clients add, and nobody told."""

    why = small("arg", "IN_SILENCE, NOT_TRIMMED or PERHAPS_TRIMMED", among=(IN_SILENCE, PERHAPS_TRIMMED))
    upto_epoch = number("upto_epoch", "the epoch of the last LSN that it passed over")
    upto_esn = number("upto_esn", "its sequence number")
    upto = number("upto", "both in one number", computed=True)


class AtEnd(ByReader, kind=45, word="at_end"):
    """A reader was told that nothing is there yet, from this LSN on."""

    invoked = number("version", "the reader's own order of its question", optional=True)
    invoked_at = number(
        "invoked_at_ns",
        "when it asked; where it is not said, the latest time that its recorder had seen",
        optional=True,
    )
    after = number(
        "after",
        "the greatest LSN that was acknowledged before it asked; -1 if none",
        optional=True,
        told=HEARD,
        of=LSN,
    )
    perhaps_after = number(
        "perhaps_after", "the same, if clocks are right as they stand", optional=True, told=HEARD, of=LSN
    )

    @demand
    def asks_first(self) -> Bool:
        """`invoked` is not greater than `seq`: a reader asks before it is answered."""
        return self.invoked <= self.seq


class Learnt(ByReader, kind=36, word="learnt"):
    """A reader uses these metadata in an epoch, as it found in the metadata log; the LSN is the epoch's first, 0."""

    nodeset = members("nodes", "the nodes that it asks for records", NODES)
    replication = factors("replication", "copies required across each location scope")
    since = small("arg", "the first epoch with these metadata", least=0)

    @demand
    def is_replicated(self) -> Bool:
        """`replication` asks for some copy, and across a wider scope for no more than across a narrower one."""
        return is_property(self.replication)


class Demand(ByReader):
    """A reader said to a node what it wants: everything from this LSN on, for now up to ``upto``."""

    node = member("node", "the storage node", NODES)
    upto_epoch = number("upto_epoch", "the epoch of the window's last LSN")
    upto_esn = number("upto_esn", "its sequence number")
    upto = number("upto", "both in one number", computed=True)


class Ask(Demand, Turn, Selection, kind=30, word="ask"):
    """A reader asked a node to begin to send, by filters of this version."""

    filters = number("version", "the version of the filters, counted by the reader", least=0)
    mode = small("arg", "EVERYONE, ONE or ONE_NEAR: who is to send a record", among=(EVERYONE, ONE_NEAR))
    filtered_out = members("nodes", "the nodes whose records others are to send", NODES)


class Allow(Demand, kind=31, word="allow"):
    """A reader allowed a node to send further: its window slid."""

    capacity = small("arg", "how many LSNs the reader has room for", least=0)


class Listing(Selection):
    """A reader changed the list of nodes that it takes to be slow: others are to send their records."""

    node = member("node", "the storage node that comes onto the list, or leaves it", NODES)
    listed = members("nodes", "the nodes on the list from now on", NODES)
    filters = small("arg", "the version of the filters before the reader tells nodes of it", least=0)
    term = number("version", "for how long the node is to be on the list, in nanoseconds", least=0)


class Greylisted(Listing, kind=37, word="greylisted"):
    """A reader found a node to be much slower than the others."""

    down = members("nodes_b", "the nodes that the reader takes to be down, and not empty", NODES)
    times = small("arg_b", "how often it had the node on its list before, as far as it remembers", least=0)


class Reinstated(Listing, kind=38, word="reinstated"):
    """A reader no longer takes a node for slow; ``term`` is for how long it had been meant to."""

    why = small(
        "arg_b",
        "TERM_IS_OVER, IS_DOWN, HAS_LEFT, ALL_SEND or OTHERS_ARE_SLOWER",
        among=(TERM_IS_OVER, OTHERS_ARE_SLOWER),
    )


class Served(AtNode):
    """Anything that one storage node did or said about an LSN which readers may still be sent, or not any more."""


class Ship(Written, Served, kind=32, word="ship"):
    """A node sent a reader its copy of a record, or of a hole plug or bridge."""

    reader = small("actor", "the read stream", of=READERS)
    life = number("version", "how often the node was started", least=0)
    order = small("arg", "the number of the reader's request that the node obeys", least=0)
    becomes = small("arg_b", "RECORD, HOLE or BRIDGE", words=CONTENTS)
    upto_epoch = number("upto_epoch", "the epoch of the last LSN that the node may send")
    upto_esn = number("upto_esn", "its sequence number")
    upto = number("upto", "both in one number", computed=True)


class Trim(Positioned, kind=33, word="trim"):
    """Whoever owns a log asked that everything up to this LSN be deleted."""


class Trimmed(Served, kind=34, word="trimmed"):
    """A node deletes everything of a log up to this LSN: its trim point."""
