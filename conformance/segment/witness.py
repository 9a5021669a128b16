"""Who may look on while a cluster carries out a script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from reference_impl.segment.gateway.machine import Action
from reference_impl.segment.gateway.state import Session
from reference_impl.segment.storage import Store
from spec.segment.iterator.times import TimeRange


class Witness(Protocol):
    """Is told of all that happens, when it happens; iterators are numbered from 1."""

    def stored(self, node: int, channel: str, before: Store, after: Store) -> None:
        """A commit has changed what a node stores of a channel."""
        ...

    def opened(self, iterator: int, leaders: Mapping[str, int], bounds: TimeRange) -> None:
        """An iterator was opened."""
        ...

    def happened(self, iterator: int, action: Action, before: Session, after: Session) -> None:
        """Something happened to an iterator."""
        ...


class Nobody:
    """Nobody looks on."""

    def stored(self, node: int, channel: str, before: Store, after: Store) -> None:
        """Nothing is noted."""

    def opened(self, iterator: int, leaders: Mapping[str, int], bounds: TimeRange) -> None:
        """Nothing is noted."""

    def happened(self, iterator: int, action: Action, before: Session, after: Session) -> None:
        """Nothing is noted."""
