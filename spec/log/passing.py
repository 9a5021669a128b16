"""Passing: what it means that a reader has an answer for an LSN, and that the answer is not its record.

Source: LogDevice, Read path, How reads happen: records come in the order of their sequence numbers, so whoever is
given a later one will never be given what lies before it. What a reader passes over in silence, the books of clients
say (``spec.client.bookkeeping``).
"""

from __future__ import annotations

from spec.language.handles import Bool, known
from spec.log.views import Slot


def is_passed_over(slot: Slot) -> Bool:
    """A read goes on beyond the LSN without its record: by a hole, a bridge, a loss, a wrong trim, or in silence.

    Unknown where a reader is told that it was trimmed, and nobody recorded what was.
    """
    told = known(slot.passed_upto) & (slot.passed_upto >= slot.lsn)
    untold = known(slot.passed_without_reason_upto) & (slot.passed_without_reason_upto >= slot.lsn)
    below = slot.perhaps_passed_upto.when(slot.perhaps_passed_upto < slot.lsn)
    perhaps = known(slot.perhaps_passed_upto) & (below >= slot.lsn)
    return told | untold | perhaps


def is_answered_for(slot: Slot) -> Bool:
    """Some read came as far as this LSN: it was given the record, told of a gap, or passed over it."""
    told = known(slot.told_upto) & (slot.told_upto >= slot.lsn)
    return slot.delivered | told
