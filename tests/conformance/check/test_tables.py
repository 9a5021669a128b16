"""Tables of what is about no partition say, gathered in columns, what the reference evaluator says of the same events.

Justified by ``spec.language.reference``, which defines what a dimension is, and by what a trace keeps of each kind.
"""

import pytest

from conformance.check.ordering import Asked, events_of
from conformance.check.tables import of_no_partition, plain_rows
from conformance.generate.tiles import simulated
from conformance.trace.open import Parquet, open_trace
from reference_impl.plan import SimulationPlan
from spec.columns.dimensions import dimensions_of
from spec.language.declare import Dimension
from spec.language.events import kinds
from spec.language.reference import ReferenceEvaluator
from spec.log.views.tables import Deltas, Donations, Faults, Metadata, Statuses
from spec.registry import RULES


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Parquet:
    """A run in which nodes crash and lose their disks."""
    path = tmp_path_factory.mktemp("run") / "run.parquet"
    simulated(SimulationPlan(seed=3, events=20_000), path)
    found = open_trace(path)
    assert isinstance(found, Parquet)
    return found


def test_what_is_about_nodes_is_of_no_partition(trace: Parquet) -> None:
    """Metadata are of a log; what happens to nodes, and what is said of all of them, is of none."""
    found = of_no_partition(dimensions_of(RULES), trace.header)
    assert {Statuses, Donations, Deltas, Faults} <= {*found}
    assert Metadata not in found


@pytest.mark.parametrize("dimension", [Statuses, Donations, Deltas, Faults], ids=lambda one: one.__name__)
def test_rows_are_as_the_reference_writes_them(trace: Parquet, dimension: type[Dimension]) -> None:
    """Under each key, and under none."""
    reference = ReferenceEvaluator(
        events_of(trace, [Asked(frozenset(kinds(dimension.events)))]), trace.header.parameters()
    )
    reference.table(dimension)
    (found,) = plain_rows(trace, [dimension]).values()
    assert dict(found) == reference.tables[dimension]
    assert len(found) > 0
    nobody = (-1,)
    assert found.get(nobody) is None
    assert found.get((None,)) is None
