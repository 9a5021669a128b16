"""Families of small histories, each exhaustive within what it says: 2 writers, 3 appends, 2 readers, 4 LSNs.

``spec.client.definition`` justifies what is varied: every sentence of it has a family in which it decides. Names of
writers, readers and payloads are given in the order in which they appear, so that no history comes twice under others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Final

from spec.client.history import INDEFINITE, PENDING, REFUSED, Acknowledged, Gap, History, Outcome, Step
from spec.events import GAP_KINDS, HOLE, TRIM
from tests.support.history_plans import (
    ABSENT,
    APART,
    APART_ABSENT,
    APART_BOUNDED,
    APART_COARSE,
    APART_WIDE,
    BOUNDED,
    COARSE,
    EXACT,
    TOGETHER,
    WIDE,
    Clocks,
    Happening,
    Plan,
    Recording,
    Tour,
    Wish,
    at_end,
    gap,
    given,
    history,
    merges,
    of_append,
    of_read,
    one_by_one,
)

Made = Iterator[History]

FEW_OUTCOMES: Final[tuple[Outcome, ...]] = (Acknowledged(1), Acknowledged(2), INDEFINITE)
"""What became of an append, where each of two LSNs and no certainty suffice."""


@dataclass(frozen=True)
class Family:
    """Histories of one kind; the thorough form has all of the usual one and more, or others beside."""

    says: str
    make: Callable[[bool], Made]
    usual: int
    thorough: int


def distinct(histories: Made) -> Made:
    """Each history once: without clocks, what happened in another order may look the same."""
    seen: set[int] = set()
    for one in histories:
        if (code := hash(one)) not in seen:
            seen.add(code)
            yield one


def names(length: int, most: int) -> list[tuple[int, ...]]:
    """The ways to name so many things, where each new name is the next one and there are at most so many."""
    found: list[tuple[int, ...]] = [()]
    for _ in range(length):
        found = [(*one, name) for one in found for name in range(1, min(max(one, default=0) + 1, most) + 1)]
    return found


def outcomes(lsns: int) -> list[Outcome]:
    """Every outcome of an append, with so many LSNs."""
    return [*(Acknowledged(lsn) for lsn in range(1, lsns + 1)), REFUSED, INDEFINITE, PENDING]


@cache
def tours(start: int, last: int, payloads: int) -> list[tuple[Step, ...]]:
    """Every read from one LSN to another that is given one of so many payloads, or nothing, at each."""
    choices = product(range(payloads + 1), repeat=last - start + 1)
    return [tuple(given(lsn, one) for lsn, one in enumerate(choice, start) if one) for choice in choices]


def wishes(writers: Sequence[int], payloads: Sequence[int], ends: Sequence[Outcome]) -> tuple[Wish, ...]:
    """Appends of these writers, payloads and outcomes."""
    return tuple(map(Wish, writers, payloads, ends))


def in_pairs(ends: Sequence[Outcome], *, thorough: bool) -> list[tuple[Outcome, Outcome]]:
    """Outcomes of two appends; usually not one LSN for both, of which ``one_read`` has every case."""
    return [
        (one, other)
        for one, other in product(ends, ends)
        if thorough or one != other or not isinstance(one, Acknowledged)
    ]


def promised(writers: Sequence[int]) -> tuple[bool, ...]:
    """Whether order across clients is promised: it matters where there are two."""
    return (False, True) if len(set(writers)) > 1 else (False,)


def one_read(thorough: bool) -> Made:
    """Appends one after the other, then one read: every outcome, every payload known or invented, every silence."""
    for count, lsns in ((1, 3), (2, 3), *([(2, 4), (3, 3)] if thorough else [])):
        for writers, payloads in product(names(count, 2), names(count, 3)):
            for ends in product(outcomes(lsns), repeat=count):
                wished = wishes(writers, payloads, ends)
                for steps in tours(1, lsns, max(payloads) + 1):
                    toured = (Tour(1, 1, steps),)
                    yield history(Plan(wished, toured, one_by_one(wished, toured)))


def acknowledged_twice(thorough: bool) -> Made:
    """One append is answered twice: at one LSN, at two, or refused besides; beside it another append, and a read."""
    twice = [Acknowledged(one, (other,)) for one, other in product(range(1, 4), repeat=2)]
    twice += [Acknowledged(lsn, refused=True) for lsn in range(1, 4)]
    for payloads, answers in product(names(2, 2), twice):
        for other, steps in product(outcomes(4), tours(1, 3, 3 if thorough else 2)):
            wished = wishes((1, 1), payloads, (answers, other))
            toured = (Tour(1, 1, steps),)
            yield history(Plan(wished, toured, one_by_one(wished, toured)))


def interleavings(thorough: bool) -> Made:
    """Two appends and a read of two LSNs in every order, by one recorder, and by several with all sorts of clocks."""
    ends = [one for one in outcomes(2) if thorough or one is not REFUSED]
    recordings = (TOGETHER, APART_BOUNDED, APART_ABSENT, *([APART, APART_WIDE, APART_COARSE] if thorough else []))
    for writers, payloads in product(names(2, 2), names(2, 2)):
        for wished in (wishes(writers, payloads, pair) for pair in in_pairs(ends, thorough=thorough)):
            for steps in {
                ((1, payloads[0]), (2, payloads[1])): 0,
                ((1, payloads[1]), (2, payloads[0])): 0,
                ((2, 1),): 0,
            }:
                tour = Tour(1, 1, tuple(given(*step) for step in steps))
                parts = [of_append(0, wished[0]), of_append(1, wished[1]), of_read(0, tour)[1:]]
                for order in merges(*parts):
                    plan = Plan(wished, (tour,), [("read", 0, 0), *order])
                    for recording, promise in product(recordings, promised(writers)):
                        yield history(plan, recording, real_time_order=promise)


def seeks(thorough: bool) -> Made:
    """Two reads one after the other, of one reader that begins anew or of two, from every LSN."""
    last = 4 if thorough else 3
    for payloads, pair in product(names(2, 2), in_pairs(FEW_OUTCOMES, thorough=thorough)):
        wished = wishes((1, 1), payloads, pair)
        steps = [(start, one) for start in range(1, last + 1) for one in tours(start, last, max(payloads))]
        for (start, one), (again, other), reader in product(steps, steps, (1, 2)):
            toured = (Tour(1, start, one), Tour(reader, again, other))
            yield history(Plan(wished, toured, one_by_one(wished, toured)))


def turns(thorough: bool) -> Made:
    """One read of up to three steps in any order: forward, on the spot and back, from every LSN."""
    last = 4 if thorough else 3
    steps: list[Step] = [given(lsn, payload) for lsn in range(1, last + 1) for payload in (1, 2)]
    steps += [gap(lsn, lsn + 1, HOLE) for lsn in (2, 3)] if thorough else []
    pairs = in_pairs(FEW_OUTCOMES, thorough=thorough)
    for payloads, pair, start in product(names(2, 2), pairs, range(1, last + 1)):
        wished = wishes((1, 1), payloads, pair)
        for count in (1, 2, 3):
            for walked in product(steps, repeat=count):
                toured = (Tour(1, start, walked),)
                yield history(Plan(wished, toured, one_by_one(wished, toured)))


def gaps(thorough: bool) -> Made:
    """One read with a gap of every kind over all that may be there, another without; trims before or after, or none."""
    others = [(), (given(1, 1),), (given(1, 1), given(2, 2)), (given(2, 2),)]
    for pair in in_pairs(outcomes(3) if thorough else FEW_OUTCOMES, thorough=thorough):
        wished = wishes((1, 1), (1, 2), pair)
        for one, steps in product(_with_a_gap(3), others):
            toured = (Tour(1, 1, one), Tour(2, 1, steps))
            told = next(step for step in one if isinstance(step, Gap))
            yield from _trimmed(wished, toured, is_told=told.reason == TRIM)


def _with_a_gap(last: int) -> Iterator[tuple[Step, ...]]:
    spans = [(lsn, upto) for lsn in range(1, last + 1) for upto in range(lsn, last + 1)]
    for (lsn, upto), reason in product(spans, GAP_KINDS.values()):
        for before, after in product(tours(1, lsn - 1, 2), tours(upto + 1, last, 2)):
            yield (*before, gap(lsn, upto, reason), *after)


def _trimmed(wished: tuple[Wish, ...], toured: tuple[Tour, ...], *, is_told: bool) -> Made:
    order = one_by_one(wished, toured)
    yield history(Plan(wished, toured, order))
    if is_told:
        yield history(Plan(wished, toured, order, ()))
        trim: Happening = ("trim", 0, 0)
        for upto, recording in product((1, 2, 3), (APART, APART_BOUNDED, APART_ABSENT)):
            first = order.index(("read", 0, 0))
            yield history(Plan(wished, toured, [*order[:first], trim, *order[first:]], (upto,)), recording)
            yield history(Plan(wished, toured, [*order, trim], (upto,)), recording)


def at_ends(thorough: bool) -> Made:
    """A reader that is told that it is at the end, asked and answered in every order with two appends."""
    ends = outcomes(2) if thorough else FEW_OUTCOMES
    for pair, lsn, is_given in product(in_pairs(ends, thorough=thorough), (1, 2, 3), (False, True)):
        wished = wishes((1, 1), (1, 1), pair)
        tour = Tour(1, 1, (*([given(1, 1)] if is_given else []), at_end(lsn)))
        for order in merges(*(of_append(number, wish) for number, wish in enumerate(wished)), of_read(0, tour)[1:]):
            plan = Plan(wished, (tour,), [("read", 0, 0), *order])
            for recording in (TOGETHER, APART_BOUNDED, APART_ABSENT, *([APART_WIDE, APART_COARSE] if thorough else [])):
                yield history(plan, recording)


def moves(thorough: bool) -> Made:
    """A writer that goes on under another recorder at any moment, and a reader that does."""
    pairs: list[tuple[Outcome, Outcome]] = [
        (Acknowledged(1), Acknowledged(2)),
        (Acknowledged(2), Acknowledged(1)),
        (Acknowledged(2), INDEFINITE),
        (INDEFINITE, Acknowledged(1)),
    ]
    tour = Tour(1, 1, (given(1, 1), given(2, 2)))
    read = of_read(0, tour)
    for pair, payloads, places in product(pairs, names(2, 2), product("xy", repeat=4)):
        wished = wishes((1, 1), payloads, pair)
        for order in (one for one in merges(of_append(0, wished[0]), of_append(1, wished[1])) if one[0][1] == 0):
            seen = dict(zip([("begin", 0, 0), ("end", 0, 0), ("begin", 1, 0), ("end", 1, 0)], places, strict=True))
            for reader in ("rrr", "rrx", "xxx", *(["rxy", "xyr"] if thorough else [])):
                moved = seen | dict(zip(read, reader, strict=True))
                for steps, clocks in product(((1, 2), (2, 1), (1, 1)), (EXACT, BOUNDED, WIDE, COARSE, ABSENT)):
                    toured = (Tour(1, 1, (given(1, steps[0]), given(2, steps[1]))),)
                    for at in (len(order), 2) if thorough else (len(order),):
                        plan = Plan(wished, toured, [*order[:at], *read, *order[at:]])
                        yield history(plan, Recording(moved=moved, clocks=clocks))


def clocks(thorough: bool) -> Made:
    """Two writers and a reader with clocks of their own that show any of few times, by bounds from 0 to 2."""
    times, spans = range(4), [(begin, end) for begin in range(4) for end in range(begin, 4)]
    parts = (of_append(0, Wish(1, 1, INDEFINITE)), of_append(1, Wish(2, 2, INDEFINITE)))
    for lsns, one, other in product(permutations((1, 2)), spans, spans):
        wished = wishes((1, 2), (1, 2), [Acknowledged(lsn) for lsn in lsns])
        shown: dict[Happening, int] = dict(zip([*parts[0], *parts[1]], [*one, *other], strict=True))
        steps: list[Step] = [given(1, 1), given(1, 2), at_end(2)]
        for step, at in product(steps, times):
            toured = (Tour(1, 1, (step,)),)
            read = of_read(0, toured[0])
            time_of = (shown | dict.fromkeys(read, at)).__getitem__
            plan = Plan(wished, toured, [*parts[0], *parts[1], *read])
            for bound, promise in product((0, 1, 2) if thorough else (0, 1), (False, True)):
                recording = Recording(clocks=Clocks(bound=bound), time_of=time_of)
                yield history(plan, recording, real_time_order=promise)


def three_appends(thorough: bool) -> Made:
    """Three appends in every order, at every LSN, all acknowledged or one of them not, and a read of all three."""
    recordings = (TOGETHER, APART_ABSENT, APART_BOUNDED) if thorough else (TOGETHER,)
    for writers, payloads in product(names(3, 2), ((1, 2, 3), (1, 1, 1)) if thorough else ((1, 2, 3),)):
        hows = (INDEFINITE, PENDING) if thorough else (INDEFINITE,)
        for lsns, open_, how in product(permutations((1, 2, 3)), (None, 0, 1, 2), hows):
            if open_ is None and how is PENDING:
                continue
            ends: list[Outcome] = [how if number == open_ else Acknowledged(lsn) for number, lsn in enumerate(lsns)]
            wished = wishes(writers, payloads, ends)
            steps = tuple(given(lsn, payload) for lsn, payload in sorted(zip(lsns, payloads, strict=True)))
            read = of_read(0, Tour(1, 1, steps))
            for order in merges(*(of_append(number, wish) for number, wish in enumerate(wished))):
                plan = Plan(wished, (Tour(1, 1, steps),), [*order, *read])
                for recording, promise in product(recordings, promised(writers)):
                    yield history(plan, recording, real_time_order=promise)


def chains(thorough: bool) -> Made:
    """Two places without clocks, each with a writer and a reader: only what readers are given ties them together."""
    ends = [*FEW_OUTCOMES, *([PENDING] if thorough else [])]
    both = [(given(1, 1), given(2, 2)), (given(1, 2), given(2, 1))]
    steps = [*both, (given(1, 1),), (given(2, 1),), *([(given(1, 2),), (given(2, 2),)] if thorough else [])]
    for pair, one, other, payloads in product(product(ends, repeat=2), steps, steps, names(2, 2)):
        wished, toured = wishes((1, 2), payloads, pair), (Tour(1, 1, one), Tour(2, 1, other))
        left, right = (list(_place(number, wished[number], toured[number])) for number in (0, 1))
        for here, there, promise in product(left, right, (False, True)):
            moved = dict.fromkeys(here, "x") | dict.fromkeys(there, "y")
            plan = Plan(wished, toured, [*here, *there])
            yield history(plan, Recording(moved=moved, clocks=ABSENT), real_time_order=promise)


def _place(number: int, wish: Wish, tour: Tour) -> Iterator[list[Happening]]:
    for order in merges(of_append(number, wish), of_read(number, tour)[1:]):
        yield [("read", number, 0), *order]


_COUNTS: Final[dict[Callable[[bool], Made], tuple[int, int]]] = {
    one_read: (6714, 330404),
    acknowledged_twice: (4536, 10752),
    interleavings: (18340, 80616),
    seeks: (24038, 275400),
    turns: (10836, 79920),
    gaps: (22848, 117504),
    at_ends: (12852, 57084),
    moves: (15552, 51264),
    clocks: (9600, 14400),
    three_appends: (15120, 83592),
    chains: (11664, 29584),
}

FAMILIES: Final = {
    make.__name__: Family(str(make.__doc__), make, usual, thorough) for make, (usual, thorough) in _COUNTS.items()
}
"""Every family by its name, with how many histories it has in its usual and in its thorough form."""


def enumerated(*families: str, thorough: bool = False) -> Iterator[History]:
    """All histories of the families of these names, or of all, one family after the other.

    All together are 152,100 in about ten CPU-seconds, and 1,130,520 in about a minute if they are to be thorough.
    """
    return (one for name in families or FAMILIES for one in distinct(FAMILIES[name].make(thorough)))
