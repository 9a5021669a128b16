"""What the clients of one log saw, and what befell its nodes, on one clock."""

from __future__ import annotations

import hashlib
import threading
import time
from typing import Final

_HASH_DIGITS: Final = 16


class History:
    """The events of all clients of one log, and the faults, in the order in which they were seen, on one clock."""

    def __init__(self, log: str) -> None:
        self.log = log
        self.rows: list[dict[str, object]] = []
        self._lock = threading.Lock()

    def add(self, client: str, seq: int, kind: str, value: str, **more: object) -> None:
        """Write down one event; `seq` is the client's own number of the append or delivery."""
        digest = hashlib.sha256(value.encode()).hexdigest()[:_HASH_DIGITS]
        self._note(kind, {"client": client, "seq": seq}, {"log": self.log, "value": value, "hash": digest, **more})

    def look(self, client: str, seq: int, kind: str, **more: object) -> None:
        """Write down what a client was told that is about no record."""
        self._note(kind, {"client": client, "seq": seq}, {"log": self.log, **more})

    def fault(self, what: str, node: int) -> None:
        """Write down what befell a node."""
        self._note("fault", {}, {"fault": what, "node": node})

    def _note(self, kind: str, who: dict[str, object], what: dict[str, object]) -> None:
        with self._lock:
            self.rows.append({**who, "time_ns": time.monotonic_ns(), "kind": kind, **what})
