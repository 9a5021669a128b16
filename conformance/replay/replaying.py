"""Replaying one trace: which guards are asked of it, what the machine says, and what that is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

from conformance.check.engines import Progress, silent
from conformance.replay.orders import AgainstOwnOrder, Stuck, as_written, by_clocks, in_own_order
from conformance.trace.header import Header
from conformance.trace.open import Trace
from conformance.trace.rows import EventRow
from reference_impl.replay import GUARDS, Guard, Refusal, TraceChecker
from reference_impl.replay.known_parameters import NOTHING_KNOWN, known_of
from spec.events import (
    Allow,
    AppenderDone,
    Ask,
    Chosen,
    DeleteSent,
    Described,
    Draining,
    Event,
    Greylisted,
    Learnt,
    Purged,
    PurgeSurvivor,
    Reinstated,
    Ship,
    SoftSealed,
    Streamed,
    Trim,
    Trimmed,
)
from spec.language.events import all_events
from spec.language.outcomes import Verdict

EVERY: Final = 4096
"""Events after which progress is told."""

Order: TypeAlias = Literal["written", "clocks"]
"""In which order events of different recorders are replayed."""

SYSTEM: Final = "reference machine"
"""How simulated runs name what was recorded; only of that it is known how long it waits."""

_ON_THE_WIRE: Final = (Ask, Allow, Ship, Greylisted, Reinstated, Learnt)
_AT_NODES: Final = (SoftSealed, Purged, PurgeSurvivor, Trim, Trimmed)
_AT_SEQUENCERS: Final = (Chosen, Streamed, DeleteSent, AppenderDone, Described, Draining)
HIDDEN: Final = frozenset(event.word for event in (*_ON_THE_WIRE, *_AT_NODES, *_AT_SEQUENCERS))
"""What only some plans tell of, as what goes over the wire: a trace that does not is whole all the same."""

CLOCKS_AGREE: Final = "recorder.shares_the_clock"
OUT_OF_ORDER: Final = (
    "events such as number %d are written after later ones, so only the clock orders the trace, and by that every "
    "event is a step; if events are not written down as they happen, say --order clocks"
)

MOVED: Final = 2
"""So many events of a trace are older than those before them, at most, if one event changed its place with another."""

WORDS: Mapping[int, str] = {event.kind: event.word for event in all_events(Event) if event.kind is not None}
"""What each kind of event is called."""


class UnknownGuard(LookupError):
    """No guard matches a pattern; the message names those that there are."""


@dataclass(frozen=True)
class Replayed:
    """What a replay says.

    Attributes:
        verdict: holds if every event is a step; violated if one is none, whatever happened that was not recorded.
        reason: why the verdict is unknown; "" otherwise.
        taken: events that are steps, up to the one that is refused.
        asked: the guards that were asked.
        set_aside: the guards that were not, and why.
        passed_over: how many events there are of each kind, by word, that the machine does not know.
    """

    trace: str
    header: Header
    verdict: Verdict
    reason: str
    taken: int
    asked: tuple[Guard, ...]
    set_aside: Mapping[str, str]
    passed_over: Mapping[str, int]
    refusal: Refusal | None


def replay(
    trace: Trace, without: Iterable[str] = (), progress: Progress = silent, order: Order | None = None
) -> Replayed:
    """Say whether a trace is a behaviour of the machine.

    Args:
        trace: a trace in any form; one that is replayed by its clocks is kept in memory.
        without: patterns of guards that are not to be asked.
        progress: told now and then how many events were replayed.
        order: the order of events of different recorders; by default as they are written, unless the trace is sorted or
            has several clocks.

    Raises:
        UnknownGuard: a pattern matches none.
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    aside = set_aside(trace.header, without)
    asked = tuple(guard for guard in GUARDS if guard.id not in aside)
    by_clock = trace.sorted or trace.header.clock_bound_ns > 0
    try:
        machine, stuck = _run(trace, asked, progress, order or ("clocks" if by_clock else None))
    except AgainstOwnOrder:
        order = "clocks"
        machine, stuck = _run(trace, asked, progress, order)
    written = None
    disordered = stuck is not None and (stuck.refusal.guard.id == CLOCKS_AGREE or is_shuffled(trace))
    if order is None and not by_clock and stuck is not None and disordered:
        written, (machine, stuck) = stuck.refusal, _run(trace, asked, progress, "clocks")
    reason = _reason(trace.header, machine, stuck, aside) or ("" if written is None else OUT_OF_ORDER % written.number)
    if stuck is not None and not stuck.choices:
        verdict = Verdict.VIOLATED
    else:
        verdict = Verdict.UNKNOWN if reason else Verdict.HOLDS
    return Replayed(
        str(trace.path),
        trace.header,
        verdict,
        reason if verdict is Verdict.UNKNOWN else "",
        machine.taken,
        asked,
        aside,
        {WORDS[kind]: count for kind, count in sorted(machine.unknown.items())},
        None if stuck is None else stuck.refusal,
    )


