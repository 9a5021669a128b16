"""Presence: a rule that is left out for want of events judges no row, by the reference, which says what rules mean."""

from random import Random

import pytest

from spec.events import Ack, NewEpoch, Positioned, Store
from spec.language.events import kinds
from spec.language.presence import ANY, KNOWN, NULL, can_be
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import rules_about
from spec.language.terms import Col, Lit, Lookup, Op
from spec.log.views import Slot
from spec.registry import RULES
from tests.support.cuts import drawn
from tests.support.probe_rules import PROBE_RULES

ALL = (*RULES, *PROBE_RULES)
EVERY = frozenset(kinds(Positioned))


@pytest.mark.parametrize("seed", range(24))
def test_a_rule_that_is_left_out_judges_nothing(seed: int) -> None:
    """Of random traces of few kinds the reference makes no instance of such a rule; of some, rules are left out."""
    events, parameters, _ = drawn(seed)
    random = Random(seed)
    for share in (0.2, 0.5, 0.8):
        wanted = {kind for kind in sorted({event["kind"] for event in events}) if random.random() < share}
        some = [event for event in events if event["kind"] in wanted]
        about = rules_about(ALL, frozenset(wanted))
        said = ReferenceEvaluator(some, parameters).judge(ALL)
        assert [rule.id for rule in ALL if rule not in about and said.judged(rule.id)] == []
        assert len(about) < len(ALL)


def test_what_formulas_can_be() -> None:
    """By the lines of ``spec.language.vocabulary``: what is NULL, and what Kleene's words make of it."""
    none = EVERY - set(kinds(Ack)) - set(kinds(NewEpoch))
    acked, digest = Col("acked", "bool"), Col("acked_least", "int")
    nodeset = Slot.inline(Col("nodeset", "set"))
    assert isinstance(nodeset, Lookup)
    for term, with_all, without in (
        (acked, ANY, {False}),
        (digest, ANY, NULL),
        (Op("=", (digest, Lit(1))), ANY, NULL),
        (Op("known", (digest,)), KNOWN, {False}),
        (Op("is", (digest, Lit(1))), KNOWN, {False}),
        (Op("when", (Lit(1), acked)), ANY, NULL),
        (Op("not", (acked,)), ANY, {True}),
        (Op("or", (acked, Op("=", (digest, Lit(1))))), ANY, NULL),
        (Op("implies", (acked, Op("known", (digest,)))), ANY, {True}),
        (nodeset, ANY, NULL),
        (Col("claimed", "set"), ANY, KNOWN),
        (Col("lsn", "int"), KNOWN, KNOWN),
        (Col("next_acked", "int"), ANY, NULL),
    ):
        assert (can_be(term, Slot, EVERY), can_be(term, Slot, none)) == (with_all, without), term


def test_a_rule_of_acknowledgements_needs_one() -> None:
    """It speaks of LSNs that were both placed and acknowledged."""
    (rule,) = (rule for rule in RULES if rule.id == "log.append.copy_before_ack")
    assert rules_about([rule], frozenset(kinds(Ack) + kinds(Store))) == (rule,)
    for one in (Ack, Store):
        assert rules_about([rule], frozenset(kinds(one))) == ()
