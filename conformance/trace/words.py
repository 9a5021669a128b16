"""The words that a header may say of its recorders, and what each means."""

from __future__ import annotations

from typing import Final

from spec.client.bookkeeping import BOOKS

ROLES: Final[dict[str, str]] = {
    "node": "stores: a shard, or a host with several; it records what it is told, holds and sends",
    "sequencer": "gives out LSNs, where that is nobody else's office",
    "client": "appends or reads; it records what it asks, and what it is told",
    "reader": "a client that only reads",
    "controller": "steers, or sees everything: epochs, recoveries, releases, faults",
    "importer": "turned a recording into a trace; it records what it concluded",
    BOOKS: "is quorate itself, which adds what follows from the events of clients when it sorts a trace",
}
"""Who may write events down."""

COMPLETENESS: Final[dict[str, str]] = {
    "complete": "every event of the kind that it could see since the log began is in the trace",
    "partial": "some may be missing",
}
"""How many events of a kind a recorder writes down; what it does not record at all, its list does not name."""
