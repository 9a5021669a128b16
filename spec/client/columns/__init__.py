"""The books of clients once more, in columns: the same words of plain events, many times as fast.

Events are plain where nothing must be guessed (``spec.client.columns.plain``); what is odd of them, such as an append
without a known outcome, is still given to ``spec.client.bookkeeping``, one by one. Where a trace is not plain, nothing
is said here, and all of it is given to those books. That both say the same is a test.
"""

from __future__ import annotations

from spec.client.columns.books import said_in_columns

__all__ = ["said_in_columns"]
