"""What a script expects of its read stream: each ``expect`` of a step, and what there is to compare with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeAlias, TypeVar

from conformance.vectors.cases import Case, part
from conformance.vectors.errors import DamagedVectors
from conformance.vectors.stream_scripts.script import Script
from conformance.vectors.stream_scripts.words import OF_SHARDS, timer_of
from reference_impl.log.lsn import epoch_of, esn_of
from reference_impl.log.stream.health import is_healthy
from reference_impl.log.stream.outputs import AskMetadata, Delivered, GapDelivered, SendStart, SendStop, SendWindow
from reference_impl.log.stream.surroundings import LSN_MAX
from reference_impl.log.stream.timers import Timer

Found: TypeAlias = tuple[Script, Any, Any]
"""The script, what is expected, and what is seen."""

T = TypeVar("T")


def _consumed(script: Script, kind: type[T]) -> tuple[Script, list[T]]:
    """What the stream did of one kind, which nobody will ask about again."""
    rest = tuple(one for one in script.did if not isinstance(one, kind))
    return replace(script, did=rest), [one for one in script.did if isinstance(one, kind)]


def told_lsn(lsn: int) -> str:
    """An LSN as scripts write it."""
    return "LSN_MAX" if lsn == LSN_MAX else f"e{epoch_of(lsn)}n{esn_of(lsn)}"


def _records(script: Script, entry: Case, where: str) -> Found:
    script, done = _consumed(script, Delivered)
    return script, part(entry, "lsns", list, where), [told_lsn(one.lsn) for one in done]


def _gaps(script: Script, entry: Case, where: str) -> Found:
    script, done = _consumed(script, GapDelivered)
    found = [[one.kind.value, told_lsn(one.first), told_lsn(one.upto)] for one in done]
    return script, part(entry, "gaps", list, where), found


def _start_messages(script: Script, entry: Case, where: str) -> Found:
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
    return script, *_messages(entry, found, where)


def _window_messages(script: Script, entry: Case, where: str) -> Found:
    script, done = _consumed(script, SendWindow)
    found = {script.name(one.shard): {"low": told_lsn(one.low), "high": told_lsn(one.high)} for one in done}
    return script, *_messages(entry, found, where)


def _stop_messages(script: Script, entry: Case, where: str) -> Found:
    script, done = _consumed(script, SendStop)
    return script, *_messages(entry, {script.name(one.shard): {} for one in done}, where)


def _messages(entry: Case, found: dict[str, dict[str, Any]], where: str) -> tuple[Any, Any]:
    """One message to each of some shards, all alike in what the step names; what it does not name is not compared.

    A later message to a shard has overtaken an earlier one that nobody asked about.
    """
    said = {name: value for name, value in entry.items() if name not in ("expect", "to", "note")}
    if "filtered_out" in said:
        said["filtered_out"] = _names(said["filtered_out"], where)
    expected = dict.fromkeys(_names(part(entry, "to", list, where), where), said)
    seen = {shard: {name: message[name] for name in said if name in message} for shard, message in found.items()}
    return expected, dict(sorted(seen.items()))


def _names(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise DamagedVectors("no shards", repr(value), "a list of names", where)
    return sorted(value)


def _metadata_requests(script: Script, entry: Case, where: str) -> Found:
    script, done = _consumed(script, AskMetadata)
    return script, part(entry, "epochs", list, where), [one.epoch for one in done]


def _timer_active(script: Script, entry: Case, where: str) -> Found:
    timer = timer_of(entry.get("timer"), where)
    if timer in OF_SHARDS:
        return _timer_of_shard(script, entry, where, timer)
    return script, part(entry, "value", bool, where), timer in script.stream.timers


def _timer_of_shard(script: Script, entry: Case, where: str, timer: Timer) -> Found:
    script, shard = script.shard(entry.get("shard"), where)
    sender = script.stream.senders.get(shard)
    runs = sender is not None and (sender.reconnecting if timer is Timer.RECONNECT else sender.awaited)
    return script, part(entry, "value", bool, where), runs


def _state(look: Callable[[Script], object], kind: type) -> Callable[[Script, Case, str], Found]:
    """A part of the stream's state."""
    return lambda script, entry, where: (script, part(entry, "value", kind, where), look(script))


EXPECTATIONS: Final[dict[str, Callable[[Script, Case, str], Found]]] = {
    "records": _records,
    "gaps": _gaps,
    "start_messages": _start_messages,
    "window_messages": _window_messages,
    "stop_messages": _stop_messages,
    "metadata_requests": _metadata_requests,
    "timer_active": _timer_active,
    "reconnect_timer_active": lambda script, entry, at: _timer_of_shard(script, entry, at, Timer.RECONNECT),
    "rewind_scheduled": _state(lambda script: script.stream.rewinding, bool),
    "scd_active": _state(lambda script: script.stream.single_copy.active, bool),
    "disposed": _state(lambda script: script.stream.disposed, bool),
    "connection_healthy": _state(lambda script: is_healthy(script.stream), bool),
    "last_epoch_with_metadata": _state(lambda script: script.stream.known.last_epoch, int),
}
"""What a step may expect."""
