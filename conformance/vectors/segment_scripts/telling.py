"""What of each step can be observed: told by the machine with some flaws, and by the definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, Final

from conformance.vectors.segment_scripts.channels import Channels, Write
from conformance.vectors.segment_scripts.script import Look, ReadAll, Script, SetBounds, WriteAll
from reference_impl.segment.iterator.channels import Readings, bounded_anew_all, opened_all, step_all
from reference_impl.segment.iterator.flaws import Flaw
from reference_impl.segment.iterator.state import Reading, Series, Setting
from reference_impl.segment.storage import Overlap, times_of
from spec.segment.iterator.choices import BY_SEGMENT
from spec.segment.iterator.commands import Close, Error, Next, SeekFirst, Valid
from spec.segment.iterator.definition import OPENED, answered, merged
from spec.segment.iterator.positions import Query
from spec.segment.iterator.times import LATEST, TimeRange, within

Told = Mapping[str, Any]
"""What can be observed of a step, by the names that cases use."""

ERROR: Final = "error"
CONFLICT: Final = "overlap"


def told_by_machine(script: Script, flaws: frozenset[Flaw]) -> Iterator[Told]:
    """What the machine with some flaws shows at each step."""
    channels, setting = script.channels, Setting(script.bounds, script.chunk, BY_SEGMENT, flaws)
    readings = opened_all(script.opened, setting)
    for step in script.steps:
        match step.deed:
            case WriteAll(writes):
                channels, told = _wrote(channels, writes)
                yield told
            case ReadAll(bounds):
                yield _read_all(script.opened, channels, replace(setting, bounds=bounds))
            case SetBounds(bounds):
                setting = replace(setting, bounds=bounds)
                readings = bounded_anew_all(readings, setting)
                yield _shown(readings, {})
            case Look():
                yield _shown(readings, {})
            case command:
                readings, answer = step_all(readings, command, channels.stores, setting)
                is_of_call = isinstance(command, Error | Close)
                error = answer.error if is_of_call else _error(readings)
                yield _shown(readings, {"ok": answer.ok, ERROR: error})


def told_by_definition(script: Script) -> Iterator[Told]:
    """What the definition says of each step: whether it is true, and which values are read, in order of time."""
    channels, bounds = script.channels, script.bounds
    places = dict.fromkeys(script.opened, OPENED)
    read: dict[str, list[int]] = {}
    for step in script.steps:
        match step.deed:
            case WriteAll(writes):
                channels, told = _wrote(channels, writes)
                yield told
                continue
            case ReadAll(asked):
                inside = [_inside(channels, name, asked) for name in script.opened]
                yield {"ok": True, "values": [value for some in inside for value in some], ERROR: None}
                continue
            case SetBounds(bounds):
                places = {name: replace(OPENED, is_closed=one.is_closed) for name, one in places.items()}
                read, oks = {}, [True]
            case Look():
                oks = [True]
            case command:
                answers = {}
                for name in script.opened:
                    places[name], answers[name] = answered(
                        places[name], command, _query(script, bounds, channels, name)
                    )
                oks = [answer.ok for answer in answers.values()]
                if not isinstance(command, Valid | Error | Close):
                    read = {name: _values(channels, name, answer.samples) for name, answer in answers.items()}
        values = [value for name in script.opened for value in read.get(name, [])]
        yield {"ok": merged(oks, BY_SEGMENT.merge), "values": values, ERROR: None}


def _query(script: Script, bounds: Any, channels: Channels, name: str) -> Query:
    store = channels.stores.get(name, ())
    return Query(sorted(times_of(store)), bounds, script.chunk, BY_SEGMENT, [segment.range for segment in store])


def _values(channels: Channels, name: str, times: tuple[int, ...]) -> list[int]:
    values = channels.values(name)
    return [values[time] for time in times]


def _inside(channels: Channels, name: str, bounds: TimeRange) -> list[int]:
    return _values(channels, name, within(sorted(times_of(channels.stores.get(name, ()))), bounds))


def _read_all(names: tuple[str, ...], channels: Channels, setting: Setting) -> Told:
    """Seek the first segment, and read on as long as there is something."""
    readings, answer = step_all(opened_all(names, setting), SeekFirst(), channels.stores, setting)
    frame: dict[str, tuple[Series, ...]] = {}
    while answer.ok:
        readings, answer = step_all(readings, Next(LATEST), channels.stores, setting)
        frame = {name: (*frame.get(name, ()), *readings.frame.get(name, ())) for name in names}
    return {**_shown(replace(readings, frame=frame), {"ok": True}), ERROR: _error(readings)}


def _wrote(channels: Channels, writes: tuple[Write, ...]) -> tuple[Channels, Told]:
    try:
        return reduce(Channels.after, writes, channels), {"ok": True, ERROR: None}
    except Overlap:
        return channels, {"ok": False, ERROR: CONFLICT}


def _error(readings: Readings) -> str | None:
    return next((one.error for one in readings.of.values() if one.error is not None), None)


def _shown(readings: Readings, told: Told) -> Told:
    """What an iterator shows beside an answer: that of one channel has a view, that of several has a frame."""
    first: Reading = next(iter(readings.of.values()))
    frame = [{"channel": channel, **_series(series)} for channel, parts in readings.frame.items() for series in parts]
    return {
        "ok": True,
        ERROR: _error(readings),
        "valid": all(one.is_valid for one in readings.of.values()),
        "len": sum(len(series.values) for series in first.frame),
        "view": list(first.view),
        "series": [_series(series) for series in first.frame],
        "frame": frame,
        **told,
    }


def _series(series: Series) -> dict[str, Any]:
    return {"time_range": list(series.range), "values": list(series.values)}
