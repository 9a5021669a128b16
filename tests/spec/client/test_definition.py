"""The definition of what clients may see judges as its sentences say, in both directions.

``spec.client.definition`` is held to cases made by hand, to a reading of itself that tries every order of all moments,
to a log that does as it should, and to the answers that come with small traces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from spec.client.definition import explained, logs, loss_was_asked, something_was_asked, verdict
from spec.client.history import Acknowledged, Append, History, Moment
from spec.client.precedence import Order, known_order, told_order
from spec.language.outcomes import Verdict
from spec.verdicts import EXIT_CODES
from tests.support.histories import (
    FAMILIES,
    enumerated,
    from_events,
    from_trace,
    is_clear,
    random_history,
    to_trace,
    write_trace,
)
from tests.support.history_cases import CASES
from tests.support.history_chance import honest_history
from tests.support.history_stories import Case

CLIENTS_ONLY = (
    *("01_silent_skip", "03_no_reader", "04_same_payload_twice", "05_refused_then_retry", "06_order_nonadjacent"),
    *("09_reader_seeks_back", "11_trim_gap_never_trimmed", "12_wrong_payload", "13_no_end", "15_epoch_reorder"),
    *("16_reader_two_recorders", "22_hole_over_delivered", "23_moved", "24_acked_twice", "27_seek_back_one"),
)
"""The small traces that have events of clients only."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case(case: Case) -> None:
    assert verdict(case.history) == case.verdict, case.why


def test_cases_are_many_and_differ() -> None:
    assert len({case.name for case in CASES}) == len({case.history for case in CASES}) == len(CASES) >= 40
    assert {case.verdict for case in CASES} == set(Verdict)


@pytest.mark.parametrize("name", CLIENTS_ONLY)
def test_a_small_trace_gets_its_answer(name: str, shared: Path) -> None:
    folder = shared / "vectors" / "traces"
    expected = json.loads((folder / "expected.json").read_text())[f"{name}.jsonl"]
    history = from_trace(folder / f"{name}.jsonl")
    assert history is not None
    assert EXIT_CODES[verdict(history)] in expected["exit"], expected["why"]


def test_other_small_traces_are_no_histories(shared: Path) -> None:
    """They have events of nodes, or a gap of no known reason."""
    folder = shared / "vectors" / "traces"
    others = {path.stem for path in folder.glob("*.jsonl")} - set(CLIENTS_ONLY)
    assert others
    assert {name for name in others if from_trace(folder / f"{name}.jsonl") is not None} == set()


def by_every_order(history: History) -> Verdict:
    """The verdict again, from every order of all moments, one after the other, and every log that has anything."""
    known, placed = known_order(history), list(_all_logs(history))
    ways, told = list(_ways(known, [])), _ways(told_order(history), [])
    if any(explained(history, log, way, way) is Verdict.HOLDS for way in told for log in placed):
        return Verdict.HOLDS if something_was_asked(history) and loss_was_asked(history) else Verdict.UNKNOWN
    if not ways:
        found = [explained(history, log, known, known) for log in logs(history)]
    else:
        found = [explained(history, log, way, way) for way in ways for log in placed]
    return Verdict.VIOLATED if set(found) <= {Verdict.VIOLATED} else Verdict.UNKNOWN


def _ways(known: Order, before: list[Moment]) -> Iterator[Order]:
    """Every order of all moments that keeps to what is known."""
    if len(before) == len(known.numbers):
        places = {moment: place for place, moment in enumerate(before)}
        after = tuple(sum(1 << known.numbers[late] for late in before[places[one] + 1 :]) for one in known.numbers)
        yield Order(known.numbers, after)
    for moment in known.numbers:
        if moment not in before and all(one in before for one in known.numbers if known.has((one, moment))):
            yield from _ways(known, [*before, moment])


def _all_logs(history: History) -> Iterator[dict[int, Append]]:
    """Every log of few LSNs, whatever lies there and whether anybody looked."""
    appends: list[dict[int, Append]] = [{}]
    for append in history.appends:
        outcome = append.outcome
        if isinstance(outcome, Acknowledged):
            lsns: list[int | None] = [outcome.lsn] if len(set(outcome.lsns)) == 1 else []
        else:
            lsns = [None] if outcome.name == "REFUSED" else [None, 1, 2, 3, 4]
        appends = [log if lsn is None else {**log, lsn: append} for log in appends for lsn in lsns if lsn not in log]
    return (
        log
        for log in appends
        if all(
            step.lsn in log and log[step.lsn].payload == step.payload for read in history.reads for step in read.given
        )
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_the_verdict_is_that_of_every_order(name: str, rng: Random) -> None:
    """Ways are judged by what is known of them all at once: that is what trying them one by one says."""
    some = islice(enumerated(name), rng.randrange(50), 40_000, 401)
    for history in islice((one for one in some if len(one.moments()) <= 9), 40):
        assert verdict(history) == by_every_order(history), history


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_as_many_histories_as_it_says(name: str) -> None:
    assert sum(1 for _ in enumerated(name)) == FAMILIES[name].usual
    assert FAMILIES[name].says


def test_families_are_large_enough() -> None:
    assert sum(family.usual for family in FAMILIES.values()) >= 100_000
    assert sum(family.thorough for family in FAMILIES.values()) >= 1_000_000


@pytest.mark.thorough
@pytest.mark.costly("a million histories")
@pytest.mark.parametrize("name", FAMILIES)
def test_a_thorough_family_has_as_many_histories_as_it_says(name: str) -> None:
    assert sum(1 for _ in enumerated(name, thorough=True)) == FAMILIES[name].thorough


def test_no_history_comes_twice() -> None:
    assert len(set(enumerated("at_ends"))) == FAMILIES["at_ends"].usual


def test_chance_gives_every_verdict_often(rng: Random) -> None:
    found = [verdict(random_history(rng)) for _ in range(600)]
    assert all(found.count(one) >= 60 for one in Verdict)


def test_what_an_honest_log_shows_is_never_violated(rng: Random) -> None:
    found = [verdict(honest_history(rng)) for _ in range(600)]
    assert Verdict.VIOLATED not in found
    assert found.count(Verdict.HOLDS) >= 200


@pytest.mark.slow
def test_a_clear_history_comes_back_from_its_trace(rng: Random, tmp_path: Path) -> None:
    histories = [*islice(enumerated(), rng.randrange(200), None, 601), *(random_history(rng) for _ in range(200))]
    clear = [history for history in histories if is_clear(history)]
    assert len(clear) > len(histories) // 2
    for history in clear:
        assert _sorted(from_events(*to_trace(history))) == _sorted(history)
    assert _sorted(from_trace(write_trace(tmp_path / "one.jsonl", clear[0]))) == _sorted(clear[0])


def _sorted(history: History | None) -> History | None:
    if history is None:
        return None
    appends = sorted(history.appends, key=lambda append: (append.began.recorder, append.began.seq))
    reads = sorted(history.reads, key=lambda read: (read.began.recorder, read.began.seq))
    return replace(history, appends=tuple(appends), reads=tuple(reads))
