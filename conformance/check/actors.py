"""Actors: what stories call whoever appends or reads, and who answered them.

A client is called as the header calls it. Where the header has no name for it, but a client recorded the event, it is
called by that recorder and by its number there: one recorder may tell of many clients.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from conformance.trace.fields import EXTRA, SERVED_BY
from conformance.trace.rows import EventRow
from spec.reports.names import Names

CLIENTS: Final = frozenset({"client", "reader"})
"""Roles of recorders that are clients themselves."""

SERVERS: Final = frozenset({"node", "sequencer"})
"""Roles of recorders that serve clients: what they record that a client was told, they told it."""


def writer(event: EventRow, names: Names) -> str:
    """Who appends, at the start of a sentence."""
    return _subject(event, names, "client", names.writers, names.writer(event["actor"]))


def reader(event: EventRow, names: Names) -> str:
    """Who reads, at the start of a sentence."""
    return _subject(event, names, "reader", names.readers, names.reader(event["actor"]))


def _subject(event: EventRow, names: Names, word: str, named: Mapping[int, str], called: str) -> str:
    number, recorder = event["actor"], event.get("recorder", "")
    if named.get(number) == called:
        return called
    adds = not re.fullmatch(rf"(client|writer|reader)\W?{number}", recorder)
    if adds and number not in named and names.roles.get(recorder) in CLIENTS:
        return f"{recorder} ({called})"
    return f"{word.capitalize()}{called.removeprefix(word)}"


def server(event: EventRow, names: Names) -> str:
    """Who answered a client, as far as the event tells; empty if it does not."""
    said = event.get(EXTRA, {}).get(SERVED_BY)
    if said:
        return str(said)
    recorder = event.get("recorder", "")
    return recorder if names.roles.get(recorder) in SERVERS else ""
