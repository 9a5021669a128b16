"""Terms are written as each engine reads them: whatever the two engines disagree on is one phrase of a dialect.

Justified by the house's promise that each rule is written once. That the text means what the reference says is the
business of ``tests/agreement/test_sql_agrees.py``.
"""

from __future__ import annotations

import pytest

from spec.events import Store
from spec.events.positions import epoch, first_lsn, last_lsn
from spec.language.declare import Dimension, View, any_of, max_of, min_of, set_of, union_of
from spec.language.events import kinds
from spec.language.handles import Bool, Factors, Handle, known, one_of
from spec.language.parameters import Parameters
from spec.language.quantifiers import count, domains, every
from spec.language.sql.dialects import DUCKDB, SPARK, Dialect
from spec.language.sql.events import EventWriter, Trace
from spec.language.sql.rows import RowWriter
from spec.language.terms import Col, Lookup

RACKS = (frozenset({0, 1}), frozenset({2, 63}), frozenset[int]())
DIALECTS = pytest.mark.parametrize("dialect", [DUCKDB, SPARK], ids=lambda dialect: dialect.name)


class Table(Dimension, by=(Store.log,)):
    """What is known of a log."""

    members, replaced, first = union_of(Store.copyset), any_of(Store), min_of(Store.time)


class Row(View, one_per=(Store.log, Store.lsn)):
    """One LSN, with values that may be unknown and values that are not."""

    log, lsn = Store.log, Store.lsn
    least, most = min_of(Store.time), max_of(Store.time)
    copies, claimed = set_of(Store.node), union_of(Store.copyset)
    members, replaced = Table.at(Table.members, Store.log), Table.at(Table.replaced, Store.log)
    first = Table.at(Table.first, Store.log)


FACTORS = Factors(Col("replication", "factors"))


def writer(dialect: Dialect, nodes: int = 64, *, nullable: frozenset[str] = frozenset()) -> RowWriter:
    """Write terms over a row of these views."""
    parameters = Parameters(size=nodes, domains={"rack": RACKS}, low_bits=8, clock_bound_ns=3)
    return RowWriter(Row, Trace("trace", dialect, parameters, nullable), {}, {})


@DIALECTS
@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (Row.least + 1 <= -Row.most, "((c_least + 1) <= (- c_most))"),
        (known(Row.least) & ~known(Row.lsn), "((c_least IS NOT NULL) AND (NOT TRUE))"),
        ((Row.least < 3).implies(Row.most == 4), "(NOT (c_least < 3) OR (c_most = 4))"),
        (Row.least.is_(2), "coalesce((c_least = 2), FALSE)"),
        (Row.lsn.is_(2), "(c_lsn = 2)"),
        (Row.least.when(Row.lsn > 1), "CASE WHEN (c_lsn > 1) THEN c_least END"),
        (Row.copies <= Row.claimed, "((c_copies & ~c_claimed) = 0)"),
        ((Row.copies | Row.claimed) <= Row.copies - Row.claimed, None),
        (first_lsn(Row.lsn), "(c_lsn * 256)"),
        (last_lsn(Row.lsn), "(c_lsn * 256 + 255)"),
        (count(domain <= Row.copies for domain in domains("region")) == 0, "(0 = 0)"),
    ],
)
def test_what_both_engines_write_alike(dialect: Dialect, formula: Handle, text: str | None) -> None:
    """NULL needs a text of its own only where absence is asked for, and only where there may be one."""
    said = writer(dialect).scalar(formula.term)
    assert said == (text or "(((c_copies | c_claimed) & ~(c_copies & ~c_claimed)) = 0)")


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (
            SPARK,
            "(CAST((bit_count((3 & c_copies)) > 0) AS INT) + CAST((bit_count((-9223372036854775804 & c_copies)) > 0)",
        ),
        (DUCKDB, "(CAST((CAST(bit_count((3 & c_copies)) AS BIGINT) > 0) AS INT) + "),
    ],
)
def test_counts_over_domains_are_spelt_out(dialect: Dialect, text: str) -> None:
    """A sum of comparisons is several times faster than a function over an array."""
    touched = count((rack & Row.copies).size() > 0 for rack in domains("rack"))
    said = writer(dialect).scalar(touched.term)
    assert said.startswith(text)
    assert "((0) & c_copies)" in said, "an empty domain keeps its zeros"


def test_a_domain_of_one_node_each_is_one_operation() -> None:
    """Every shard is a domain of its own: what is asked of each of them is asked of all at once."""
    missing = every(shard <= Row.copies for shard in domains("shard"))
    assert writer(SPARK).scalar(missing.term) == "(bit_count((-1 & ~(-1 & ~(-1 & ~c_copies)))) = 0)"


