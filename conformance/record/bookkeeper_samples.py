"""Which bookies of a running cluster still have what they had: each is asked about some ledgers, found sound earlier.

BP-34 asks about every ledger in every run. A bookie that came back empty, or is silent, shows in a few of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final

from conformance.record.bookkeeper_live import LiveCluster
from reference_impl.ledger.checker.asking import entries_in
from reference_impl.ledger.checker.earlier import Earlier
from reference_impl.ledger.checker.judging import bookies_of
from reference_impl.ledger.checker.state import Versioned
from spec.ledger.durability import findings
from spec.ledger.errors import TooLarge
from spec.ledger.metadata import Metadata

SAMPLE: Final = 100
"""How many ledgers are looked at, at least, if so many were sound."""


def sampled(cluster: LiveCluster, earlier: Earlier) -> Earlier:
    """What stands by a sample: nothing does of a bookie that is silent, or lacks anything of it."""
    if not earlier.sound:
        return earlier
    known = sorted(earlier.sound)
    metadatas = dict(_unchanged(cluster, earlier, known[:: max(1, len(known) // SAMPLE)]))
    anybody = {(known[0], bookie) for bookie in earlier.present}
    pairs = {(ledger, bookie) for ledger, metadata in metadatas.items() for bookie in bookies_of(metadata)}
    answers = {pair: entries_in(sent) for pair, sent in cluster.lists(sorted(anybody | pairs))().items()}
    odd = {bookie for (_, bookie), entries in answers.items() if entries is None}
    for ledger, metadata in metadatas.items():
        found = findings(metadata, {bookie: answers[ledger, bookie] for bookie in bookies_of(metadata)})
        odd.update(share.bookie for share, _ in found.lacking)
    return replace(earlier, present=earlier.present - odd)


def _unchanged(cluster: LiveCluster, earlier: Earlier, ledgers: list[int]) -> Iterator[tuple[int, Metadata]]:
    """The metadata of those of some ledgers that would stand, and can be looked at entry by entry."""
    for ledger, found in cluster.metadata(ledgers)().items():
        if isinstance(found, Versioned) and earlier.stands(ledger, *found):
            with suppress(TooLarge):
                bookies_of(found.metadata)
                yield ledger, found.metadata
