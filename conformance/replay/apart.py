"""Following in parallel: the ledgers of a sorted trace, each by itself, in tasks that read row groups of their own.

A task has the ledgers of a range; it holds one row group and one ledger at a time. What comes of all is what following
in one process says. Where clocks leave the order of events open, each ledger is ordered by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, pairwise
from multiprocessing import get_context
from typing import Final, TypeAlias

from conformance.replay.following import FollowedTrace, followed_of, told_of
from conformance.replay.orders import Stuck, by_clocks
from conformance.trace.open import Parquet, Trace
from conformance.trace.parquet import TraceFile, read_events
from conformance.trace.rows import EventRow
from conformance.trace.statistics import Statistics
from conformance.trace.watch import Watch
from reference_impl.following.checker import Followed, FollowingChecker, Refusal
from reference_impl.following.claims import CannotFollow

SHARES: Final = 4
"""Shares for each who works, so that a slow one does not hold up the rest."""


class NotApart(ValueError):
    """A trace cannot be followed in parallel; the message says why, and after a colon what can be done."""


@dataclass(frozen=True)
class Share:
    """The partitions from a first one to before an end, and the row groups of a file that may have them.

    None: whatever comes before the first cut, or after the last.
    """

    part: TraceFile
    first: int | None
    end: int | None

    def events(self) -> Iterator[EventRow]:
        """Its events, in order."""
        if not self.part.rows:
            return
        header = self.part.header
        column = header.sorted_by.partition
        watch = Watch(Statistics(header.shapes), header.sorted_by, in_order=True)
        for event in read_events((self.part,), watch):
            partition = event.get(column) or 0
            if (self.first is None or partition >= self.first) and (self.end is None or partition < self.end):
                yield event


@dataclass(frozen=True, order=True)
class Stop:
    """Where following stops: the time of the event, who told it, and its number there; what is refused, or why it ends.

    Attributes:
        choices: how many times more than one event could have come next, among those of its ledger.
    """

    time_ns: int
    recorder: str
    seq: int
    refusal: Refusal | None = field(compare=False)
    choices: int = field(compare=False)
    reason: str = field(compare=False)

    def is_before(self, event: EventRow) -> bool:
        """Whether following in one process would have stopped before this event of another ledger."""
        time_ns = event.get("time_ns") or 0
        return time_ns > self.time_ns or (event["recorder"] == self.recorder and event["seq"] > self.seq)


@dataclass
class Counted:
    """What following comes to: how many events were taken, by how many texts, in how many steps; and where it stops."""

    taken: int = 0
    subjects: int = 0
    steps: int = 0
    choices: int = 0
    passed_over: Counter[int] = field(default_factory=Counter)
    stops: list[Stop] = field(default_factory=list[Stop])

    def add(self, other: Counted | FollowingChecker) -> None:
        """Count what others came to, too."""
        self.taken += other.taken
        self.subjects += other.subjects
        self.steps += other.steps
        self.choices += other.choices
        self.passed_over += other.passed_over


Work: TypeAlias = Callable[[Share], Counted]
Run: TypeAlias = Callable[[Work, Sequence[Share]], Iterable[Counted]]
"""Lets others work on shares."""


def in_processes(workers: int) -> Run:
    """Let so many processes of this machine work."""

    def run(work: Work, shares: Sequence[Share]) -> Iterable[Counted]:
        with ProcessPoolExecutor(min(workers, len(shares)), mp_context=get_context("spawn")) as pool:
            yield from pool.map(work, shares)

    return run


def follow_apart(trace: Trace, run: Run, workers: int) -> FollowedTrace:
    """Say whether each event of a sorted trace is a step of the text that its family is followed by.

    Args:
        trace: one file of sorted Parquet, at a path that all who work can read.
        run: lets others work.
        workers: how many of them there are.

    Raises:
        NotApart: it is no such file, or the events of its family are followed as one.
        NotFollowed: its family has no such text.
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    followed = _followed_apart(trace.header.family.name)
    if not isinstance(trace, Parquet) or not trace.sorted or trace.parts[1:]:
        raise NotApart(f"{trace.path} is not one file of sorted Parquet: `quorate trace sort` makes one")
    shares = shares_of(trace.parts[0], workers * SHARES)
    whole = _all_of(run(partial(follow_share, upto=None), shares))
    if not whole.stops:
        return told_of(trace, followed, whole, None, "")
    first = min(whole.stops)
    upto = _all_of(run(partial(follow_share, upto=first), shares))
    if first.refusal is None:
        return told_of(trace, followed, upto, None, first.reason)
    return told_of(trace, followed, upto, Stuck(replace(first.refusal, number=upto.taken + 1), first.choices), "")


def _followed_apart(family: str) -> Followed:
    """How each partition of a family's traces is followed by itself.

    Raises:
        NotApart: they are followed as one.
    """
    followed = followed_of(family)
    if isinstance(followed, Followed) and followed.is_apart:
        return followed
    raise NotApart(f"traces of the family {family!r} are followed as one: leave out what asks for several")


def shares_of(part: TraceFile, most: int) -> list[Share]:
    """A file cut into ranges of partitions of about as many events each, where the file tells what row groups have."""
    whole = sum(part.groups)
    cuts: list[int] = []
    done = 0
    for rows, span in zip(part.groups, part.partitions, strict=True):
        if span is not None and done * most >= whole * (len(cuts) + 1) and span[0] > max(cuts, default=0):
            cuts.append(span[0])
        done += rows
    return [Share(_within(part, first, end), first, end) for first, end in pairwise([None, *cuts, None])]


def _within(part: TraceFile, first: int | None, end: int | None) -> TraceFile:
    """The part as if row groups that have no partition of a range were empty."""

    def has_some(span: tuple[int, int] | None) -> bool:
        return span is None or ((end is None or span[0] < end) and (first is None or span[1] >= first))

    pairs = zip(part.groups, part.partitions, strict=True)
    return replace(part, groups=tuple(rows if has_some(span) else 0 for rows, span in pairs))


def follow_share(share: Share, upto: Stop | None) -> Counted:
    """Follow each partition of a share by itself; all others than that of a stop only as far as that."""
    header, counted = share.part.header, Counted()
    followed, column = _followed_apart(header.family.name), header.sorted_by.partition
    stopped = None if upto is None or upto.refusal is None else upto.refusal.event.get(column)
    for partition, events in groupby(share.events(), lambda event: event.get(column) or 0):
        checker = _Last(followed, header.parameters())
        try:
            stuck = by_clocks(checker, _before(None if partition == stopped else upto, events), header.clock_bound_ns)
        except CannotFollow as error:
            counted.stops.append(_stop(checker.last, None, 0, str(error)))
        else:
            if stuck is not None:
                counted.stops.append(_stop(stuck.refusal.event, stuck.refusal, stuck.choices, ""))
        counted.add(checker)
    return counted


def _before(stop: Stop | None, events: Iterable[EventRow]) -> Iterator[EventRow]:
    return (event for event in events if stop is None or not stop.is_before(event))


class _Last(FollowingChecker):
    """A checker that knows which event was tried last."""

    last: EventRow

    def step(self, event: EventRow) -> Refusal | None:
        """Take an event as a step."""
        self.last = event
        return super().step(event)


def _stop(event: EventRow, refusal: Refusal | None, choices: int, reason: str) -> Stop:
    return Stop(event.get("time_ns") or 0, event["recorder"], event["seq"], refusal, choices, reason)


def _all_of(found: Iterable[Counted]) -> Counted:
    whole = Counted()
    for one in found:
        whole.add(one)
        whole.stops += one.stops
    return whole
