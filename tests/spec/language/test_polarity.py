"""Polarity is derived, and never wrong: adding events of a kind changes no outcome that is said to be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, Final, TypeAlias

import pytest

from spec.events import Ack, AtEnd, Deliver, Event, Invoke, Planned, Positioned, Store
from spec.language.declare import View, along, count_of, max_of, min_of
from spec.language.events import AnyEvent, all_events
from spec.language.handles import Bool, known
from spec.language.outcomes import Outcome
from spec.language.polarity import trusted
from spec.language.reference import ReferenceEvaluator, Row
from spec.language.rule import Rule
from spec.registry import BY_ID, RULES
from tests.support.random_traces import parameters_for, random_events

pytestmark = pytest.mark.together("polarity")

PARAMETERS: Final = parameters_for(5)
TRACES: Final = 12
"""So many random traces, for all rules: what a trace says in a view is folded once."""

Key: TypeAlias = tuple[int, ...]
Absent: TypeAlias = tuple[type[AnyEvent], ...]


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Give the seed of all traces."""
    return int(request.config.option.hypothesis_seed)


@pytest.mark.parametrize(
    ("rule", "holds", "violated"),
    [
        ("log.append.acked_has_copies", True, False),
        ("log.append.acked_is_spread", True, False),
        ("log.append.one_record", False, True),
        ("log.seal.fences", False, True),
        ("log.append.copy_before_ack", False, False),
    ],
)
def test_a_snapshot_of_copies_keeps_what_more_copies_cannot_change(rule: str, *, holds: bool, violated: bool) -> None:
    assert trusted(BY_ID[rule], Store) == (holds, violated)


def test_rules_that_do_not_read_a_kind_do_not_mind() -> None:
    """Unless they ask for the row before: any kind may make a row that comes between."""
    for rule in RULES:
        if any(rule.view.near[name].fn == "previous" for name in rule.neighbours):
            continue
        for event in all_events(Event):
            if event not in rule.needs:
                assert trusted(rule, event) == (True, True), (rule.id, event.__name__)


class Around(View, one_per=(Positioned.log, Positioned.lsn)):
    """One LSN, and the extremes around it."""

    in_log, lsn, acks = along(Positioned.log), Positioned.lsn, count_of(Ack)
    highest, lowest = in_log.highest(max_of(Store.time)), in_log.lowest(min_of(Store.time))
    highest_of_least, lowest_of_most = in_log.highest(min_of(Store.time)), in_log.lowest(max_of(Store.time))
    last_row, first_row, fewest = in_log.highest(lsn), in_log.lowest(lsn), in_log.lowest(acks)
    ahead = in_log.next(acks)


def _around(claim: Bool) -> Rule:
    return Rule("probe.around", Around, "A probe.", "none: a probe", claim.term, "", "safety", "", "probe")


AROUND = [
    (Around.highest >= 3, Store, (True, False)),
    (Around.lowest >= 3, Store, (False, True)),
    (Around.lowest <= 3, Store, (True, False)),
    (Around.lowest <= Around.highest, Store, (True, False)),
    (known(Around.lowest), Store, (True, False)),
    (Around.lowest <= 3, Ack, (True, True)),
    (Around.highest_of_least >= 3, Store, (False, False)),
    (Around.lowest_of_most >= 3, Store, (False, False)),
    (Around.last_row > Around.lsn, Ack, (True, False)),
    (Around.first_row >= Around.lsn, Ack, (False, True)),
    (Around.fewest >= 1, Store, (False, True)),
    (Around.fewest >= 1, Ack, (False, False)),
    (Around.ahead >= 1, Store, (False, False)),
]
"""Claims about extremes: the lowest can only fall with more events, unless what each row says may rise."""


@pytest.mark.parametrize(("claim", "event", "kept"), AROUND)
def test_extremes_keep_a_direction(claim: Bool, event: type[AnyEvent], kept: tuple[bool, bool]) -> None:
    """A row that appears between others lowers the lowest, if it says something by itself: that it has no events."""
    assert trusted(_around(claim), event) == kept


