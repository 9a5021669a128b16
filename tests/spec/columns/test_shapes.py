"""Which key columns follow a trace's order, (log, LSN, seq), and which neighbours a cut trace can therefore give."""

import pytest

from spec.columns.plan import plans_of
from spec.events import Outcome, Positioned, Store
from spec.events.positions import epoch
from spec.language.declare import View, along, count_of
from spec.language.handles import Bool, Int
from spec.language.refusals import AuthorMistake
from spec.language.rule import Rule, rule
from spec.language.shape import shape_of
from spec.registry import RULES
from tests.support.probe_views import ByReader, ByUpto, Copy, EachRead, EpochRow, NodeRow, Slot


@pytest.mark.parametrize(
    ("view", "loose"),
    [
        (Slot, ()),
        (EpochRow, ()),
        (ByReader, ("reader",)),
        (Copy, ("node",)),
        (ByUpto, ("upto",)),
        (NodeRow, ("node",)),
        (EachRead, ("reader",)),
    ],
)
def test_only_columns_out_of_trace_order_are_sorted(view: type[View], loose: tuple[str, ...]) -> None:
    shape = shape_of(view)
    assert shape.loose == loose
    assert {*shape.loose, *(name for name, _ in shape.ordered)} == set(view.key)


def copies_along(*partition: Int) -> Rule:
    """A rule on neighbours among the copies on nodes, in (node, log, LSN) order."""

    class Copies(View, one_per=(Store.node, Store.log, Store.lsn)):
        """A copy on a node."""

        before = along(*partition).previous(count_of(Store))

    @rule("probe.partition", cite="none: a probe")
    def probe(copy: Copies) -> Bool:
        """A copy follows another."""
        return copy.before > 0

    return probe


@pytest.mark.parametrize(
    "partition",
    [(), (Store.log,), (Store.node, Store.lsn), (Store.node, Store.log, Store.lsn + 1)],
    ids=["no partition", "without node", "LSN without log", "a sum"],
)
def test_a_partition_that_a_cut_would_lose_is_refused(partition: tuple[Int, ...]) -> None:
    """Rows of a partition must stand together, and in the order of the trace: said where the view is declared."""
    with pytest.raises(AuthorMistake, match=r"test_shapes.py:\d+: Copies.before: .* Partition by node, log"):
        copies_along(*partition)


@pytest.mark.parametrize(
    "partition",
    [(Store.node,), (Store.node, Store.log), (Store.log, Store.node, epoch(Store.lsn))],
    ids=["node", "node, log", "log, node, epoch"],
)
def test_a_partition_that_is_a_run_of_rows_is_read(partition: tuple[Int, ...]) -> None:
    """Whatever the order in which it is written."""
    assert "before" in plans_of([copies_along(*partition)])[0].near


def test_an_epoch_of_a_log_is_a_run_of_rows() -> None:
    class Records(View, one_per=(Positioned.log, Positioned.lsn)):
        """One LSN."""

        before = along(Positioned.log, epoch(Positioned.lsn)).previous(count_of(Outcome))

    @rule("probe.epoch", cite="none: a probe")
    def probe(record: Records) -> Bool:
        """A record follows another."""
        return record.before > 0

    assert plans_of([probe])[0].near["before"]


def test_all_rules_of_the_specification_can_be_cut() -> None:
    """Every view of the specification has neighbours that follow the trace."""
    assert {clause.rule for plan in plans_of(RULES) for clause in plan.clauses} == {one.id for one in RULES}
