"""Histories of clients as operations on a log, each from a call to a return, as judges of linearizability take them.

The form is that of ``tests/real/porcupine``; ``spec.client.history`` justifies what the parts of a history mean. What a
read was given or passed over stays so: it is told as seen at the instant of the step. An append of unknown outcome has
no return: it may take effect at any later time, or never.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import TypeAlias

from spec.client.definition import NOTHING_IS_THERE
from spec.client.history import REFUSED, Acknowledged, Append, AtEnd, Gap, Given, History, Moment, Read
from spec.client.precedence import Order, known_order
from spec.events import DATALOSS, TRIM

Operation: TypeAlias = dict[str, str | int]


class Inexpressible(Enum):
    """Why a history cannot be told as operations on a log."""

    LOSS_OR_TRIM = "a reader is told of a loss or a trim, and the model has neither"
    TWO_ANSWERS = "an append is acknowledged at two LSNs, or refused as well, and an operation returns once"
    NO_TIMES = "no times of calls and returns tell just what is known of their order"


@dataclass(frozen=True, slots=True)
class Done:
    """What a client did, when it called, and when it was told; None if it may take effect at any later time."""

    called: Moment
    returned: Moment | None
    told: Operation


def operations(history: History) -> list[Operation] | Inexpressible:
    """A history as operations, or why it cannot be told so."""
    reasons = {step.reason for read in history.reads for step in read.steps if isinstance(step, Gap)}
    if reasons & {DATALOSS, TRIM}:
        return Inexpressible.LOSS_OR_TRIM
    acknowledged = (one.outcome for one in history.appends if isinstance(one.outcome, Acknowledged))
    if any(outcome.also or outcome.refused for outcome in acknowledged):
        return Inexpressible.TWO_ANSWERS
    steps = (one for read in history.reads for one in _of_read(read))
    done = [*(_of_append(history, append) for append in history.appends), *steps]
    times = _times(done, known_order(history))
    if times is None:
        return Inexpressible.NO_TIMES
    return [{"call": call, "return": end, **one.told} for one, (call, end) in zip(done, times, strict=True)]


def _of_append(history: History, append: Append) -> Done:
    """Of one order are all appends if order across clients is promised, else those of one writer."""
    told: Operation = {"order": 0 if history.real_time_order else append.writer, "payload": append.payload}
    if isinstance(append.outcome, Acknowledged):
        return Done(append.began, append.ended, {"kind": "append_acknowledged", "lsn": append.outcome.lsn, **told})
    if append.outcome is REFUSED:
        return Done(append.began, append.ended, {"kind": "append_refused", **told})
    return Done(append.began, None, {"kind": "append_unknown", **told})


def _of_read(read: Read) -> Iterator[Done]:
    position = read.start
    for step in read.steps:
        if isinstance(step, AtEnd):
            yield Done(step.asked, step.at, {"kind": "check_tail", "lsn": step.lsn})
        else:
            yield Done(step.at, step.at, {"from": position, "lsn": step.lsn, "upto": step.upto, **_met(step)})
            position = step.upto + 1


def _met(step: Given | Gap) -> Operation:
    if isinstance(step, Given):
        return {"kind": "read_record", "payload": step.payload}
    return {"kind": "read_nothing" if step.reason in NOTHING_IS_THERE else "read_untold"}


def _times(done: Sequence[Done], order: Order) -> list[tuple[int, int]] | None:
    """Times of calls and returns that show one to return before another is called just where that is known.

    There are such times if of any two calls everything that had returned before the one had before the other, too.
    """
    if not order.is_possible:
        return None
    ends = [(number, one.returned) for number, one in enumerate(done) if one.returned is not None]
    over = [frozenset(number for number, end in ends if order.has((end, one.called))) for one in done]
    stages = sorted(set(over), key=len)
    if not all(fewer < more for fewer, more in pairwise(stages)):
        return None
    with_end = [*stages, frozenset(range(len(done)))]
    first_over = [next(at for at, stage in enumerate(with_end) if number in stage) for number in range(len(done))]
    return [(2 * stages.index(before), 2 * after - 1) for before, after in zip(over, first_over, strict=True)]


def linearizability_asks_for_more(history: History) -> bool:
    """Whether after a record is given an append begins that lies before it, or a reader asks whether it is at its end.

    A log that changes one append at a time was as long as that when it was given, and stays so: the append must lie
    later, and the reader not be at the end, there or before. The definition asks for both only after the record is
    acknowledged; until then nobody was promised anything of it.
    """
    order = known_order(history)
    given = [step for read in history.reads for step in read.given]
    places = {append: _places(append, given) for append in history.appends}
    for step in given:
        writers = {append.writer for append, lsns in places.items() if step.lsn in lsns}
        begun = (
            append.began
            for append, lsns in places.items()
            if min(lsns, default=step.lsn) < step.lsn and (history.real_time_order or append.writer in writers)
        )
        asked = (end.asked for read in history.reads for end in read.at_ends if end.lsn <= step.lsn)
        if any(order.has((step.at, later)) for later in (*begun, *asked)):
            return True
    return False


def _places(append: Append, given: Sequence[Given]) -> set[int]:
    """Where an append may lie, as far as anybody was told: where it was acknowledged, or its payload given."""
    if isinstance(append.outcome, Acknowledged):
        return {append.outcome.lsn}
    return set() if append.outcome is REFUSED else {step.lsn for step in given if step.payload == append.payload}
