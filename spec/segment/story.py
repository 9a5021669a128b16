"""How the events of a segment layer are told to people: session by session, each by its requests."""

from __future__ import annotations

from typing import Final

from spec.language.story import Lanes, Plot, Saying, Story, Telling
from spec.segment.events import (
    Acknowledged,
    Asked,
    Called,
    Cancelled,
    Closed,
    Created,
    Deleted,
    ErrorTold,
    Executed,
    Forgotten,
    Gap,
    Given,
    Joined,
    Learnt,
    LockRefused,
    LockReleased,
    LockTaken,
    Opened,
    OutputClosed,
    PartClosed,
    PartOpened,
    RangeKnown,
    Refused,
    Rejected,
    Requested,
    RequestsClosed,
    Returned,
    Sent,
    ShutDown,
    Stored,
    Window,
    Written,
)
from spec.segment.events.universes import CHANNELS
from spec.segment.events.values import FREE, JOINED, OPERATIONS, REFUSALS


def _channel(said: Saying) -> str:
    """What the channel is called."""
    return said.names.of(CHANNELS, said.get("channel"))


def _answer(said: Saying) -> str:
    """Yes or no."""
    return "true" if said.get("ok") == 1 else "false"


def _error(said: Saying) -> str:
    """Whether an error is told."""
    return "an error" if said.get("failed") == 1 else "no error"


def _holder(said: Saying) -> str:
    """Who holds a lock from then on."""
    holder = said.get("holder")
    return "nobody" if holder == FREE else f"session {holder}"


def _piece(said: Saying) -> str:
    """Which samples."""
    count = said.get("samples")
    some = f"{count} sample{'' if count == 1 else 's'}"
    return f"{some} of {_channel(said)} from {said.get('start')} to {said.get('last')} ns"


def _stretch(said: Saying) -> str:
    """Which stretch of time of which channel."""
    return f"{_channel(said)} from {said.get('start')} up to {said.get('upto')} ns"


def _operation(said: Saying) -> str:
    """Which operation."""
    return _CALLED[said.get("op")]


def _fate(said: Saying) -> str:
    """What became of a node."""
    return "joins the cluster" if said.get("what") == JOINED else "dies"


def _why(said: Saying) -> str:
    """Why something was not opened."""
    return _REFUSED[said.get("reason")]


_CALLED: Final = {number: word.replace("_", " ") for word, number in OPERATIONS.items()}
_REFUSED: Final = {number: word.replace("_", " ") for word, number in REFUSALS.items()}

PHRASES: Final = {
    "op": _operation,
    "fate": _fate,
    "reason": _why,
    "answer": _answer,
    "error": _error,
    "now": _holder,
    "piece": _piece,
    "times": _stretch,
}
"""Words for parts of events."""

_BEFORE: Final = (
    Telling(Joined, "{node} {fate}."),
    Telling(Created, "{channel} is created at {leaseholder}: {density} bytes every {period} ns."),
    Telling(Learnt, "{node} learns of {channel}: {density} bytes every {period} ns at {leaseholder}."),
    Telling(Deleted, "{channel} is deleted."),
    Telling(Forgotten, "{node} forgets {channel}."),
)

_OPENING: Final = (
    Telling(Asked, "{recorder} asks {gateway} for {session}."),
    Telling(Requested, "It is for {channel}, which {leaseholder} leads."),
    Telling(
        LockTaken, "{session} takes the lock of {channel} with authority {authority}, turn {turn}: {now} holds it."
    ),
    Telling(LockRefused, "{session} is refused the lock of {channel}, turn {turn}: {now} holds it."),
    Telling(PartOpened, "{node} opens its part of {session}."),
    Telling(Opened, "{gateway} opens {session} on {parts_on}."),
    Telling(Refused, "{session} is refused: {reason}."),
)

_CALLING: Final = (
    Telling(Called, "{recorder} asks {session} for {op}, request {request}."),
    Telling(Written, "{recorder} gives {session} {piece}, request {request}."),
    Telling(Executed, "{node} executes request {request} of {session}."),
    Telling(Stored, "{node} stores {piece} for {session}, request {request}."),
    Telling(Rejected, "{node} rejects what {session} has for {channel}, request {request}."),
    Telling(Sent, "{node} sends {piece} for request {request} of {session}."),
    Telling(Acknowledged, "{node} acknowledges request {about} with {answer}; it counts for {request}."),
    Telling(Window, "Request {request} of {session} covers {times}, scan {scan}."),
    Telling(Given, "{recorder} is given {piece} for request {request} of {session}, scan {scan}."),
    Telling(Gap, "{recorder} is given nothing of {times}, scan {scan}."),
    Telling(Returned, "Request {request} of {session} returns {answer} and {error}."),
    Telling(ErrorTold, "{recorder} is told of an error of request {request}."),
)

_ENDING: Final = (
    Telling(RequestsClosed, "{recorder} closes the input of {session}."),
    Telling(Cancelled, "{session} is cancelled after request {request}."),
    Telling(PartClosed, "{node} closes its part of {session}."),
    Telling(LockReleased, "{session} gives up the lock of {channel}, turn {turn}: {now} holds it."),
    Telling(OutputClosed, "The output of {session} closes."),
    Telling(Closed, "Close of {session} returns with {error}."),
    Telling(RangeKnown, "Metadata tell of samples of {channel} from {start} ns on at {node}."),
    Telling(ShutDown, "{node} has shut down."),
)

STORY: Final = Story(
    first=(*_BEFORE, *_OPENING, *_CALLING, *_ENDING),
    phrases=PHRASES,
    lanes=Lanes(order=()),
    plot=Plot(identity="digest"),
    asking=frozenset({"client"}),
    serving=frozenset({"gateway"}),
)
"""Each recorder has a lane of its own."""
