"""Actors: the numbers by which events name the clients of a recording, and the names that go into the header."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

_NUMBER: Final = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)


def numbers_of(clients: Iterable[str]) -> dict[str, int]:
    """The number of each client: its own if all are called by numbers, else in the order in which they appear."""
    found = dict.fromkeys(clients)
    if all(_NUMBER.fullmatch(client) for client in found):
        return {client: int(client) for client in found}
    return {client: number for number, client in enumerate(found)}


def names_of(numbers: Mapping[str, int], some: Collection[str]) -> dict[int, str]:
    """The names of some clients by number; none where the number is the name."""
    return {number: client for client, number in numbers.items() if client in some and client != str(number)}
