"""Universes: what the numbers in events stand for, such as members of a cluster, or clients. A family declares them."""

from __future__ import annotations

from typing import NamedTuple


class Universe(NamedTuple):
    """Things of one sort that events name by number.

    Attributes:
        section: the field of a trace's header that names them; empty where it does not.
        one: what one of them is called.
        what: what the section says, in words.
        listed: the header lists them all, each once: events name them by their places, and there can be sets of them.
        numbers: the least and the greatest number.
        closed: where the header names some, events are about these alone: so it is with partitions of a trace.
        hashed: their numbers are hashes of 64 bits, written in hexadecimal.
    """

    section: str
    one: str
    what: str = ""
    numbers: tuple[int, int] = (0, (1 << 63) - 1)
    listed: bool = False
    closed: bool = False
    hashed: bool = False