@pytest.mark.parametrize("claim", [claim for claim, _, _ in AROUND])
def test_more_events_change_no_trusted_extreme(claim: Bool, seed: int) -> None:
    """The same as for the rules below, of which few read extremes."""
    for event in (Store, Ack):
        more_events_change_nothing(_around(claim), event, seed)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_more_events_change_no_trusted_outcome(rule: Rule, seed: int) -> None:
    """Leave out some events of one kind: rows whose outcome is trusted must keep it when the events come back."""
    for event in rule.needs:
        more_events_change_nothing(rule, event, seed)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.spares], ids=lambda rule: rule.id)
def test_nor_where_kinds_that_a_rule_can_spare_are_absent(rule: Rule, seed: int) -> None:
    for event in rule.needs:
        if event not in rule.spares and trusted(rule, event, rule.spares) != trusted(rule, event):
            more_events_change_nothing(rule, event, seed, rule.spares)


@pytest.mark.parametrize(
    ("rule", "event", "kept"),
    [
        ("client.append.in_order", Ack, (False, True)),
        ("client.append.in_order", Invoke, (True, True)),
        ("client.append.in_order", Deliver, (False, True)),
        ("client.read.in_order", Deliver, (False, True)),
        ("client.read.nothing_beyond_the_end", AtEnd, (False, True)),
        ("client.read.nothing_beyond_the_end", Ack, (False, True)),
        ("client.read.after_its_append", Invoke, (True, True)),
        ("client.append.refused_is_absent", Invoke, (False, False)),
    ],
)
def test_what_some_events_of_clients_prove_stays_so(rule: str, event: type[AnyEvent], kept: tuple[bool, bool]) -> None:
    """A doubt, as that clocks are loose, says when a claim is unknown and not when it is false: it spoils nothing."""
    assert trusted(BY_ID[rule], event) == kept


def test_what_hangs_on_an_absent_plan_need_not_be_doubted() -> None:
    """A system that never writes down its plans may record its stores in part: no plan can excuse what they show."""
    rule = BY_ID["log.release.is_replicated"]
    assert trusted(rule, Store) == (False, False)
    assert trusted(rule, Store, [Planned]) == (True, False)


class Folded:
    """The views of some events, each folded once."""

    def __init__(self, events: Sequence[Mapping[str, Any]]) -> None:
        self.events, self._reference = events, ReferenceEvaluator(events, PARAMETERS)
        self._rows: dict[type[View], list[Row]] = {}

    def outcomes(self, rule: Rule) -> dict[Key, Outcome]:
        """What a rule says of each row, by its key."""
        for dimension in rule.dimensions:
            self._reference.table(dimension)
        if rule.view not in self._rows:
            self._rows[rule.view] = self._reference.rows(rule.view)
        rows = self._rows[rule.view]
        return {tuple(row[name] for name in rule.view.key): self._reference.outcome(rule, row) for row in rows}


@cache
def whole(seed: int, number: int, absent: Absent) -> Folded:
    """A random trace without events of kinds that nobody records."""
    gone = {one.kind for one in absent}
    every = random_events(Random(f"{seed} {number}"), 60, nodes=5, logs=1, nulls=False)
    return Folded([row for row in every if row["kind"] not in gone])


@cache
def poorer(seed: int, number: int, absent: Absent, event: type[AnyEvent]) -> Folded:
    """The same trace, of which about half of the events of one kind are not recorded."""
    rng, events = Random(f"{seed} {number} {event.kind}"), whole(seed, number, absent).events
    return Folded([row for row in events if row["kind"] != event.kind or rng.random() < 0.5])


def more_events_change_nothing(rule: Rule, event: type[AnyEvent], seed: int, absent: Absent = ()) -> None:
    """More events of this kind change no outcome that is trusted where they are recorded only in part."""
    trust = trusted(rule, event, absent)
    keeps: dict[Outcome, bool] = dict(zip((Outcome.HOLDS, Outcome.VIOLATED), trust, strict=True))
    for number in range(TRACES if any(trust) else 0):
        poor = poorer(seed, number, absent, event)  # type: ignore[arg-type]  # mypy takes a class for its events
        events = whole(seed, number, absent)
        before, after = poor.outcomes(rule), events.outcomes(rule)
        for key, outcome in before.items():
            if keeps.get(outcome) and key in after:
                assert after[key] in (outcome, Outcome.NO_INSTANCE), (
                    rule.id,
                    event.__name__,
                    key,
                    poor.events,
                    events.events,
                )
