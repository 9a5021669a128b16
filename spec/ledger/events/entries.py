"""Events of entries: sent, stored, acknowledged, read back by a recovery, read, lost."""

from __future__ import annotations

from spec.language.events import members, number, small
from spec.ledger.events.happening import AtBookie, OfCopy, OfEntry
from spec.ledger.events.universes import CLIENTS, MEMBERS, PAYLOADS
from spec.ledger.events.values import PURPOSES


class Sent(OfCopy, kind=9, word="sent"):
    """A client sent an entry to a bookie."""

    client = small("actor", "the client", of=CLIENTS)
    version = number("version", "the version of the metadata that its client uses", least=0)
    segment = number("segment", "the entry with which the segment of that ensemble begins", least=0)
    confirmed = number("lac", "the last entry confirmed that is sent along, -1 if none", least=-1)
    purpose = small("purpose", "why the copy is stored", words=PURPOSES)
    digest = number("digest", "hash of the entry's payload, 64 bits with sign", optional=True, of=PAYLOADS)


class Stored(OfCopy, kind=10, word="stored"):
    """A bookie stored a copy of an entry."""

    purpose = small("purpose", "why the copy is stored", words=PURPOSES)
    digest = number("digest", "hash of the entry's payload, 64 bits with sign", optional=True, of=PAYLOADS)


class Acknowledged(OfEntry, kind=11, word="acknowledged"):
    """A writer was told that its entry is safe."""

    client = small("actor", "the writer", of=CLIENTS)
    segment = number("segment", "the entry with which the segment begins whose members stored it", least=0)
    counted = members("members", "the members of the ensemble whose answers it counts on", MEMBERS)


class Fenced(AtBookie, kind=12, word="fenced"):
    """A bookie was told to take no more adds of the ledger, and wrote that down."""


class RecoveryBegan(OfEntry, kind=13, word="recovery_began"):
    """A client has heard enough of the last ensemble to recover a ledger; the entry is the first that it reads."""

    client = small("actor", "the recovering client", of=CLIENTS)
    segment = number("segment", "the entry with which the last segment begins", least=0)
    confirmed = number("lac", "the greatest last entry confirmed that it was told, -1 if none", least=-1)
    answered = members("members", "the members of the last ensemble that have fenced the ledger and answered", MEMBERS)


class ReadBack(OfCopy, kind=14, word="read_back"):
    """A bookie answered a recovery whether it has an entry."""

    client = small("actor", "the recovering client", of=CLIENTS)
    found = small("flag", "1 if it has the entry, 0 if it knows no such entry or ledger", among=(0, 1))
    digest = number("digest", "hash of the entry's payload, unknown where it has none", optional=True, of=PAYLOADS)


class Read(OfEntry):
    """Anything that a reader was told of an entry."""

    client = small("actor", "the reader", of=CLIENTS)
    confirmed = number("lac", "the last entry confirmed that the reader knew, -1 if none", least=-1)


class Given(Read, kind=15, word="given"):
    """A reader was given an entry."""

    digest = number("digest", "hash of the entry's payload, 64 bits with sign", optional=True, of=PAYLOADS)


class Missing(Read, kind=16, word="missing"):
    """A reader was told that there is no such entry."""


class Lost(OfCopy, kind=17, word="lost"):
    """A bookie lost its copy of an entry."""
