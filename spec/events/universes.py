"""Universes of a log: the numbers in its events are those of nodes, logs, clients and payloads."""

from __future__ import annotations

from typing import Final

from spec.language.universes import Universe

NODES: Final = Universe(
    "nodes",
    "node",
    "the shards that store, each named once; events name them by their places here, from 0",
    listed=True,
)
LOGS: Final = Universe(
    "logs", "log", "names of logs by number; if there are any, events are about these logs alone", closed=True
)
CLIENTS: Final = -(1 << 31), (1 << 31) - 1
"""The least and the greatest number of a client: 32 bits with sign."""

WRITERS: Final = Universe("writers", "client", "names of who appends, by number, for people", CLIENTS)
READERS: Final = Universe("readers", "reader", "names of who reads, by number, for people", CLIENTS)
PAYLOADS: Final = Universe("", "payload", hashed=True)
