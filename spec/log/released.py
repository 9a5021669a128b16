"""Released: whether a release covers an LSN, and came in time.

Source: LogDevice, Read path, How reads happen: a release is of everything up to its LSN.
"""

from __future__ import annotations

from spec.language.handles import Bool, Int, known
from spec.log.views import Slot


def is_released_by(slot: Slot, time: Int) -> Bool:
    """A release that covers the LSN came no later than a time; unknown where no clock tells when it came."""
    return known(slot.next_release) & slot.covering_release.not_after(time)
