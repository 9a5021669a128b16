"""Events of a ledger's metadata: who changed it, and to what. Each change makes one version, by compare-and-set.

BookKeeper, client/MetadataUpdateLoop.java and client/LedgerMetadataBuilder.java.
"""

from __future__ import annotations

from spec.language.events import member, members, number, small
from spec.ledger.events.happening import InLedger, OfCopy, OfEntry
from spec.ledger.events.universes import BOOKIES, CLIENTS, MEMBERS


class MetadataEvent(InLedger):
    """Anything that a version of a ledger's metadata says."""

    version = number("version", "the version of the metadata, from 0", least=0)


class Change(MetadataEvent):
    """Anything that made a new version of a ledger's metadata."""


class Created(Change, kind=2, word="created"):
    """A ledger was created."""

    ensemble_size = small("arg", "E: how many bookies share the ledger")
    write_quorum = small("arg_b", "W: how many of them each entry goes to")
    ack_quorum = small("arg_c", "A: how many of those acknowledge it")


class EnsembleChanged(OfEntry, Change, kind=3, word="ensemble_changed"):
    """A writer replaced bookies; the segment with the new ensemble begins at the entry."""

    client = small("actor", "the writer", of=CLIENTS)
    confirmed = number("lac", "the last entry that the writer knew to be confirmed, -1 if none", least=-1)
    replaced = members("members", "the members of the ensemble that were replaced", MEMBERS)


class InRecovery(Change, kind=4, word="in_recovery"):
    """A client put the ledger in recovery, from when on its writer changes nothing."""

    client = small("actor", "the recovering client", of=CLIENTS)


class Closed(OfEntry, Change, kind=5, word="closed"):
    """The ledger was closed; the entry is its end: the first that it does not have."""

    client = small("actor", "the client that closed it", of=CLIENTS)
    recovers = small("flag", "1 if that client recovered it, 0 if it is the writer", among=(0, 1))
    length = number("length_bytes", "the bytes of all its entries together", least=0)


class Restored(OfCopy, Change, kind=6, word="restored"):
    """A replicator put a bookie in the place of a lost one, for the segment that begins at the entry."""

    lost = member("other", "the bookie that was replaced", BOOKIES)


class Deleted(Change, kind=7, word="deleted"):
    """The ledger was deleted."""


class Named(OfCopy, MetadataEvent, kind=8, word="named"):
    """A version names a bookie as a member of the ensemble of the segment that begins at the entry."""