@pytest.mark.parametrize(
    ("dialect", "formula", "text"),
    [
        (SPARK, epoch(Row.lsn), "shiftright(c_lsn, 8)"),
        (DUCKDB, epoch(Row.lsn), "(c_lsn >> 8)"),
        (SPARK, Row.copies.size(), "bit_count(c_copies)"),
        (DUCKDB, Row.copies.size(), "CAST(bit_count(c_copies) AS BIGINT)"),
        (SPARK, FACTORS.at("rack"), "(shiftright(c_replication, 16) & 127)"),
        (DUCKDB, FACTORS.at("shard"), "(c_replication & 127)"),
    ],
)
def test_phrases_of_a_dialect(dialect: Dialect, formula: Handle, text: str) -> None:
    """What the engines call by different names."""
    assert writer(dialect).scalar(formula.term) == text


def test_a_set_of_many_nodes_is_several_words() -> None:
    """Nodes 64 and up are bits of the next word; a word that a domain leaves empty is not asked."""
    wide = writer(SPARK, nodes=70)
    assert wide.words(Row.copies.term) == ("c_copies", "c1_copies")
    assert (
        wide.scalar((Row.copies <= Row.claimed).term) == "(((c_copies & ~c_claimed) | (c1_copies & ~c1_claimed)) = 0)"
    )
    low, high = wide.words(one_of(Row.lsn).term)
    assert low.startswith("CASE WHEN c_lsn BETWEEN 0 AND 63 THEN")
    assert high == "CASE WHEN c_lsn BETWEEN 64 AND 127 THEN shiftleft(1L, CAST((c_lsn - 64) AS INT)) ELSE 0 END"
    touched = count((rack & Row.copies).size() > 0 for rack in domains("rack"))
    assert "c1_copies" not in wide.scalar(touched.term).replace("((0) & c1_copies)", "")


def test_a_column_that_is_made_is_used() -> None:
    """A term that has a column already is not written again."""
    sharing = writer(SPARK)
    sharing.made[Row.copies.size().term] = ("t_0",)
    assert sharing.scalar((Row.copies.size() > 2).term) == "(t_0 > 2)"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (Row.members, "t_0"),
        (Row.copies <= Row.members, "CASE WHEN t_0 IS NOT NULL THEN ((c_copies & ~coalesce(t_0, 0)) = 0) END"),
        (~Row.replaced, "CASE WHEN t_1 IS NOT NULL THEN (NOT coalesce(t_1, FALSE)) END"),
        (
            (Row.members.size() > Row.first) & (Row.first > Row.members.size()),
            (
                "CASE WHEN t_0 IS NOT NULL AND t_2 IS NOT NULL THEN ((bit_count(coalesce(t_0, 0)) > coalesce(t_2, 0))"
                " AND (coalesce(t_2, 0) > bit_count(coalesce(t_0, 0)))) END"
            ),
        ),
        (Row.replaced | (Row.lsn > 1), "(t_1 OR (c_lsn > 1))"),
        (Row.first < Row.least, "(t_2 < c_least)"),
    ],
)
def test_what_is_looked_up_is_asked_for_once(formula: Handle, text: str) -> None:
    """Behind that, nothing is NULL; not where another part decides, too, or is unknown itself."""
    asked = [Row.inline(handle.term) for handle in (Row.members, Row.replaced, Row.first)]
    keys = {(lookup.dimension, lookup.key): "d0" for lookup in asked if isinstance(lookup, Lookup)}
    sharing = RowWriter(Row, Trace("trace", SPARK, Parameters(size=5), frozenset()), keys, {})
    sharing.made |= {lookup: (f"t_{n}",) for n, lookup in enumerate(asked)}
    assert sharing.words(Row.inline(formula.term)) == (text,)


@pytest.mark.parametrize(
    ("of", "text"),
    [((7,), "becomes"), ((7, 11), "becomes"), ((6, 7), "CASE WHEN kind = 7 THEN becomes END")],
)
def test_a_field_of_other_kinds_is_null(of: tuple[int, ...], text: str) -> None:
    """A column that a kind does not fill may hold anything."""
    trace = Trace("trace", SPARK, Parameters(size=5), frozenset())
    field = Store.becomes.term
    where = EventWriter(trace, of)
    expected = text if of != (7, 11) else f"CASE WHEN kind IN ({', '.join(map(str, kinds(Store)))}) THEN becomes END"
    assert where.scalar(field) == expected.replace("becomes", "arg_b").replace("IN (7)", "= 7")
    assert where.may_be_null(field) == (of != (7,))


def test_known_is_asked_only_where_a_recorder_may_not_know() -> None:
    """The guard finds the columns that hold NULL; all others need no text for it."""
    formula: Bool = known(Row.claimed)
    assert writer(SPARK).scalar(formula.term) == "TRUE"
    assert writer(SPARK, nullable=frozenset({"nodes"})).scalar(formula.term) == "(c_claimed IS NOT NULL)"
