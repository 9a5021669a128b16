"""Counting: histories by Hypothesis' chance, as many as by a seed's, so that rarities are counted in both."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, seed, settings

from quorate.strategies.histories import histories
from quorate.suite.guarantees import GUARANTEES
from quorate.suite.rarities import HISTORIES
from quorate.suite.steps import Plan


def by_hypothesis() -> list[Plan]:
    """Histories that Hypothesis makes with one seed; guarantees take turns."""
    found = list[Plan]()
    for number, guarantee in enumerate(GUARANTEES):
        share = HISTORIES // len(GUARANTEES) + (number < HISTORIES % len(GUARANTEES))
        found += _examples(guarantee.name, share)
    return found


def _examples(about: str, examples: int) -> list[Plan]:
    found = list[Plan]()

    @seed(1)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(histories(about))
    def note(plan: Plan) -> None:
        found.append(plan)

    note()
    return found
