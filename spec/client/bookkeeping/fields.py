"""The columns of fields that books read and fill in, by what these say."""

from __future__ import annotations

from typing import Final

from spec.events import Ack, Fault, Gap, Passed, Refused
from spec.language.events import column

WHO: Final = column(Ack.writer)
"""The client that appends, or the stream that reads."""

INVOKED: Final = column(Ack.invoked)
BEGUN_BEFORE: Final = column(Ack.begun_before)
REPEATED: Final = column(Refused.repeated)
REASON: Final = column(Gap.reason)
WHY: Final = column(Passed.why)
FAULT: Final = column(Fault.what)
HOLDERS: Final = column(Ack.holders)
