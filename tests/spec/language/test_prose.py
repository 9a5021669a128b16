"""Prose is a reading like the others: everything that engines check is said, in signs that engineers know.

Justified by the house's promise that each rule is written once and read by Python, numpy, z3, SQL and people.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from spec import pages
from spec.events import RECORD, Ack, Gap, NewEpoch, Positioned, StatusTable, Store
from spec.events.positions import CALLED, epoch, first_lsn, last_lsn
from spec.language.declare import (
    Dimension,
    View,
    all_same,
    along,
    any_of,
    common_of,
    count_of,
    max_of,
    min_of,
    only_of,
    set_of,
    union_of,
)
from spec.language.definition import definition
from spec.language.handles import Bool, Factors, Int, Set, known, one_of
from spec.language.notation import Notation
from spec.language.prose import Prose
from spec.language.quantifiers import count, domains, every, some
from spec.language.rule import Rule, rule
from spec.language.scopes import SCOPES
from spec.language.terms import Col
from spec.log.family import LOG
from spec.log.quorum import is_f_majority
from spec.log.replication import can_replicate
from spec.log.views import Slot
from spec.registry import RULES

GOLDEN = Path(__file__).parents[2] / "golden" / "prose"


class Statuses(Dimension, by=(StatusTable.version,)):
    """The statuses of all nodes, by version."""

    empty = only_of(StatusTable.empty)


class Place(View, one_per=(Positioned.log, Positioned.lsn)):
    """What became of one LSN."""

    lsn = Positioned.lsn
    copies = set_of(Store.node, where=Store.becomes == RECORD)
    shared = common_of(Ack.copyset)
    claimed = union_of(Ack.copyset, Store.copyset)
    acked, acks = any_of(Ack), count_of(Ack)
    acked_at = min_of(Ack.time)
    stored_at = max_of(Store.time)
    agreed = all_same(Ack.digest)
    replication = only_of(NewEpoch.replication)
    empty = Statuses.at(Statuses.empty, max_of(Gap.statuses))
    next_acked = along(Positioned.log).next(lsn.when(acked))
    shared_before = along(Positioned.log, epoch(Positioned.lsn)).previous(shared)
    stored_before, acked_ahead = along(Positioned.log).highest(stored_at), along(Positioned.log).lowest(acked_at)


@definition
def is_safe(nodes: Set, replication: Factors) -> Bool:
    """The nodes lie in as many racks as are asked for, and there are enough of them."""
    return (count(~(rack & nodes).is_empty() for rack in domains("rack")) >= replication.at("rack")) & (
        nodes.size() >= replication.at("shard")
    )


@rule("test.copies", cite="A document: a section", promise="copies", variant="written")
def acknowledged_is_stored(place: Place) -> Bool:
    """An acknowledged record lies where it should."""
    enough = is_safe(place.copies - place.empty, place.replication) & (place.shared <= place.copies)
    return (place.acked & ~known(place.next_acked)).implies(enough & place.stored_at.not_after(place.acked_at))


@rule("test.order", cite="A document: another section")
def places_are_in_order(place: Place) -> Bool:
    """Acknowledgements agree, and the next of them is later."""
    return place.agreed & (place.next_acked > place.lsn)


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are written anew."""
    return bool(request.config.getoption("--rewrite", default=False))


PLAIN = Prose(Notation(called=CALLED))
PROSE = Prose(Notation([is_safe], {"becomes": {RECORD: "RECORD"}}), {"copies": "copies are where they should be"})
say = PLAIN.notation.say


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rule.txt", PROSE.rule_page(acknowledged_is_stored)),
        ("spelt_out.txt", PLAIN.rule_page(acknowledged_is_stored)),
        ("view.txt", PLAIN.view_page(Place)),
        ("chapter.md", PROSE.chapter([acknowledged_is_stored, places_are_in_order])),
        ("plain_chapter.md", PLAIN.chapter([places_are_in_order])),
    ],
)
def test_pages_are_these(name: str, text: str, *, rewrite: bool) -> None:
    """The pages as people approved them; ``--rewrite`` writes them anew, for a person to look at."""
    if rewrite:
        (GOLDEN / name).write_text(text, encoding="utf-8")
    assert text == (GOLDEN / name).read_text(encoding="utf-8")


