"""Contents and writers: what lies in a slot, and who put it there, before the text has numbers for them."""

from __future__ import annotations

from typing import Final, NamedTuple

from spec.events import BRIDGE, HOLE
from spec.protocols.sorts import Value

PAYLOAD: Final = len(Value.constants)
"""The element of the sort ``Value`` that stands for what the sequencer took for a slot."""

OTHER_PAYLOAD: Final = PAYLOAD + 1
"""The element that stands for every other payload."""

MARKS: Final = {HOLE: Value.constants.index("hole"), BRIDGE: Value.constants.index("bridge")}
"""The elements that stand for what a recovery writes besides payloads."""

LAST_ROUND: Final = 1 << 30
"""Stands for whatever round a recovery is in."""


class By(NamedTuple):
    """Who writes in an epoch: the recovery by the sequencer of a later epoch, in a round; in none, the sequencer."""

    recovery: int = 0
    round: int = 0


SEQUENCER: Final = By()


class Content(NamedTuple):
    """What the machine has in a slot; the digest is None where it must be what the sequencer took."""

    becomes: int
    digest: int | None = None

    def value(self, slot: int, payloads: tuple[int, ...]) -> int:
        """The element of the sort ``Value``; every payload but the slot's own is one element."""
        if self.becomes in MARKS:
            return MARKS[self.becomes]
        own = payloads[slot] if slot < len(payloads) else None
        return PAYLOAD if self.digest in (None, own) else OTHER_PAYLOAD
