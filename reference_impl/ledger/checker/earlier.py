"""What an earlier run found sound, and how long that stands: what did not change since is not asked about again.

BP-34 asks about every ledger in every run. What is lost here: a copy that vanishes while the metadata and the
registration of its bookie stay as they are is found once its ledger is asked about again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from spec.ledger.metadata import Metadata


class Sound(NamedTuple):
    """A ledger that was found sound.

    Attributes:
        version: the version of the metadata that it was held to.
        asked_ms: when its bookies were asked.
    """

    version: int
    asked_ms: int


@dataclass(frozen=True)
class Earlier:
    """What an earlier run left.

    Attributes:
        sound: the ledgers that it found sound.
        present: the bookies that were registered then, and are now, if they can be trusted.
        oldest_ms: what was asked before is asked again.
    """

    sound: Mapping[int, Sound] = field(default_factory=dict)
    present: frozenset[str] = frozenset()
    oldest_ms: int = 0

    def stands(self, ledger: int, metadata: Metadata, version: int) -> bool:
        """A ledger stays sound while its metadata is as it was, and all its bookies are registered, as they were."""
        before = self.sound.get(ledger)
        if before is None or before.version != version or before.asked_ms < self.oldest_ms:
            return False
        return all(self.present.issuperset(segment.ensemble) for segment in metadata.segments)
