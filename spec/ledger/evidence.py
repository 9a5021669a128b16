"""What a cluster says of one ledger: what there is to hold it to its copies by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata


class LedgerEvidence(NamedTuple):
    """What was said of a ledger.

    BookKeeper, BP-34, High Level Logic.

    Attributes:
        ledger: its number.
        metadata: what the metadata server says of it; None where that cannot be read.
        answers: what bookies say that they have of it, by name, in the bytes of the wire; None where one gave none.
        mark: its under-replication mark, if it has one.
        version: the version of its metadata, where that is told.
    """

    ledger: int
    metadata: Metadata | None
    answers: Mapping[str, bytes | None] = {}
    mark: Mark | None = None
    version: int | None = None
