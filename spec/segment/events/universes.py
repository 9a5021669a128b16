"""Universes of a segment layer: the numbers in its events are those of nodes, channels, and iterators and writers."""

from __future__ import annotations

from typing import Final

from spec.language.universes import Universe

NODES: Final = Universe(
    "nodes", "node", "the nodes of the cluster, each named once; events name them by their places here", listed=True
)
CHANNELS: Final = Universe("channels", "channel", "names of channels by key, for people")
SESSIONS: Final = Universe("sessions", "session", "names of iterators and writers by number, for people")
