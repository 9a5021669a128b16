"""Following one trace by the text of its family that is proved: is each event a step of it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.check.engines import Progress, silent
from conformance.replay.orders import AgainstOwnOrder, Stuck, as_written, by_clocks, in_own_order
from conformance.replay.replaying import EVERY, OUT_OF_ORDER, Order, is_shuffled
from conformance.trace.header import Header
from conformance.trace.open import Trace
from conformance.trace.rows import EventRow
from reference_impl.following.checker import Checker, Counts, Follows, Refusal
from reference_impl.following.claims import CannotFollow
from reference_impl.following.families import followed_by, followed_names
from spec.language.events import all_events
from spec.language.outcomes import Verdict


class NotFollowed(LookupError):
    """No text follows the traces of a family; the message names the families that one does."""


@dataclass(frozen=True)
class FollowedTrace:
    """What following says.

    Attributes:
        followed: how the family's traces are followed.
        verdict: holds if every event is a step; violated if one is none, whatever happened that was not recorded.
        reason: why the verdict is unknown; "" otherwise.
        taken: events that are steps, or of which no text speaks, up to the one that is refused.
        texts: how many texts were followed, one for each ledger for example.
        steps: how many steps they took.
        choices: how many events could be several steps.
        passed_over: how many events there are of each kind, by word, of which the text does not speak.
    """

    trace: str
    header: Header
    followed: Follows
    verdict: Verdict
    reason: str
    taken: int
    texts: int
    steps: int
    choices: int
    passed_over: Mapping[str, int]
    refusal: Refusal | None


def follow(trace: Trace, progress: Progress = silent, order: Order | None = None) -> FollowedTrace:
    """Say whether each event of a trace is a step of the text that its family is followed by.

    Args:
        trace: a trace in any form; one that is followed by its clocks is kept in memory.
        progress: told now and then how many events were followed.
        order: the order of events of different recorders; by default as they are written, unless the trace is sorted or
            has several clocks.

    Raises:
        NotFollowed: its family has no such text.
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    header = trace.header
    followed = followed_of(header.family.name)
    by_clock = trace.sorted or header.clock_bound_ns > 0
    try:
        checker, stuck, reason = _run(trace, followed, progress, order or ("clocks" if by_clock else None))
    except AgainstOwnOrder:
        order = "clocks"
        checker, stuck, reason = _run(trace, followed, progress, order)
    if order is None and not by_clock and stuck is not None and is_shuffled(trace):
        written = stuck.refusal
        checker, stuck, reason = _run(trace, followed, progress, "clocks")
        reason = reason or ("" if stuck is not None else OUT_OF_ORDER % written.number)
    return told_of(trace, followed, checker, stuck, reason)


def told_of(trace: Trace, followed: Follows, came: Counts, stuck: Stuck[Refusal] | None, reason: str) -> FollowedTrace:
    """What is to be told of a trace, by how far its texts came, where they got stuck, and why nothing is certain."""
    header = trace.header
    reason = reason or _reason(header, followed, stuck)
    verdict = _verdict(stuck, reason)
    words = {event.kind: event.word for event in all_events(header.family.events) if event.kind is not None}
    return FollowedTrace(
        str(trace.path),
        header,
        followed,
        verdict,
        reason,
        came.taken,
        came.subjects,
        came.steps,
        came.choices,
        {words[kind]: count for kind, count in sorted(came.passed_over.items())},
        stuck.refusal if stuck is not None and verdict is Verdict.VIOLATED else None,
    )


def _run(
    trace: Trace, followed: Follows, progress: Progress, order: Order | None
) -> tuple[Checker, Stuck[Refusal] | None, str]:
    """The texts after the events, where they got stuck, and why nothing certain can be said, or "".

    Without an order it is the one in which events are written, if recorders say the same.

    Raises:
        AgainstOwnOrder: one of them does not.
    """
    checker = followed.checker(trace.parameters())
    events = _events(trace, progress)
    try:
        if order == "clocks":
            return checker, by_clocks(checker, events, trace.header.clock_bound_ns), ""
        return checker, as_written(checker, in_own_order(events) if order is None else events), ""
    except CannotFollow as error:
        return checker, None, str(error)


def followed_of(family: str) -> Follows:
    """How traces of a family are followed.

    Raises:
        NotFollowed: by no text.
    """
    followed = followed_by(family)
    if followed is None:
        raise NotFollowed(f"no text follows traces of the family {family!r}: there are {', '.join(followed_names())}")
    return followed


def _events(trace: Trace, progress: Progress) -> Iterator[EventRow]:
    for done, event in enumerate(trace.events()):
        if not done % EVERY:
            progress("following", done, 0)
        yield event


def _reason(header: Header, followed: Follows, stuck: Stuck[Refusal] | None) -> str:
    """Why nothing certain can be said; "" where it can."""
    missing = [word for word in followed.needs if header.completeness(word) != "complete"]
    if missing:
        return f"not recorded completely: {', '.join(missing)}"
    if stuck is not None and stuck.choices:
        return f"{stuck.choices:,} times more than one event could come next; another order might go further"
    return ""


def _verdict(stuck: Stuck[Refusal] | None, reason: str) -> Verdict:
    if reason:
        return Verdict.UNKNOWN
    return Verdict.HOLDS if stuck is None else Verdict.VIOLATED
