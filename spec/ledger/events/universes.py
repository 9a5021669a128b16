"""Universes of ledgers: the numbers in their events are those of bookies, members of ensembles, ledgers and clients."""

from __future__ import annotations

from typing import Final

from spec.language.universes import Universe

BOOKIES: Final = Universe(
    "bookies", "bookie", "all bookies, each named once; events name them by their places here", listed=True
)
LEDGERS: Final = Universe(
    "ledgers", "ledger", "names of ledgers by number; if there are any, events are about these alone", closed=True
)
CLIENTS: Final = Universe(
    "clients", "client", "names of who writes, recovers or reads, by number, for people", (-(1 << 31), (1 << 31) - 1)
)
MEMBERS: Final = Universe("", "member", "members of an ensemble, in the order in which the metadata names them")
PAYLOADS: Final = Universe("", "payload", hashed=True)