def _run(
    trace: Trace, asked: tuple[Guard, ...], progress: Progress, order: Order | None
) -> tuple[TraceChecker, Stuck[Refusal] | None]:
    """The machine after the replay, and where it got stuck; without an order as written, if recorders say the same.

    Raises:
        AgainstOwnOrder: one of them does not.
    """
    recorders = trace.header.recorders
    records = {name: frozenset(recorder.records) for name, recorder in recorders.items()}
    in_part = frozenset(name for name, recorder in recorders.items() if "partial" in recorder.records.values())

    def events() -> Iterator[EventRow]:
        for done, event in enumerate(trace.events()):
            if not done % EVERY:
                progress("replaying", done, 0)
            yield event

    parameters = trace.parameters()
    known = known_of(parameters) if trace.header.system.name.startswith(SYSTEM) else NOTHING_KNOWN
    machine = TraceChecker(parameters, records, asked, in_part, known)
    if order == "clocks":
        return machine, by_clocks(machine, events(), trace.header.clock_bound_ns)
    return machine, as_written(machine, in_own_order(events()) if order is None else events())


def is_shuffled(trace: Trace) -> bool:
    """More events are older than the one that is written before them than one event that was moved explains."""
    older, before_ns = 0, None
    for event in trace.events():
        time_ns = event.get("time_ns")
        if time_ns is not None:
            older += before_ns is not None and time_ns < before_ns
            before_ns = time_ns
    return older > MOVED


def set_aside(header: Header, without: Iterable[str] = ()) -> dict[str, str]:
    """The guards that are not asked of a trace, and why.

    Raises:
        UnknownGuard: a pattern matches none.
    """
    patterns = tuple(without)
    for pattern in patterns:
        if not any(fnmatchcase(guard.id, pattern) for guard in GUARDS):
            raise UnknownGuard(f"no guard matches {pattern!r}: there are {', '.join(guard.id for guard in GUARDS)}")
    found: dict[str, str] = {}
    for guard in GUARDS:
        missing = [word for word in guard.needs if header.completeness(word) != "complete"]
        if any(fnmatchcase(guard.id, pattern) for pattern in patterns):
            found[guard.id] = "not wanted"
        elif guard.promise and guard.promise not in header.promises:
            found[guard.id] = f"{guard.promise} is not promised"
        elif missing:
            found[guard.id] = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not recorded completely"
    return found


def _reason(header: Header, machine: TraceChecker, stuck: Stuck[Refusal] | None, aside: Mapping[str, str]) -> str:
    """Why nothing certain can be said; "" where it can."""
    if stuck is not None:
        return f"{stuck.choices:,} times more than one event could come next; another order might go further"
    needed = {word for guard in GUARDS for word in guard.needs} - HIDDEN
    poor = sorted(word for word in needed if header.completeness(word) != "complete")
    if poor:
        return f"not recorded completely: {', '.join(poor)}; {len(aside)} guards are not asked"
    if machine.unsure:
        return f"{machine.unsure:,} events leave open what their recorders did not know"
    return "guards were set aside on demand" if "not wanted" in aside.values() else ""
