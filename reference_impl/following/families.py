"""The families whose traces are followed by a text that is proved; packages may offer more."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Final

from reference_impl.following.checker import Followed, Follows
from reference_impl.following.claims import EventRow
from reference_impl.following.ledgers.guide import HANDLERS, NEEDED, LedgerGuide
from reference_impl.following.logs.checker import FollowedLogs
from reference_impl.following.segments import HANDLERS as OF_WRITERS
from reference_impl.following.segments import NEEDED as ABOUT_WRITERS
from reference_impl.following.segments import SegmentGuide

GROUP: Final = "quorate.abstractions"
"""The entry points at which packages offer a ``Followed`` of a family of their own."""


def _ledger_of(event: EventRow) -> int | None:
    return event["ledger"] if event["kind"] in HANDLERS else None


LOGS: Final = FollowedLogs()
"""Epochs of logs, without readers."""

LEDGERS: Final = Followed(
    family="ledger",
    text="ensemble_change",
    subject=_ledger_of,
    guide=lambda _: LedgerGuide(),
    needs=tuple(event.word for event in NEEDED),
    leaves_out="payloads, readers, replication, marks and the checker",
    is_apart=True,
)
"""Ledgers, without what becomes of copies that are lost."""


def _layer_of(event: EventRow) -> str | None:
    return "the layer" if event["kind"] in OF_WRITERS else None


SEGMENTS: Final = Followed(
    family="segment",
    text="leaseholder",
    subject=_layer_of,
    guide=lambda parameters: SegmentGuide(parameters.size),
    needs=tuple(event.word for event in ABOUT_WRITERS),
    leaves_out="payloads, iterators, how writers are opened, and what their callers are told",
)
"""Writers of segment layers with one lock for each channel."""


@cache
def followed_families() -> dict[str, Follows]:
    """How the traces of each family are followed, by its name."""
    own: tuple[Follows, ...] = (LOGS, LEDGERS, SEGMENTS)
    offered: tuple[Follows, ...] = tuple(point.load() for point in entry_points(group=GROUP))
    return {followed.family: followed for followed in (*own, *offered)}
