"""What a script expects of its read stream: each ``expect`` of a step, and what there is to compare with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeAlias, TypeVar

from conformance.vectors.differences import told_lsn
from conformance.vectors.fields import Fields
from conformance.vectors.stream_scripts.script import Script
from conformance.vectors.stream_scripts.words import OF_SHARDS, timer_of
from reference_impl.log.stream.health import is_healthy
from reference_impl.log.stream.outputs import (
    AskMetadata,
    Delivered,
    GapDelivered,
    GapKind,
    SendStart,
    SendStop,
    SendWindow,
)
from reference_impl.log.stream.timers import Timer

Found: TypeAlias = tuple[Script, Any, Any]
"""The script, what is expected, and what is seen."""

T = TypeVar("T")


def _consumed(script: Script, kind: type[T]) -> tuple[Script, list[T]]:
    """What the stream did of one kind, which nobody will ask about again."""
    rest = tuple(one for one in script.did if not isinstance(one, kind))
    return replace(script, did=rest), [one for one in script.did if isinstance(one, kind)]


def _lsn(fields: Fields, name: str) -> str:
    """An LSN that is expected, written as those that are seen."""
    return told_lsn(fields.lsn(name))


def _records(script: Script, entry: Fields) -> Found:
    script, done = _consumed(script, Delivered)
    return script, list(entry.every("lsns", _lsn)), [told_lsn(one.lsn) for one in done]


def _gaps(script: Script, entry: Fields) -> Found:
    script, done = _consumed(script, GapDelivered)
    found = [[one.kind.value, told_lsn(one.first), told_lsn(one.upto)] for one in done]
    return script, list(entry.every("gaps", _gap)), found


def _gap(fields: Fields, name: str) -> list[str]:
    """A kind of gap, and its ends."""
    gap = fields.members(name, len(("kind", "first", "last")))
    kind, *ends = gap
    return [gap.one_of(kind, GapKind).value, *(_lsn(gap, end) for end in ends)]


def _start_messages(script: Script, entry: Fields) -> Found:
    script, done = _consumed(script, SendStart)
    found = {
        script.name(one.shard): {
            "start": told_lsn(one.first),
            "until": told_lsn(one.until),
            "window_high": told_lsn(one.window_high),
            "filter_version": one.version,
            "scd": one.single_copy,
            "filtered_out": sorted(script.name(shard) for shard in one.filtered_out),
        }
        for one in done
    }
    return script, *_messages(entry, found)


def _window_messages(script: Script, entry: Fields) -> Found:
    script, done = _consumed(script, SendWindow)
    found = {script.name(one.shard): {"low": told_lsn(one.low), "high": told_lsn(one.high)} for one in done}
    return script, *_messages(entry, found)


def _stop_messages(script: Script, entry: Fields) -> Found:
    script, done = _consumed(script, SendStop)
    return script, *_messages(entry, {script.name(one.shard): {} for one in done})


def _names(fields: Fields, name: str) -> list[str]:
    return sorted(fields.every(name, Fields.text))


PARTS: Final[dict[str, Callable[[Fields, str], Any]]] = {
    **dict.fromkeys(("start", "until", "window_high", "low", "high"), _lsn),
    "filter_version": Fields.number,
    "scd": Fields.flag,
    "filtered_out": _names,
}
"""What a message may be expected to say."""


def _messages(entry: Fields, found: dict[str, dict[str, Any]]) -> tuple[Any, Any]:
    """One message to each of some shards, all alike in what the step names; what it does not name is not compared.

    A later message to a shard has overtaken an earlier one that nobody asked about.
    """
    named = [name for name in entry if name in entry and name not in ("expect", "to", "note")]
    said = {name: PARTS.get(name, Fields.raw)(entry, name) for name in named}
    expected = dict.fromkeys(_names(entry, "to"), said)
    seen = {shard: {name: message[name] for name in said if name in message} for shard, message in found.items()}
    return expected, dict(sorted(seen.items()))


def _metadata_requests(script: Script, entry: Fields) -> Found:
    script, done = _consumed(script, AskMetadata)
    return script, list(entry.every("epochs", Fields.number)), [one.epoch for one in done]


def _timer_active(script: Script, entry: Fields) -> Found:
    timer = timer_of(entry)
    if timer in OF_SHARDS:
        return _timer_of_shard(script, entry, timer)
    return script, entry.flag("value"), timer in script.stream.timers


def _timer_of_shard(script: Script, entry: Fields, timer: Timer) -> Found:
    script, shard = script.shard(entry, "shard")
    sender = script.stream.senders.get(shard)
    runs = sender is not None and (sender.reconnecting if timer is Timer.RECONNECT else sender.awaited)
    return script, entry.flag("value"), runs


def _state(look: Callable[[Script], bool]) -> Callable[[Script, Fields], Found]:
    """A truth about the stream's state."""
    return lambda script, entry: (script, entry.flag("value"), look(script))


EXPECTATIONS: Final[dict[str, Callable[[Script, Fields], Found]]] = {
    "records": _records,
    "gaps": _gaps,
    "start_messages": _start_messages,
    "window_messages": _window_messages,
    "stop_messages": _stop_messages,
    "metadata_requests": _metadata_requests,
    "timer_active": _timer_active,
    "reconnect_timer_active": lambda script, entry: _timer_of_shard(script, entry, Timer.RECONNECT),
    "rewind_scheduled": _state(lambda script: script.stream.rewinding),
    "scd_active": _state(lambda script: script.stream.single_copy.active),
    "disposed": _state(lambda script: script.stream.disposed),
    "connection_healthy": _state(lambda script: is_healthy(script.stream)),
    "last_epoch_with_metadata": lambda script, entry: (script, entry.number("value"), script.stream.known.last_epoch),
}
"""What a step may expect."""
