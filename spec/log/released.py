"""Released: whether a release covers an LSN, and came in time.

Source: LogDevice, Read path, How reads happen: a release is of everything up to its LSN.
"""

from __future__ import annotations

from spec.language.handles import Bool, Int, known
from spec.log.views import Slot


def is_released_by(slot: Slot, time: Int) -> Bool:
    """A release that covers the LSN came no later than a time; unknown where no clock tells when it came."""
    return known(slot.next_release) & came_by(slot.covering_release, slot.next_untimed_release, time)


def is_before_release(slot: Slot, time: Int) -> Bool:
    """A time was no later than any release that covers the LSN; unknown where no clock tells when one came."""
    timed = time.when(~known(slot.next_untimed_release))
    return time.not_after(slot.covering_release) & timed.not_after(slot.covering_release)


def came_by(first: Int, untimed: Int, time: Int) -> Bool:
    """The first of several events came no later than a time; unknown where it may be one whose time is not known.

    Args:
        first: the least time of those whose time is known.
        untimed: where there is one whose time is not known; NULL: nowhere.
        time: the time.
    """
    return first.not_after(time) | first.not_after(time.when(~known(untimed)))
