"""Words of a script: the names of timers, of events of the event log, and of what may be discarded."""

from __future__ import annotations

import re
from typing import Any, Final

from conformance.vectors.cases import Case
from conformance.vectors.errors import DamagedVectors
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

_NO_LOG: Final = re.compile(r"\blog\b.*(not present in|removed from) the config")

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


def timer_of(name: Any, where: str) -> Timer:
    """The timer that a name tells.

    Raises:
        DamagedVectors: it tells none.
    """
    for word, timer in _TIMERS.items():
        if isinstance(name, str) and word in name.lower():
            return timer
    raise DamagedVectors("no such timer", repr(name), f"a name with one of {', '.join(_TIMERS)}", where)


def status_after(event: str, where: str) -> Status:
    """What an event makes of a shard; words after its name only explain it.

    Raises:
        DamagedVectors: there is no such event.
    """
    name = event.partition(" ")[0]
    if name not in _EVENTS:
        raise DamagedVectors("no such event", repr(event), f"one of {', '.join(_EVENTS)}", where)
    return _EVENTS[name]


def kind_of_output(name: str, where: str) -> type:
    """The kind of what a stream does that a name tells.

    Raises:
        DamagedVectors: it tells none.
    """
    for word, kind in _DONE.items():
        if name.startswith(word):
            return kind
    raise DamagedVectors("nothing that is done", repr(name), f"one of {', '.join(_DONE)}", where)


def lacks_log(entry: Case) -> bool:
    """A step whose note says that the configuration has no such log."""
    return _NO_LOG.search(str(entry.get("note", ""))) is not None
