"""Witnesses name the events that decide: of a neighbour column, those of the row from which its value comes."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.check.neighbourhood import around
from conformance.check.witness import telling
from spec.events import Deliver, Positioned, Release
from spec.language.declare import View, along, any_of, max_of, min_of
from spec.language.handles import Bool, known
from spec.language.outcomes import Violation
from spec.language.parameters import Parameters
from spec.language.rule import Rule, rule
from tests.support.tiny import at


class Around(View, one_per=(Positioned.log, Positioned.lsn)):
    """One LSN, and the releases around it."""

    in_log = along(Positioned.log)
    delivered, released_at = any_of(Deliver), min_of(Release.time)
    before, recent = in_log.previous(max_of(Release.time)), in_log.latest(released_at)
    ahead, highest, lowest = in_log.next(released_at), in_log.highest(released_at), in_log.lowest(released_at)


@rule("witness.previous", cite="none: a probe of a witness")
def nothing_before(row: Around) -> Bool:
    """No release stands just before what is delivered."""
    return row.delivered.implies(~known(row.before))


@rule("witness.latest", cite="none: a probe of a witness")
def nothing_recent(row: Around) -> Bool:
    """No release stands before what is delivered."""
    return row.delivered.implies(~known(row.recent))


@rule("witness.next", cite="none: a probe of a witness")
def nothing_ahead(row: Around) -> Bool:
    """No release covers what is delivered."""
    return row.delivered.implies(~known(row.ahead))


@rule("witness.highest", cite="none: a probe of a witness")
def no_highest(row: Around) -> Bool:
    """No release stands before what is delivered, whenever it was."""
    return row.delivered.implies(~known(row.highest))


@rule("witness.lowest", cite="none: a probe of a witness")
def no_lowest(row: Around) -> Bool:
    """No release covers what is delivered, whenever it was."""
    return row.delivered.implies(~known(row.lowest))


def releases_told(broken: Rule, times: dict[int, int]) -> list[int]:
    """The ESNs of the releases that a witness names, of a delivery at ESN 5; releases stand at these ESNs and times."""
    events: list[dict[str, Any]] = [at(Release, 1, place, time=time) for place, time in times.items()]
    events.append(at(Deliver, 1, 5, reader=9, digest=7))
    key = (1, (1 << 32) + 5)
    violation = Violation(broken.id, key)
    in_order = sorted(events, key=lambda event: (event["esn"], event["seq"]))
    near = around({violation: broken}, in_order, Parameters(size=3), {})[violation]
    _, rows = near.evaluated()
    row = next(row for row in rows if tuple(row[name] for name in broken.view.key) == key)
    return [event["esn"] for event in telling(near, rows, row) if event["kind"] == Release.kind]


@pytest.mark.parametrize(
    ("broken", "esn"),
    [(nothing_before, 4), (nothing_recent, 4), (nothing_ahead, 6), (no_highest, 2), (no_lowest, 8)],
    ids=lambda value: value.id if isinstance(value, Rule) else "",
)
def test_a_witness_names_the_release_that_decides(broken: Rule, esn: int) -> None:
    """The nearest one, or the one of the extreme time on its side; releases without a time decide nothing."""
    times = {2: 50, 4: 30, 6: 40, 8: 10, 9: 20}
    assert releases_told(broken, times) == [esn]


@pytest.mark.parametrize("broken", [nothing_recent, nothing_ahead, no_highest, no_lowest], ids=lambda rule: rule.id)
def test_a_row_that_decides_for_itself_names_its_own_events(broken: Rule) -> None:
    """``spec.language.declare``: what is latest, next, highest or lowest may be what the row itself says."""
    times = {4: 30, 5: 20, 6: 30} if broken is no_lowest else {4: 10, 5: 20, 6: 10}
    assert releases_told(broken, times) == [5]
