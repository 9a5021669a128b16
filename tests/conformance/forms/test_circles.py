"""A broken order is shown as a circle, by recorders, clocks, and what is given (``spec.client.precedence``)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conformance.forms import mermaid
from conformance.forms.circles import IS_GIVEN, LIES_BEFORE, OF_CAUSES, OF_ORDER, Link, as_text
from conformance.forms.told import Told, told_of
from conformance.trace.open import open_trace
from spec.language.outcomes import Verdict
from spec.registry import select
from tests.support.histories import write_trace
from tests.support.history_cases import CASES


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    """What rules of order say of cases made by hand, of those that break one."""
    folder, rules = tmp_path_factory.mktemp("circles"), select([OF_ORDER, OF_CAUSES])
    traces = (
        write_trace(folder / f"{case.name}.jsonl", case.history) for case in CASES if case.verdict is Verdict.VIOLATED
    )
    return [one for one in (told_of(open_trace(trace), "t", rules) for trace in traces) if one.violations]


def circles(told: Sequence[Told], rule: str) -> list[tuple[Link, ...]]:
    """The circles that are shown of a rule."""
    return [one.circle for each in told for one in each.violations if one.said.rule.id == rule]


@pytest.mark.parametrize(("rule", "closing"), [(OF_ORDER, LIES_BEFORE), (OF_CAUSES, IS_GIVEN)])
def test_each_broken_order_is_a_circle_that_the_rule_closes(told: list[Told], rule: str, closing: str) -> None:
    found = circles(told, rule)
    assert found
    for circle in found:
        assert circle[-1].why == closing
        assert all(link.other == then.one for link, then in zip(circle, (*circle[1:], circle[0]), strict=True))


def test_it_goes_by_recorders_by_clocks_and_by_what_is_given(told: list[Told]) -> None:
    reasons = {link.why.split(" of ")[0] for circle in circles(told, OF_ORDER) for link in circle[:-1]}
    assert reasons == {"by the order", "by clocks", "it was given to a reader"}


def test_a_circle_is_drawn_and_told(told: list[Told]) -> None:
    circle = circles(told, OF_ORDER)[0]
    text, lines = mermaid.render(told), list(as_text(circle))
    assert text.count("flowchart LR") == sum(len(circles(told, rule)) for rule in (OF_ORDER, OF_CAUSES))
    assert f'    E{len(circle) - 1} -->|"{circle[-1].why}"| E0' in text.splitlines()
    assert lines[1] == lines[-1] == f"  {circle[0].one}"
