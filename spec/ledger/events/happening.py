"""What all events of ledgers share: when they were seen, and of which ledger, entry, bookie or client they speak."""

from __future__ import annotations

from spec.language.events import AnyEvent, member, number, small
from spec.language.orders import Order
from spec.ledger.events.positions import COPY
from spec.ledger.events.universes import BOOKIES, LEDGERS, MEMBERS


class Event(AnyEvent):
    """Anything recorded of ledgers, in its recorder's own order and at its recorder's clock."""

    sorted_by = Order("ledger", COPY)

    seq = number("seq", "the recorder's own order")
    time = number("time_ns", "the recorder's clock, in nanoseconds", optional=True)


class InLedger(Event):
    """Anything about one ledger."""

    ledger = number("ledger", "the ledger's number", of=LEDGERS)


class OfEntry(InLedger):
    """Anything about one entry of a ledger."""

    entry = number("entry", "the entry's number, from 0", least=0)


class OfCopy(OfEntry):
    """Anything about one copy of an entry."""

    bookie = member("bookie", "the bookie, by its number in the header's topology", BOOKIES)
    member = member("member", "the member of the ensemble that the copy is for, from 0", MEMBERS)
    copy = number("copy", "entry and member in one number", computed=True)


class AtBookie(InLedger):
    """Anything about one bookie and one ledger as a whole."""

    bookie = member("bookie", "the bookie, by its number in the header's topology", BOOKIES)


class Registration(Event, kind=1, word="registration"):
    """A bookie registered at the metadata server, or its registration is gone."""

    bookie = member("bookie", "the bookie", BOOKIES)
    present = small("flag", "1 if it is registered from now on, 0 if not", among=(0, 1))
