"""What is wrong with a ledger, given its metadata and what bookies say that they have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reference_impl.ledger.checker.state import Entries
from spec.ledger.durability import Findings, durability, findings, shares
from spec.ledger.metadata import Metadata
from spec.ledger.placement.adherence import Adherence, Policy
from spec.ledger.schedule import Quorums
from spec.ledger.violations import BY_DURABILITY, Category, Violation


def bookies_of(metadata: Metadata) -> tuple[str, ...]:
    """The bookies that should have something of a closed ledger, in order."""
    return tuple(dict.fromkeys(share.bookie for share in shares(metadata)))


def violations(
    ledger: int, metadata: Metadata, answers: Mapping[str, Entries | None], policy: Policy
) -> tuple[Violation, ...]:
    """Ensembles that the policy does not allow, and entries that lack copies.

    BookKeeper, BP-34, High Level Logic: both are reported.
    """
    found = findings(metadata, answers)
    return (*misplaced(ledger, metadata, policy), *_lacking(ledger, metadata.quorums, found))


def misplaced(ledger: int, metadata: Metadata, policy: Policy) -> Iterator[Violation]:
    """Ensembles that the policy does not allow."""
    for segment in metadata.segments:
        if policy(segment.ensemble, metadata.quorums) is Adherence.FAIL:
            yield Violation(ledger, Category.MISPLACED, segment.first_entry, segment.ensemble)


def silent_bookies(
    ledger: int, silent: Iterable[str], registered: frozenset[str], known_down: frozenset[str]
) -> tuple[Violation, ...]:
    """Bookies that gave no answer, unless they are unregistered and known to be down.

    BookKeeper, BP-34, High Level Logic: after the delay.
    """
    odd = tuple(bookie for bookie in silent if bookie in registered or bookie not in known_down)
    return (Violation(ledger, Category.SILENT_BOOKIE, bookies=odd),) if odd else ()


def _lacking(ledger: int, quorums: Quorums, found: Findings) -> Iterator[Violation]:
    """The entries that lack copies, by segment and category, with the bookies that lack them."""
    kinds = {entry: durability(missing, quorums) for entry, missing in found.missing.items()}
    entries: dict[tuple[int, Category], dict[str, list[int]]] = {}
    for share, lacked in found.lacking:
        for entry in lacked:
            of_kind = entries.setdefault((share.segment, BY_DURABILITY[kinds[entry]]), {})
            of_kind.setdefault(share.bookie, []).append(entry)
    for (segment, category), lacking in sorted(entries.items(), key=lambda one: (one[0][0], one[0][1].value)):
        together = sorted({entry for some in lacking.values() for entry in some})
        yield Violation(ledger, category, segment, tuple(lacking), tuple(together))
