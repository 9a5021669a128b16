"""One text judges all rules: one scan and one grouping for each view, windows only where rows look around.

Golden files hold the text of one rule and of one view for each engine; ``--rewrite`` writes them anew, for a person to
look at. Justified by the promise that each rule is written once, and by the plan that ``spec.language.sql.plan`` tells.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from spec.client.views import Payload
from spec.events import Store
from spec.language.declare import Dimension, View, along, max_of, min_of
from spec.language.handles import Bool, known
from spec.language.outcomes import Outcome, Violation
from spec.language.parameters import Parameters
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule, rule
from spec.language.sql.dialects import DUCKDB, SPARK, Dialect
from spec.language.sql.plan import statement
from spec.language.sql.shared import levels
from spec.language.sql.verdicts import decode
from spec.language.sql.views import labels, sheets_of
from spec.registry import BY_ID, RULES
from tests.support.cuts import differences
from tests.support.probe_rules import PROBE_RULES
from tests.support.probe_views import Slot as ProbeSlot
from tests.support.random_traces import parameters_for, random_events
from tests.support.sql_engines import judged_by_duckdb, quiet_duckdb, table_of

GOLDEN = Path(__file__).parents[3] / "golden" / "sql"
PARAMETERS = Parameters(size=3, domains={"rack": (frozenset({0, 1}), frozenset({2}))})
ONE_RULE = [BY_ID["client.read.acked_is_delivered"]]
ONE_VIEW = [rule for rule in RULES if rule.view is Payload]
DIALECTS = pytest.mark.parametrize("dialect", [DUCKDB, SPARK], ids=lambda dialect: dialect.name)


class Lone(View, one_per=(Store.log, Store.lsn)):
    """One LSN, beside every other and beside none."""

    everywhere, nowhere = along(), along(Store.log, Store.lsn)
    digest = max_of(Store.digest)
    before, itself = everywhere.previous(digest), nowhere.latest(digest)


@rule("test.partitions", cite="spec/language/declare.py: along takes any partition")
def looks_anywhere(lone: Lone) -> Bool:
    """The digest before is the own one."""
    return lone.before <= lone.itself


class Firsts(Dimension, by=(Store.log,)):
    """The first LSN of each log."""

    lsn = min_of(Store.lsn)


class Digests(Dimension, by=(Store.log, Store.lsn)):
    """The greatest digest at each LSN."""

    digest = max_of(Store.digest)


class BesideTheFirst(View, one_per=(Store.log, Store.lsn)):
    """One LSN, beside the first of its log."""

    digest = max_of(Store.digest)
    first = Firsts.at(Firsts.lsn, Store.log)
    digest_of_first = Digests.at(Digests.digest, Store.log, first)


@rule("test.looked_up_by_what_is_looked_up", cite="spec/language/declare.py: a key may be looked up itself")
def is_not_below_the_first(beside: BesideTheFirst) -> Bool:
    """The digest is no less than that of the first LSN, which is asked for by itself, too."""
    return ~known(beside.first) | (beside.digest_of_first <= beside.digest)


@DIALECTS
@pytest.mark.parametrize(("name", "rules"), [("rule", ONE_RULE), ("view", ONE_VIEW)])
def test_the_text_is_this(name: str, rules: list[Rule], dialect: Dialect, request: pytest.FixtureRequest) -> None:
    """The text as people approved it."""
    golden, nullable = GOLDEN / f"{name}.{dialect.name}.sql", frozenset({"digest"})
    text = statement(rules, "trace", dialect, PARAMETERS, nullable=nullable)
    if request.config.getoption("--rewrite", default=False):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@DIALECTS
def test_one_scan_and_one_grouping_for_each_view(dialect: Dialect) -> None:
    """Rules of one view share its rows; tables that they look up are read beside them."""
    text = statement(RULES, "trace", dialect, PARAMETERS)
    views = {rule.view for rule in RULES}
    tables = {table for rule in RULES for table in rule.dimensions}
    assert text.count("FROM trace\n") == len(views) + len(tables)
    grouped = sum(rowset.grouped for rowset in views | tables)
    assert text.count("GROUP BY ") == grouped + len(views), "one more for what was judged alike"


def test_windows_only_where_rows_look_around() -> None:
    """A rule that asks no neighbour costs no sort, whatever the other rules of its view ask."""
    quiet = [rule for rule in RULES if not rule.neighbours]
    assert "OVER" not in statement(quiet, "trace", SPARK, PARAMETERS)
    assert statement(ONE_RULE, "trace", SPARK, PARAMETERS).count(" OVER ") == 4


def test_every_scan_reads_only_what_it_needs() -> None:
    """Kinds that make no row of a view are not read for it, nor are columns that no rule asks for."""
    text = statement(ONE_VIEW, "trace", SPARK, PARAMETERS)
    assert "WHERE kind IN (3, 4, 5, 8, 16)\n" in text
    assert "nodes" not in text


def test_a_kind_that_does_not_occur_costs_nothing() -> None:
    """What only it could say is a constant of its aggregate; of what makes no row nothing is read."""
    here = frozenset({3, 4})
    text = statement(ONE_VIEW, "trace", SPARK, PARAMETERS, here=here)
    assert "WHERE kind IN (3, 4)\n" in text
    assert not re.search(r"kind = (5|8|16)\b", text)
    assert "WHERE FALSE\n" in statement(ONE_VIEW, "trace", SPARK, PARAMETERS, here=frozenset({1}))


def test_facts_are_read_beside_the_trace() -> None:
    """Tables are made of facts where there are any; rows are always those of the trace."""
    text = statement(RULES, "trace", SPARK, PARAMETERS, facts="facts")
    assert text.count("FROM trace\n") == len({rule.view for rule in RULES})
    assert text.count("FROM facts\n") == len({table for rule in RULES for table in rule.dimensions})


def test_no_rules_are_an_error() -> None:
    """An empty plan would pass everything."""
    with pytest.raises(ValueError, match="no rules to judge"):
        statement([], "trace", SPARK, PARAMETERS)


def test_many_rules_need_several_numbers() -> None:
    """Two bits for each rule: a view with more than 31 gives its outcomes in several numbers."""
    sheet = next(sheet for sheet in sheets_of(PROBE_RULES) if sheet.view is ProbeSlot)
    assert len(sheet.words) == -(-len(sheet.rules) // 31) > 1
    assert [one for word in sheet.words for one in word] == list(sheet.rules)


def test_views_of_one_name_are_told_apart() -> None:
    """Two modules may each call a view Slot."""
    views = dict.fromkeys(rule.view for rule in (*RULES, *PROBE_RULES))
    found = labels(views)
    assert len({name.lower() for name in found.values()}) == len(views)
    assert {"Slot", "Slot2"} <= set(found.values())


def test_rows_are_decoded() -> None:
    """Outcomes stand two bits each from the lowest; the key is there where a rule is violated."""
    first, second = (one.id for one in ONE_VIEW)
    said = decode(ONE_VIEW, [("Payload", 0b0110, None, None, 5), ("Payload", 0b0011, 4, -7, 1)])
    assert said.counts == {(first, Outcome.UNKNOWN): 5, (second, Outcome.HOLDS): 5, (first, Outcome.VIOLATED): 1}
    assert Violation(first, (4, -7)) in said.violations


def test_rows_of_another_text_are_refused() -> None:
    """Decoded with other rules, a result would mean something else."""
    with pytest.raises(ValueError, match="'Slot', which no rule judges"):
        decode(ONE_VIEW, [("Slot", 1, None, None, 1)])


def test_shared_terms_stand_after_those_that_they_are_made_of() -> None:
    """What is said once may itself be made of what is said once."""
    copies, lost = ProbeSlot.copies, ProbeSlot.lost
    missing = copies - lost
    alike = [(missing.size() > 2).term, (missing.size() > 3).term, (missing <= copies).term]
    assert levels(alike) == [[missing.term], [missing.size().term]]
    assert levels([(copies.size() + lost.size() > 2).term]) == []


@pytest.mark.parametrize("one", [looks_anywhere, is_not_below_the_first], ids=lambda one: one.id)
def test_duckdb_says_what_the_fold_says(one: Rule) -> None:
    """Rows look along no column, or along all of the key; a table is joined before one whose key looks it up."""
    events, parameters = random_events(Random(3), 400, nodes=5, logs=2), parameters_for(5)
    with quiet_duckdb() as database:
        said = judged_by_duckdb(database, [one], table_of(events, parameters), parameters)
    want = ReferenceEvaluator(events, parameters).judge([one])
    assert len(want.counts) > 1
    assert differences([one], want, said) == []
