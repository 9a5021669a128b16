"""A journal: events of all recorders while a recording is imported, each recorder with an order of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

from conformance.trace.errors import Duplicated, TraceError
from conformance.trace.header import Header, Recorder
from conformance.trace.rows import EventRow, Rows
from conformance.trace.watch import place_of
from spec.language.bookkeeping import BOOKS
from spec.language.parameters import signed

Records: TypeAlias = Mapping[str, Literal["complete", "partial"]]
"""For each kind of event that a recorder writes down, by word, whether it writes down all of them."""

HASH_DIGITS = 16
"""Hexadecimal digits of a SHA-256 that make a digest of 64 bits."""


class Journal:
    """Collects events in the words of JSON lines; they are checked when the trace is made."""

    def __init__(self) -> None:
        self.recorders: dict[str, Recorder] = {}
        self.said: list[dict[str, Any]] = []
        self._next: Counter[str] = Counter()

    def declare(self, name: str, role: str, records: Records) -> None:
        """Name a recorder and what it writes down.

        Raises:
            Duplicated: another recorder has this name, or will have it.
        """
        if name == BOOKS:
            raise Duplicated(f"recorder {name!r}", "what is worked out later has this name", "give it another name")
        if name in self.recorders:
            raise Duplicated(
                f"recorder {name!r} stands twice",
                f"it is a {self.recorders[name].role} and a {role}",
                "give clients other names than nodes",
            )
        self.recorders[name] = Recorder(role, dict(records))

    def add(self, recorder: str, kind: str, **fields: Any) -> int:
        """Write down one event; gives its number in the recorder's order."""
        seq = self._next[recorder]
        self._next[recorder] += 1
        self.said.append({"kind": kind, "recorder": recorder, "seq": seq, **fields})
        return seq

    def count(self, recorder: str) -> int:
        """How many events a recorder has written: its next one has this number."""
        return self._next[recorder]

    def events(self, header: Header) -> list[EventRow]:
        """All events, checked and in trace order.

        Raises:
            TraceError: one of its kinds, if an event does not fit the vocabulary: a number beyond what it may be.
        """
        rows = Rows(header)
        try:
            return sorted(map(rows.from_json, self.said), key=lambda event: place_of(event, header.sorted_by))
        except TraceError as error:
            raise error.at("an imported event") from None


NO_TEXT: Final = b"\xff"
"""A byte that no text in UTF-8 has: what begins with it is no text."""


def digest_of(text: str, *, is_text: bool = True) -> int:
    """The digest of a payload: the first 64 bits of its SHA-256, as a number with sign.

    Args:
        text: the payload, or the JSON of one that is no text.
        is_text: it is the payload itself.
    """
    return digest_of_bytes((b"" if is_text else NO_TEXT) + text.encode())


def digest_of_bytes(payload: bytes) -> int:
    """The digest of a payload that is recorded as bytes."""
    return int.from_bytes(sha256(payload).digest()[: HASH_DIGITS // 2], signed=True)


def digest_from(digits: str) -> int:
    """The digest that 16 hexadecimal digits say."""
    return signed(int(digits, 16))
