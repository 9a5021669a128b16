"""What the rules of ledgers speak about: metadata, entries, copies, marks and checks."""

from __future__ import annotations

from spec.ledger.views.checks import (
    Analysis,
    BookieList,
    Category,
    Check,
    Finding,
    MarkChange,
    Placement,
)
from spec.ledger.views.entries import (
    Copy,
    End,
    Entry,
    Holding,
    Reading,
    ReadingBack,
    Recovery,
    Sending,
    Storing,
)
from spec.ledger.views.metadata import Creation, Ledger, Segment, Version

__all__ = [
    "Analysis",
    "BookieList",
    "Category",
    "Check",
    "Copy",
    "Creation",
    "End",
    "Entry",
    "Finding",
    "Holding",
    "Ledger",
    "MarkChange",
    "Placement",
    "Reading",
    "ReadingBack",
    "Recovery",
    "Segment",
    "Sending",
    "Storing",
    "Version",
]
