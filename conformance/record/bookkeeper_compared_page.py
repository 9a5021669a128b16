"""The page of the comparison: what was planted in a real cluster, what we report, and what the shipped checker says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from conformance.record.bookkeeper import VERSION
from conformance.record.bookkeeper_compared import ENTRIES, LOST, SILENT, Compared, Comparison
from spec.ledger.violations import BY_DURABILITY, GAUGES, Category

OPENING: Final = f"""# Audited beside the shipped auditor

`make real` starts ZooKeeper and five bookies, each in a JVM of its own, and writes ledgers of {ENTRIES} entries.
Bookie {LOST} loses all that it has and comes back; what is written after that is whole. In the end bookie {SILENT} is
stopped, so that it is registered and does not answer. Two checkers look: that of `quorate audit bookkeeper`, with no
mark allowed to stand, and the one that BookKeeper {VERSION} has. This page is what they said; `make real` holds each
new run to it.

`E`, `W` and `A` are the sizes of the ensemble, the write quorum and the ack quorum. A cell has every report, so that
what is reported twice stands there twice. Where the shipped checker does not say what was planted, its cell is bold,
also where it knows no such category.
"""
GAUGES_TOLD: Final = """
## Gauges

What the gauges of the shipped auditor show while all bookies answer, and what they should, each ledger by its worst
entry. All ledgers are in one range here: of several, the gauges would show the last alone.
"""


def page(found: Comparison) -> str:
    """The page."""
    ledgers = _table(("ledger", "E, W, A", "planted", "ours", "shipped"), map(_row, found.ledgers))
    return (
        "\n".join((OPENING, *ledgers, GAUGES_TOLD, *_table(("gauge", "shows", "should show"), _gauges(found)))) + "\n"
    )


def _row(one: Compared) -> tuple[str, ...]:
    truth = () if one.planted.truth is None else (one.planted.truth,)
    shipped = tuple(BY_DURABILITY[durability] for durability in one.shipped)
    said = _told(shipped) if shipped == truth else f"**{_told(shipped)}**"
    return one.planted.what, ", ".join(map(str, one.planted.quorums)), _told(truth), _told(one.ours), said


def _told(categories: Iterable[Category]) -> str:
    return ", ".join(category.name for category in categories) or "nothing"


def _gauges(found: Comparison) -> Iterator[tuple[str, ...]]:
    for durability, gauge in GAUGES.items():
        due = sum(one.planted.truth is BY_DURABILITY[durability] for one in found.ledgers)
        yield gauge, str(found.gauges[gauge]), str(due)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield from (f"| {' | '.join(cells)} |" for cells in (heads, ("---",) * len(heads), *rows))