a, b, c = (Int(Col(name, "int")) for name in "abc")
p, q, r = (Bool(Col(name, "bool")) for name in "pqr")
s, t, u = (Set(Col(name, "set")) for name in "stu")
R = Factors(Col("R", "factors"))


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (p & q & r, "p ∧ q ∧ r"),
        ((p & q) | r, "p ∧ q ∨ r"),
        (p & (q | r), "p ∧ (q ∨ r)"),
        (~(p & q), "¬(p ∧ q)"),
        (~p & q, "¬p ∧ q"),
        ((p | q).implies(r & ~q), "p ∨ q ⇒ r ∧ ¬q"),
        (p.implies(q).implies(r), "(p ⇒ q) ⇒ r"),
        (p.implies(q.implies(r)), "p ⇒ (q ⇒ r)"),
        (~(a == b), "a ≠ b"),
        (~(a < b), "a ≥ b"),
        (~(s <= t), "s ⊈ t"),
        (a - b + c <= 3, "a - b + c ≤ 3"),
        (a - (b - c) != -a, "a - (b - c) ≠ -a"),
        (a - (b + c) > 0, "a - (b + c) > 0"),
        (s & t & u <= s | t, "s ∩ t ∩ u ⊆ s ∪ t"),
        (s & (t & u) <= s - t - u, "s ∩ t ∩ u ⊆ s ∖ t ∖ u"),
        (s - (t - u) <= (s | t) & u, "s ∖ (t ∖ u) ⊆ (s ∪ t) ∩ u"),
        (s.is_empty(), "s = ∅"),
        (~(s & t).is_empty(), "s ∩ t ≠ ∅"),
        (s.size() < 2, "|s| < 2"),
        (one_of(a) <= s, "{a} ⊆ s"),
        (known(a) & ~known(s), "a is known ∧ s is not known"),
        (a.is_(3) | ~b.is_(c), "a is 3 ∨ b is not c"),
        (a.when(p) == b, "(a if p) = b"),
        (a.not_after(b), "a not after b"),
        (epoch(a) == 1, "epoch(a) = 1"),
        (first_lsn(a) < last_lsn(a + 1), "first_lsn(a) < last_lsn(a + 1)"),
        (R.at("rack") > 1, "R[rack] > 1"),
        (count((d & s).is_empty() for d in domains("rack")) == 2, "|{D ∈ rack : D ∩ s = ∅}| = 2"),
        (some(d <= s for d in domains("data_center")), "∃ D ∈ data center: D ⊆ s"),
        (every(d <= s for d in domains("rack")) & p, "(∀ D ∈ rack: D ⊆ s) ∧ p"),
        (every(R.at(scope) > 1 for scope in SCOPES), "∀ scope: R[scope] > 1"),
        (some(R.at(scope) > 1 for scope in SCOPES) & p, "(∃ scope: R[scope] > 1) ∧ p"),
        (every(R.at(scope) > 1 for scope in ("node", "rack")), "∀ scope from node to rack: R[scope] > 1"),
        (every(R.at(scope) > 1 for scope in ("node", "region")), "R[node] > 1 ∧ R[region] > 1"),
        (every(R.at(one) < R.at("cluster") for one in SCOPES[5:]), "∀ larger: R[larger] < R[cluster]"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_formulas_are_said_in_few_brackets(formula: Bool, text: str) -> None:
    """Signs bind as in any textbook, and what is said of several scopes is said once."""
    assert say(formula.term) == text


def test_a_column_called_like_a_scope_is_no_scope() -> None:
    """Two comparisons of columns that happen to be called ``node`` and ``rack`` stay two."""
    node, rack = (Int(Col(name, "int")) for name in ("node", "rack"))
    assert say(((node > 1) & (rack > 1)).term) == "node > 1 ∧ rack > 1"


def test_definitions_are_found_in_formulas_that_use_them() -> None:
    """LogDevice, Read path: f-majority and copysets are words of the field, and pages use them."""
    notation = Notation([can_replicate, is_f_majority])
    used = is_f_majority(s & t, t, u, R) | can_replicate(s - u, R)
    assert notation.say(used.term) == "is_f_majority(s ∩ t, t, u, R) ∨ can_replicate(s ∖ u, R)"
    assert notation.used(used.term) == [is_f_majority, can_replicate]
    assert "is_f_majority" not in notation.say(is_f_majority.term)


def test_long_formulas_stand_in_lines() -> None:
    """One line for each part, and what belongs together is set in together."""
    formula = (p & q).implies((a + b + c > a + b) & ((b > 1) | (c > 1))).term
    assert Notation().lines(formula, width=30) == ["p ∧ q", "⇒ ∧ a + b + c > a + b", "  ∧ b > 1 ∨ c > 1"]
    assert Notation().lines(formula, width=100) == [say(formula)]
    assert LOG.prose.notation.lines(can_replicate.term) == [
        "∧ ∀ scope: |nodes| ≥ replication[scope]",
        "∧ ∀ scope from node to data center:",
        "    ∨ ¬(replication[scope] > 0 ∧ (∀ larger: replication[larger] < replication[scope]))",
        "    ∨ |{D ∈ scope : D ∩ nodes ≠ ∅}| ≥ replication[scope]",
        "∧ replication[region] ≤ 0 ∨ |{D ∈ region : D ∩ nodes ≠ ∅}| ≥ replication[region]",
    ]


@pytest.mark.parametrize("found", RULES, ids=lambda rule: rule.id)
def test_every_rule_has_its_page(found: Rule) -> None:
    """Sentence, source, needs, promise and every column it reads; nothing of how terms are kept in memory."""
    page = pages.rule_page(found)
    assert found.sentence in page
    assert found.cite in page
    assert all(event.word in page for event in found.needs)
    assert found.promise in page
    assert f"({', '.join(found.view.key)})." in page
    assert "Op(" not in page
    assert "\x00" not in page
    assert all(page.count(left) == page.count(right) for left, right in ("()", "[]", "{}"))
    assert page == pages.rule_page(found)


def test_views_and_formulas_of_the_specification() -> None:
    """LogDevice's kinds of gaps and records by name, and definitions by theirs."""
    assert "hole_reported" in pages.view_page(Slot)
    assert "∃ Gap where Gap.reason = HOLE" in pages.view_page(Slot)
    assert LOG.prose.notation.say((~can_replicate(s, R)).term) == "¬can_replicate(s, R)"
    assert "domain" not in (text := PROSE.definition_page(is_safe))
    assert text.startswith("is_safe(nodes, replication)\n  The nodes lie in as many racks")


def test_chapters_hold_all_rules() -> None:
    """The reference documents are made of these."""
    text = "".join(pages.chapter(title) for title in LOG.chapters)
    assert [line.removeprefix("### ") for line in text.splitlines() if line.startswith("### ") and "." in line] == [
        found.id for title in LOG.chapters for found in _by_view(title)
    ]


def _by_view(title: str) -> list[Rule]:
    rules = LOG.chapters[title]
    views = list(dict.fromkeys(found.view for found in rules))
    return [found for view in views for found in rules if found.view is view]
