"""What a cluster of BookKeeper says in a line is read, and what it throws is told by name, or is an answer, too.

Justified by BookKeeper, BP-34, High Level Logic: a bookie that knows no such ledger has none of its entries.
"""

from __future__ import annotations

from base64 import b64encode

import pytest

from conformance.record import bookkeeper_batches
from conformance.record.bookkeeper_live import Pace
from conformance.record.errors import BookKeeperSaid
from reference_impl.ledger.checker.state import Versioned
from spec.ledger.availability.encoding import encode
from spec.ledger.errors import Malformed
from spec.ledger.forms.versions import write
from spec.ledger.marks import Mark
from tests.support.ledger_cluster import closed

NO_LEDGER = "!org.apache.bookkeeper.client.BKException$BKNoSuchLedgerExistsException: No such ledger exists"
NO_METADATA = "!org.apache.bookkeeper.client.BKException$BKNoSuchLedgerExistsOnMetadataServerException: No such ledger"
LATE = "!java.util.concurrent.TimeoutException"


def text(data: bytes) -> str:
    return b64encode(data).decode()


def test_marks_are_read_from_lines() -> None:
    assert bookkeeper_batches._mark("") is None
    assert bookkeeper_batches._mark("17 a:1 b:2") == Mark(("a:1", "b:2"), 17)
    assert bookkeeper_batches._mark("-1 ") == Mark()


def test_metadata_is_read_from_lines() -> None:
    """Or it is told why that cannot be; a ledger that the metadata server does not know is none."""
    metadata = closed()
    assert bookkeeper_batches._versioned(f"7 {text(write(metadata))}") == Versioned(metadata, 7)
    assert isinstance(bookkeeper_batches._versioned(f"7 {text(b'nothing')}"), Malformed)
    assert bookkeeper_batches._versioned(NO_METADATA) is None
    with pytest.raises(BookKeeperSaid) as late:
        bookkeeper_batches._versioned(LATE)
    assert late.value.name == "TimeoutException"


def test_lists_are_read_from_lines() -> None:
    """A bookie that does not know the ledger has nothing of it; one that is late gives no answer."""
    some = encode((1, 2))
    assert bookkeeper_batches._entries(text(some)) == some
    assert bookkeeper_batches._entries(NO_LEDGER) == encode(())
    assert bookkeeper_batches._entries(LATE) is None


@pytest.mark.parametrize(("questions_per_s", "at_once"), [(1, 1), (200, 20), (1e9, 250)])
def test_a_group_asks_no_more_at_once_than_a_moment_has(questions_per_s: float, at_once: int) -> None:
    assert Pace(questions_per_s=questions_per_s).at_once == at_once
