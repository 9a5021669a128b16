"""Telling runs of ``mutation``: a recovery among nodes of which some take no writes."""

from __future__ import annotations

from reference_impl.telling.recovery import RecoveryTeller
from spec.events import READ_ONLY, WRITABLE, Fault


class MutationTeller(RecoveryTeller):
    """One epoch and its recoveries, on nodes of which some are read-only for a while."""

    def stop_writes(self, node: int) -> None:
        """A node becomes read-only."""
        self.chronicle.write("controller", Fault, node=node, what=READ_ONLY)

    def take_writes(self, node: int) -> None:
        """A node takes writes again."""
        self.chronicle.write("controller", Fault, node=node, what=WRITABLE)
