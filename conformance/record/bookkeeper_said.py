"""What a running cluster of BookKeeper says of all its ledgers, to be written down.

BookKeeper, BP-34, High Level Logic.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from conformance.record.bookkeeper_live import MILLISECONDS, TOGETHER, LiveCluster, groups_of
from conformance.record.java_functions import Later
from reference_impl.ledger.checker.state import Versioned
from spec.ledger.durability import is_judged
from spec.ledger.evidence import LedgerEvidence
from spec.ledger.metadata import Metadata

T = TypeVar("T")


def said(cluster: LiveCluster, ledgers: Sequence[int], later_ms: int) -> Iterator[LedgerEvidence]:
    """What a cluster says of each ledger, as far as a checker has to know it.

    Nobody is asked about a ledger that is not closed, or has a mark. Bookies that give no answer are asked once more:
    after the delay for the first of them, later ones at once.
    """
    due_s: float | None = None
    for marks, found in _one_ahead(cluster.marked(some) for some in groups_of(ledgers, TOGETHER)):
        pairs = [
            (ledger, bookie)
            for ledger, one in found.items()
            if isinstance(one, Versioned) and not marks[ledger]
            for bookie in _holders(one.metadata)
        ]
        answers = dict(cluster.lists(pairs)())
        if silent := [pair for pair, answer in answers.items() if answer is None]:
            due_s = due_s or time.monotonic() + later_ms / MILLISECONDS
            time.sleep(max(0.0, due_s - time.monotonic()))
            answers |= cluster.lists(silent)()
        told = {ledger: dict[str, bytes | None]() for ledger in found}
        for (ledger, bookie), answer in answers.items():
            told[ledger][bookie] = answer
        for ledger, one in found.items():
            if one is not None:
                metadata, version = one if isinstance(one, Versioned) else (None, None)
                yield LedgerEvidence(ledger, metadata, told[ledger], marks[ledger], version)


def _one_ahead(asked: Iterable[Later[T]]) -> Iterator[T]:
    """What was asked for, each while the next one is asked for already."""
    waiting: Later[T] | None = None
    for following in asked:
        if waiting:
            yield waiting()
        waiting = following
    if waiting:
        yield waiting()


def _holders(metadata: Metadata) -> tuple[str, ...]:
    """The bookies that may have something of a closed ledger; none of one that is not closed, or is empty."""
    if not is_judged(metadata):
        return ()
    return tuple(dict.fromkeys(bookie for segment in metadata.segments for bookie in segment.ensemble))
