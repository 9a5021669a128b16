"""What the clients of one log saw, and what happened to its nodes, on one clock."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Mapping
from typing import Final

_HASH_DIGITS: Final = 16


class Seen:
    """What was seen, in the order in which it was, on one clock."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self._lock = threading.Lock()

    def note(self, what: Mapping[str, object], who: Mapping[str, object] | None = None) -> None:
        """Write down, now, who saw what."""
        with self._lock:
            self.rows.append({**(who or {}), "time_ns": time.monotonic_ns(), **what})


class History(Seen):
    """The events of all clients of one log, and the faults."""

    def __init__(self, log: str) -> None:
        super().__init__()
        self.log = log

    def add(self, client: str, seq: int, kind: str, value: str, **more: object) -> None:
        """Write down one event; `seq` is the client's own number of the append or delivery."""
        digest = hashlib.sha256(value.encode()).hexdigest()[:_HASH_DIGITS]
        what = {"kind": kind, "log": self.log, "value": value, "hash": digest, **more}
        self.note(what, {"client": client, "seq": seq})

    def look(self, client: str, seq: int, kind: str, **more: object) -> None:
        """Write down what a client was told that is about no record."""
        self.note({"kind": kind, "log": self.log, **more}, {"client": client, "seq": seq})

    def fault(self, what: str, node: int) -> None:
        """Write down what happened to a node."""
        self.note({"kind": "fault", "fault": what, "node": node})
