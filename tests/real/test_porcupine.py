"""A judge from outside: Porcupine, with a log that is linearizable, says of histories what definition and rules say.

Porcupine decides whether operations can have happened one at a time, each between its call and its return. S2 judges
its log so (s2-streamstore/s2-verification, golang/s2-porcupine): append, read and check-tail, where an append that
failed for certain changes nothing, and one of unknown outcome something or nothing, at any later time. The model here
(``porcupine/log.go``) has the same operations; payloads repeat. Of one kind of history linearizability asks for more
than the definition (``linearizability_asks_for_more``): there Porcupine may find fault alone, but nowhere miss one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from random import Random
from typing import Final

import pytest

from conformance.record.errors import PackagesUnavailable
from spec.client.definition import verdict
from spec.client.history import INDEFINITE, Acknowledged, History
from spec.language.outcomes import Verdict
from tests.support.histories import FAMILIES, enumerated, is_clear, random_history
from tests.support.history_operations import linearizability_asks_for_more
from tests.support.history_plans import Plan, Tour, Wish, at_end, given, history, of_append, of_read, one_by_one
from tests.support.judged_histories import verdict_of_rules
from tests.support.porcupine import Porcupine, built

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]

TOLD_AS_OPERATIONS: Final = [family for family in FAMILIES if family != "acknowledged_twice"]
"""The families of which some histories can be told as operations: each of but one."""

EVERY: Final = 29
"""Of the small histories all three judge one of so many; the number divides no count of choices."""


@pytest.fixture(scope="session")
def porcupine() -> Porcupine:
    """The program, if it can be built here."""
    try:
        return built()
    except PackagesUnavailable as missing:
        pytest.skip(str(missing))


def is_violated(said: Verdict) -> bool:
    """Whether a verdict is that a history is violated."""
    return said is Verdict.VIOLATED


def differs(one: History, is_illegal: bool) -> bool:
    """Whether Porcupine says other than the definition, and not because linearizability asks for more."""
    if is_illegal == is_violated(verdict(one)):
        return False
    return not (is_illegal and linearizability_asks_for_more(one))


def sample(rng: Random) -> Iterator[History]:
    """Small histories of each family, and larger ones by chance."""
    small = chain.from_iterable(islice(enumerated(family), 0, None, EVERY) for family in FAMILIES)
    return chain(small, (random_history(rng) for _ in range(1000)))


def is_told_by_its_trace(one: History) -> bool:
    """Whether the rules, which are given a trace, know all that the definition knows.

    Which append an end is about that another recorder saw is worked out from clocks; without them it may stay open.
    """
    ends = ((append.began, append.ended) for append in one.appends if append.ended is not None)
    return is_clear(one) and all(end.recorder == began.recorder or end.time is not None for began, end in ends)


def wrong(judgements: Iterable[tuple[History, bool]]) -> list[History]:
    """The first of them of which Porcupine says other than the definition."""
    return list(islice((one for one, is_illegal in judgements if differs(one, is_illegal)), 3))


def in_turn(wishes: tuple[Wish, ...], *tours: Tour) -> History:
    """Each append ends before the next begins; then the reads."""
    return history(Plan(wishes, tours, one_by_one(wishes, tours)))


@pytest.mark.costly("judges thousands of histories by Porcupine, by the definition and by all rules")
def test_porcupine_definition_and_rules_agree(porcupine: Porcupine, rng: Random) -> None:
    found = porcupine.judge(filter(is_told_by_its_trace, sample(rng)))
    illegal = [one for one, is_illegal in found if is_illegal]
    assert len(found) >= 4500
    assert 1300 <= len(illegal) <= len(found) - 1300
    assert wrong(found) == []
    assert [one for one, _ in found if is_violated(verdict_of_rules(one)) != is_violated(verdict(one))] == []


@pytest.mark.thorough
@pytest.mark.costly("judges 10^5 histories by Porcupine and by the definition")
@pytest.mark.parametrize("family", TOLD_AS_OPERATIONS)
def test_porcupine_and_the_definition_agree_on_all_small_histories(porcupine: Porcupine, family: str) -> None:
    found = porcupine.judge(enumerated(family))
    assert len(found) >= 1000
    assert wrong(found) == []


@pytest.mark.thorough
def test_porcupine_and_the_definition_agree_on_random_histories(porcupine: Porcupine, rng: Random) -> None:
    found = porcupine.judge(random_history(rng) for _ in range(10_000))
    assert len(found) >= 5000
    assert wrong(found) == []


@pytest.mark.parametrize(("lsns", "is_illegal"), [((1, 2), False), ((1, 2, 3), True)])
def test_payloads_need_not_be_unique(porcupine: Porcupine, lsns: tuple[int, ...], is_illegal: bool) -> None:
    tries = (Wish(1, 7, INDEFINITE), Wish(1, 7, Acknowledged(2)))
    one = in_turn(tries, Tour(1, 1, tuple(given(lsn, 7) for lsn in lsns)))
    assert porcupine.judge([one]) == [(one, is_illegal)]
    assert is_violated(verdict(one)) == is_illegal


def test_linearizability_asks_more_of_who_appends_after_a_record_was_given(porcupine: Porcupine) -> None:
    """The append at LSN 1 begins after LSN 2 was given, which was not acknowledged yet."""
    wishes, tours = (Wish(1, 7, Acknowledged(2)), Wish(1, 8, Acknowledged(1))), (Tour(1, 2, (given(2, 7),)),)
    first, second = (of_append(number, wish) for number, wish in enumerate(wishes))
    asks_for_more(porcupine, Plan(wishes, tours, [first[0], *of_read(0, tours[0]), *second, first[1]]))


def test_linearizability_asks_more_of_who_is_at_the_end_after_a_record_was_given(porcupine: Porcupine) -> None:
    """A reader is at the end at LSN 1 although another was given LSN 1, which was not acknowledged yet."""
    wishes, tours = (Wish(1, 7, INDEFINITE),), (Tour(1, 1, (given(1, 7),)), Tour(2, 1, (at_end(1),)))
    asks_for_more(porcupine, Plan(wishes, tours, one_by_one(wishes, tours)))


def asks_for_more(porcupine: Porcupine, plan: Plan) -> None:
    """Porcupine finds fault, the definition does not, and this is why."""
    one = history(plan)
    assert porcupine.judge([one]) == [(one, True)]
    assert verdict(one) is not Verdict.VIOLATED
    assert linearizability_asks_for_more(one)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[{", "unexpected EOF"),
        ("null", "it is not one list of operations"),
        ("[] []", "it is not one list of operations"),
        ('[{"kind": "trim"}]', 'operation 1: kind "trim" is not known'),
        ('[{"kind": "check_tail", "lsn": 64}]', "operation 1: 64 is not a number from 0 to 63"),
        ('[{"kind": "check_tail", "lsn": "1"}]', "cannot unmarshal string"),
        ('[{"kind": "check_tail", "tail": 1}]', 'unknown field "tail"'),
        ('[{"kind": "check_tail", "call": 2, "return": 1}]', "operation 1: it returns at 1, before its call at 2"),
    ],
)
def test_what_porcupine_cannot_judge_is_refused_with_its_line(porcupine: Porcupine, line: str, fault: str) -> None:
    said = porcupine.answer(f"[]\n{line}\n")
    assert said.returncode == 1
    assert said.stderr.startswith("line 2: ")
    assert fault in said.stderr
