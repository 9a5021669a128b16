"""Bookkeeping: what the events of clients say together, before any rule is asked.

Which append an acknowledgement or a delivery is about, what its client knew when the append began, and how far a read
had come before each of its steps: all that follows from what each client recorded in its own order, and from clocks
where a client went on under another recorder. It decides nothing; rules do, over the fields that it fills in.
"""

from __future__ import annotations

from spec.client.bookkeeping.books import Books, kept
from spec.client.bookkeeping.declared import BOOKKEEPING, recording_of
from spec.client.bookkeeping.recording import Recording

__all__ = ["BOOKKEEPING", "Books", "Recording", "kept", "recording_of"]
