"""Traces in memory with the books of their clients, as ``quorate check`` judges them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.trace.header import Header
from spec.client.bookkeeping import kept, recording_of


def with_books(events: Iterable[Mapping[str, Any]], header: Header) -> list[dict[str, Any]]:
    """The events in trace order, with what their clients' books say."""
    return kept(events, recording_of(header))
