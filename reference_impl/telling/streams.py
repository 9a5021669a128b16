"""Telling runs of ``streams``: appends of which some are a write stream of one client."""

from __future__ import annotations

from typing import ClassVar

from reference_impl.telling.recovery import LOG, RecoveryTeller
from reference_impl.telling.teller import EPOCH
from spec.events import Append, Streamed


class StreamsTeller(RecoveryTeller):
    """One epoch whose sequencer also takes appends of one stream, all of one client."""

    by_controller: ClassVar[tuple[str, ...]] = (*RecoveryTeller.by_controller, "streamed")

    def assign_in_stream(self, slot: int, value: int) -> None:
        """The sequencer gives an LSN to the next append of the stream."""
        place = len(self.after["streamed"])
        asked = self.clients.append((LOG, EPOCH, slot + 1), value, in_stream=True)
        self.chronicle.write("controller", Append, **self.at(slot), digest=value, sequencer=0)
        self.chronicle.write("controller", Streamed, **self.at(slot), writer=asked.client, place=place)
