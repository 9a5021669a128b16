"""From counts to verdicts: what may be said of a trace, given what its header declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from spec.events import Event
from spec.language.events import all_events
from spec.language.outcomes import Judgement, Outcome, Verdict, Violation
from spec.promises import PROMISES
from spec.registry import BY_ID, RULES
from spec.verdicts import Completeness, ExitCode, Standing, conclude, in_a_row, in_force


@dataclass
class Header:
    """A header that declares everything complete and promised, unless said otherwise."""

    promises: Mapping[str, bool | int] = field(default_factory=lambda: dict.fromkeys(PROMISES, True))
    kinds: Mapping[str, Completeness] = field(default_factory=dict)

    def completeness(self, word: str) -> Completeness:
        """How far events of one kind are recorded."""
        return self.kinds.get(word, "complete")


COPIES, ONCE = BY_ID["log.append.acked_has_copies"], BY_ID["client.append.once"]


def counted(**outcomes: int) -> Judgement:
    """A judgement of the rule on copies alone."""
    judgement = Judgement()
    for name, times in outcomes.items():
        judgement.count(COPIES.id, Outcome[name.upper()], times)
        if name == "violated":
            judgement.violations |= {Violation(COPIES.id, (1, esn)) for esn in range(times)}
    return judgement


@pytest.mark.parametrize(
    ("counts", "verdict", "exit_code"),
    [
        ({"holds": 3}, Verdict.HOLDS, ExitCode.HOLDS),
        ({"holds": 3, "unknown": 1}, Verdict.UNKNOWN, ExitCode.UNKNOWN),
        ({"holds": 3, "unknown": 1, "violated": 1}, Verdict.VIOLATED, ExitCode.VIOLATED),
        ({}, Verdict.UNKNOWN, ExitCode.NOTHING_CHECKED),
    ],
)
def test_the_worst_outcome_is_the_verdict(counts: dict[str, int], verdict: Verdict, exit_code: ExitCode) -> None:
    said = conclude([COPIES], counted(**counts), Header())
    assert (said.verdict, said.exit_code) == (verdict, exit_code)


def test_a_rule_without_instances_is_no_pass_and_no_stain() -> None:
    said = conclude([COPIES, ONCE], counted(holds=3), Header())
    assert said.rules[1].verdict is Verdict.UNKNOWN
    assert said.rules[1].standing is Standing.NO_INSTANCE
    assert said.verdict is Verdict.HOLDS


def test_what_is_not_promised_is_not_held_against_a_system() -> None:
    header = Header(promises={})
    assert COPIES not in in_force(RULES, header)
    said = conclude([COPIES], counted(), header)
    assert said.rules[0].standing is Standing.NOT_PROMISED
    assert said.exit_code is ExitCode.NOTHING_CHECKED


def test_what_is_not_recorded_is_unknown() -> None:
    header = Header(kinds={"store": "absent"})
    assert COPIES not in in_force(RULES, header)
    said = conclude([COPIES], counted(), header).rules[0]
    assert (said.verdict, said.reason) == (Verdict.UNKNOWN, "not recorded: store")


def test_a_snapshot_of_copies_shows_presence_but_not_absence() -> None:
    """Copies that are seen are there; copies that are not seen may have been there at another time."""
    header = Header(kinds={"store": "partial"})
    assert conclude([COPIES], counted(holds=3), header).verdict is Verdict.HOLDS
    said = conclude([COPIES], counted(holds=3, violated=2), header)
    assert (said.rules[0].violated, said.rules[0].unknown) == (0, 2)
    assert said.rules[0].reason == "recorded in part: store"
    assert said.rules[0].violations == ()


def test_a_rule_that_a_snapshot_can_neither_pass_nor_break_does_not_count() -> None:
    """Whether the first copy was stored before the acknowledgement cannot be seen afterwards."""
    order = BY_ID["log.append.copy_before_ack"]
    judgement = Judgement()
    judgement.count(order.id, Outcome.UNKNOWN, 4)
    said = conclude([order], judgement, Header(kinds={"store": "partial"}))
    assert said.rules[0].standing is Standing.IN_PART
    assert said.exit_code is ExitCode.NOTHING_CHECKED


def test_only_the_first_violations_are_kept_and_all_are_counted() -> None:
    said = conclude([COPIES], counted(violated=50), Header(), keep_violations=3).rules[0]
    assert (said.violated, [violation.key for violation in said.violations]) == (50, [(1, 0)])
    assert said.in_a_row == {said.violations[0]: 50}


def test_violations_of_two_logs_are_not_in_a_row() -> None:
    """``RuleVerdict.in_a_row``: their keys follow one another as LSNs do, and LSNs are those of one log."""
    keys = [(1, 1), (1, 2), (2, 3), (2, 4), (2, 6)]
    found = [Violation(COPIES.id, key) for key in keys]
    assert [(one.key, times) for one, times in in_a_row(found)] == [((1, 1), 2), ((2, 3), 2), ((2, 6), 1)]


def test_every_promise_of_a_rule_is_explained() -> None:
    assert {rule.promise for rule in RULES} - {""} <= set(PROMISES)


def test_every_kind_is_needed_by_a_rule_or_is_context() -> None:
    """Vocabulary that no rule reads is only for explanations: say which."""
    needed = {event.word for rule in RULES for event in rule.needs}
    context = {"indefinite", "digest", "fault"}
    assert {event.word for event in all_events(Event)} - needed - context == set()
