"""What clients may see: the definition, as a judge of small histories that tries every log.

A history is explained by a log, a partial map from LSNs to appends, if all of this is true:

1. An acknowledged append lies at the LSN of its acknowledgement; a refused one lies nowhere; any other lies anywhere or
   nowhere. An append lies at one LSN at most, and an LSN holds one append at most. An append is itself, whatever its
   payload: payloads repeat.
2. What a reader is given at an LSN is there.
3. Within a read LSNs grow, and what is passed over is as the reader was told. In silence, or told of a hole or bridge:
   nothing is there. Told of a loss: nobody knows of anything there. Told of a trim: the log was trimmed before, as far
   as anybody knows of anything there. Other gaps say nothing.
4. Where a reader is told that it is at the end, nothing lies from there on that was acknowledged before it asked.
5. An append that begins after another was acknowledged lies later, if it lies anywhere: of one client's appends always,
   of two clients' appends where that is promised.
6. Nothing is given before its append began.

"Before" is what ``spec.client.precedence`` says, and that whatever is given began before. A *way* is an order of all
moments that keeps to this; there are as many as recorders and clocks leave open. The verdict is

- ``violated`` if no log explains the history in any way: (6) allows no way for it, or (1) to (3) fail, or in each way
  one of (3) to (5) does. What (3) to (5) ask of time is taken together, not pair by pair;
- ``holds`` if a log explains it in a way in which clocks are right as they stand, and loss was really asked: if
  anything was acknowledged, a read was given, or passed over, an acknowledged LSN. What no clock tells is not held
  against a log;
- ``unknown`` otherwise: where it takes clocks that differ, within their bound; where only trims stand in the way that
  nobody recorded; where nothing was asked; and where recorders and clocks contradict each other, so that there is no
  way at all and only what (1) to (3) say without time can be violated.

Sources: LogDevice, Read path (How reads happen; gaps); Kafka, documentation of the producer (acks,
enable.idempotence) and of the consumer (position, beginning and end offsets). Where they are silent, this is the
project's own definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from spec.client.history import Acknowledged, Append, Gap, History, Read, Unacknowledged
from spec.client.precedence import Order, Pair, known_order, told_order
from spec.events import BRIDGE, DATALOSS, HOLE, SKIPPED, TRIM
from spec.language.outcomes import Verdict

Log = Mapping[int, Append]
"""The append at each LSN that holds one."""

UNANSWERED: Final = (Unacknowledged.INDEFINITE, Unacknowledged.PENDING)
"""The outcomes that nobody knows."""

NOTHING_IS_THERE: Final = (HOLE, BRIDGE, SKIPPED)
"""The gaps that say of each of their LSNs that nothing is there."""


def verdict(history: History) -> Verdict:
    """Whether a log explains what the clients of a history saw: as clocks stand, in some way, or in none.

    Tries each log: the time that it takes grows exponentially with the number of appends of unknown outcome.
    """
    known, told = known_order(history), told_order(history)
    found = set()
    for log in logs(history):
        found.add(explained(history, log, known, told))
        if Verdict.HOLDS in found:
            return Verdict.HOLDS if something_was_asked(history) and loss_was_asked(history) else Verdict.UNKNOWN
    return Verdict.UNKNOWN if Verdict.UNKNOWN in found else Verdict.VIOLATED


def explained(history: History, log: Log, known: Order, told: Order) -> Verdict:
    """Whether one log, in which (1) and (2) are true, explains a history as clocks stand, in some way, or in none."""
    if not all(lsns_grow(read) and what_is_passed_over_is_as_told(history, read, log) for read in history.reads):
        return Verdict.VIOLATED
    if not known.is_possible:
        return Verdict.UNKNOWN
    asked = [
        *what_is_given_began_before(history, log),
        *what_is_at_the_end_was_not_acknowledged(history, log),
        *what_lies_earlier_began_in_time(history, log),
    ]
    ways = [[*asked, *chosen] for chosen in product(*trims_that_allow(history))]
    if trims_are_known(history) and any(told.beside(way).is_possible for way in ways):
        return Verdict.HOLDS
    return Verdict.UNKNOWN if any(known.beside(way).is_possible for way in ways) else Verdict.VIOLATED


def logs(history: History) -> Iterator[Log]:
    """Every log in which (1) and (2) are true.

    What was neither acknowledged nor given may lie where nobody looked. It is left out: were it in, the log would have
    to answer for it and would explain nothing more.
    """
    log = where_acknowledgements_say(history)
    if log is not None:
        given = {(step.lsn, step.payload) for read in history.reads for step in read.given}
        yield from _with_what_was_given(log, sorted(given), may_lie_anywhere(history))


def where_acknowledgements_say(history: History) -> Log | None:
    """(1) An acknowledged append lies at the LSN of its acknowledgement.

    None if one LSN or one append has two, or if an append was refused as well, so that it lies nowhere.
    """
    told = [
        (lsn, append)
        for append in history.appends
        if isinstance(append.outcome, Acknowledged)
        for lsn in set(append.outcome.lsns)
    ]
    log = dict(told)
    is_one_to_one = len(told) == len(log) == len({append.began for _, append in told})
    is_refused = any(isinstance(append.outcome, Acknowledged) and append.outcome.refused for append in history.appends)
    return log if is_one_to_one and not is_refused else None


def may_lie_anywhere(history: History) -> list[Append]:
    """(1) Of the rest, those that were not refused."""
    return [append for append in history.appends if append.outcome in UNANSWERED]


def _with_what_was_given(log: Log, given: Sequence[tuple[int, int]], free: Sequence[Append]) -> Iterator[Log]:
    """(2) What a reader is given at an LSN is there: in the log already, or one of the appends that are still free."""
    if not given:
        yield log
        return
    (lsn, payload), *others = given
    for append in [log[lsn]] if lsn in log else free:
        if append.payload == payload:
            still_free = [other for other in free if other is not append]
            yield from _with_what_was_given({**log, lsn: append}, others, still_free)


def lsns_grow(read: Read) -> bool:
    """(3) Within a read LSNs grow, from where it began."""
    position = read.start
    for step in read.answers:
        if not position <= step.lsn <= step.upto:
            return False
        position = step.upto + 1
    return True


def what_is_passed_over_is_as_told(history: History, read: Read, log: Log) -> bool:
    """(3) Nothing is where a reader was told so, or went on in silence; no loss is told over what anybody knows of."""
    return not any(
        (gap.reason in NOTHING_IS_THERE and _within(gap, log))
        or (gap.reason == DATALOSS and _within(gap, known_lsns(history)))
        for gap in read.gaps
    )


def known_lsns(history: History) -> frozenset[int]:
    """The LSNs at which something is known to have been: acknowledged, or given to any reader."""
    return history.acknowledged_lsns | history.given_lsns


def trims_that_allow(history: History) -> Iterator[list[Pair]]:
    """(3) For each trim gap over what anybody knows of: the trims that reach far enough, one of which came before."""
    for gap in _trim_gaps(history):
        furthest = max(_within(gap, known_lsns(history)), default=None)
        if history.trims is not None and furthest is not None:
            yield [(trim.asked, gap.at) for trim in history.trims if trim.upto >= furthest]


def trims_are_known(history: History) -> bool:
    """Trims are recorded, or no trim gap is over anything that is known to have been there."""
    return history.trims is not None or not any(_within(gap, known_lsns(history)) for gap in _trim_gaps(history))


def what_is_at_the_end_was_not_acknowledged(history: History, log: Log) -> Iterator[Pair]:
    """(4) Of what lies where a reader was told that nothing is: it asked before the acknowledgement came."""
    for read in history.reads:
        for end in read.at_ends:
            yield from (
                (end.asked, append.ended)
                for lsn, append in log.items()
                if lsn >= end.lsn and append.ended is not None and isinstance(append.outcome, Acknowledged)
            )


def what_lies_earlier_began_in_time(history: History, log: Log) -> Iterator[Pair]:
    """(5) An append that lies before an acknowledged one, of the same client or as promised, began before its end."""
    for lsn, acknowledged in log.items():
        if acknowledged.ended is not None and isinstance(acknowledged.outcome, Acknowledged):
            yield from (
                (append.began, acknowledged.ended)
                for earlier, append in log.items()
                if earlier < lsn and (history.real_time_order or append.writer == acknowledged.writer)
            )


def what_is_given_began_before(history: History, log: Log) -> Iterator[Pair]:
    """(6) Nothing is given before its append began."""
    return ((log[step.lsn].began, step.at) for read in history.reads for step in read.given)


def something_was_asked(history: History) -> bool:
    """An append was answered for certain, or a reader was given or told anything."""
    answered = any(append.outcome not in UNANSWERED for append in history.appends)
    return answered or any(read.steps for read in history.reads)


def loss_was_asked(history: History) -> bool:
    """If anything was acknowledged, a read was given, or passed over, an acknowledged LSN."""
    acknowledged = history.acknowledged_lsns
    passed = any(_within(gap, acknowledged) for read in history.reads for gap in read.gaps)
    return not acknowledged or passed or bool(acknowledged & history.given_lsns)


def _trim_gaps(history: History) -> Iterator[Gap]:
    return (gap for read in history.reads for gap in read.gaps if gap.reason == TRIM)


def _within(gap: Gap, lsns: Iterable[int]) -> list[int]:
    return [lsn for lsn in lsns if gap.lsn <= lsn <= gap.upto]
