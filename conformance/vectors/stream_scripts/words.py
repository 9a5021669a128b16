"""Words of a script: the names of timers, of events of the event log, and of what may be discarded."""

from __future__ import annotations

import re
from typing import Final

from conformance.vectors.fields import Fields
from reference_impl.log.stream import outputs
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status

_TIMERS: Final = {
    "stall": Timer.STALL_GRACE,
    "grace": Timer.GRACE,
    "redelivery": Timer.REDELIVERY,
    "reattempt": Timer.REATTEMPT_START,
    "metadata": Timer.METADATA_RETRY,
    "shardsdown": Timer.SHARDS_DOWN,
    "allsendall": Timer.ALL_SEND_ALL,
    "reconnect": Timer.RECONNECT,
    "started": Timer.STARTED,
}
"""Words by which the names of timers tell which they are, the more special ones first."""

_NO_LOG: Final = re.compile(r"\blog\b.*\b(not|missing|removed|absent|deleted)\b.*\bconfig", re.IGNORECASE)

OF_SHARDS: Final = (Timer.RECONNECT, Timer.STARTED)
"""The timers of which each shard has its own."""

_EVENTS: Final = {
    "SHARD_NEEDS_REBUILD": Status.UNAVAILABLE,
    "SHARD_UNRECOVERABLE": Status.UNDERREPLICATION,
    "SHARD_IS_REBUILT": Status.AUTHORITATIVE_EMPTY,
    "SHARD_ACK_REBUILT": Status.FULLY_AUTHORITATIVE,
    "SHARD_ABORT_REBUILD": Status.FULLY_AUTHORITATIVE,
}
"""What events of the event log make of a shard: LogDevice, docs/Rebuilding.md; rebuilt is what every donor rebuilt."""

_DONE: Final = {
    "start": outputs.SendStart,
    "window": outputs.SendWindow,
    "stop": outputs.SendStop,
    "record": outputs.Delivered,
    "gap": outputs.GapDelivered,
    "metadata": outputs.AskMetadata,
}
"""Words for what a stream does."""


def timer_of(entry: Fields) -> Timer:
    """The timer that a step names.

    Raises:
        DamagedVectors: it names none.
    """
    for word, timer in _TIMERS.items():
        if word in entry.text("timer").lower():
            return timer
    raise entry.refuse_part("no such timer", "timer", f"a name with one of {', '.join(_TIMERS)}")


def status_after(entry: Fields) -> Status:
    """What the event of a step makes of a shard; words after its name only explain it.

    Raises:
        DamagedVectors: there is no such event.
    """
    name = entry.text("event").partition(" ")[0]
    if name not in _EVENTS:
        raise entry.refuse_part("no such event", "event", f"one of {', '.join(_EVENTS)}")
    return _EVENTS[name]


def kind_of_output(entry: Fields) -> type:
    """The kind of what a stream does that a step discards.

    Raises:
        DamagedVectors: it names none.
    """
    for word, kind in _DONE.items():
        if entry.text("what").startswith(word):
            return kind
    raise entry.refuse_part("nothing that is done", "what", f"one of {', '.join(_DONE)}")


def lacks_log(entry: Fields) -> bool:
    """A step whose note says that the configuration has no such log."""
    return _NO_LOG.search(str(entry.raw("note"))) is not None
