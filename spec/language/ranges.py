"""Ranges: what the comprehension that is being read ranges over.

``for x in ...`` inside ``count``, ``every``, ``some`` or ``none`` runs its body once. Whoever hands out the variable
notes here what it stands for: a domain of a location scope, or an element of one of a protocol text's sorts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from spec.language.terms import Binder


@dataclass
class Ranges:
    """What one comprehension has drawn from so far; binders stand innermost first."""

    scope: str | None = None
    binders: list[Binder] = field(default_factory=list)


_open: ContextVar[Ranges | None] = ContextVar("ranges", default=None)


def open_ranges() -> Ranges | None:
    """What the comprehension that runs now ranges over; None outside of quantifiers."""
    return _open.get()


@contextmanager
def comprehension() -> Iterator[Ranges]:
    """Run one comprehension; its ranges are complete when it ends."""
    ranges = Ranges()
    token = _open.set(ranges)
    try:
        yield ranges
    finally:
        _open.reset(token)
