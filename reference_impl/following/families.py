"""The families whose traces are followed by a text that is proved; packages may offer more."""

from __future__ import annotations

from typing import Final

from reference_impl.following.checker import Followed, Follows
from reference_impl.following.claims import EventRow
from reference_impl.following.ledgers.guide import HANDLERS, NEEDED, LedgerGuide
from reference_impl.following.logs.checker import FollowedLogs
from reference_impl.following.segments import HANDLERS as OF_WRITERS
from reference_impl.following.segments import NEEDED as ABOUT_WRITERS
from reference_impl.following.segments import SegmentGuide
from spec.offers import names, offered
from spec.protocols.registry import text

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


OWN: Final[dict[str, Follows]] = {followed.family: followed for followed in (LOGS, LEDGERS, SEGMENTS)}


def followed_names() -> tuple[str, ...]:
    """The families whose traces are followed by a text: quorate's own, and those that installed packages offer."""
    return names(GROUP, OWN)


def followed_by(family: str) -> Follows | None:
    """How traces of a family are followed; None if by no text.

    Raises:
        BrokenPackage: a package offers that and cannot give it, or names a text that nobody knows.
    """
    return OWN.get(family) or offered(GROUP, family, "family", _with_text)


def _with_text(followed: Follows) -> Follows:
    """The same, whose text there is.

    Raises:
        UnknownText: there is none.
    """
    if isinstance(followed, Followed):
        text(followed.text)
    return followed
