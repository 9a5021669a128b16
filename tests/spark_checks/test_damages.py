"""Damages: Spark never judges a damaged trace as if nothing had happened.

Justified by the promise that bad input gives a named error or unknown, never a pass. Blocks name it as one process
does. Where Spark's own parser is the reader, SQL may give it another name.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from conformance.check.checking import check as check_here
from conformance.trace import jsonl
from conformance.trace.errors import (
    Damaged,
    Inconsistent,
    Mistyped,
    NullValue,
    TraceError,
    UnknownKind,
    UnknownRecorder,
)
from conformance.trace.open import open_trace
from spark_checks.checking import check
from spec.columns.mistakes import ColumnsMistake
from spec.language.outcomes import Verdict
from spec.registry import select
from spec.reports.report import Report
from spec.verdicts import TraceVerdict
from tests.suite.caught import Catches
from tests.support.damage import DAMAGES, EXPECTED
from tests.support.damage_lines import Damage
from tests.support.traces import HEADER, small_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.together("spark")

CLIENTS: Final = select(["client.*"])
"""Rules enough: a damage is found before any rule is asked."""

OTHERWISE: Final[dict[str, type[TraceError]]] = {
    "line cut": Mistyped,
    "line no UTF-8": Damaged,
    "line nested without end": Mistyped,
    "number as text": Damaged,
    "number with a fraction": Damaged,
    "number as a truth value": Damaged,
    "number beyond 64 bits": Damaged,
    "number of 5000 digits": Mistyped,
    "copyset mistyped": Damaged,
    "field missing": NullValue,
    "kind missing": UnknownKind,
    "recorder half a character": UnknownRecorder,
    "zstd with noise behind": Mistyped,
    "replication of no copy": Inconsistent,
    "Parquet kind NULL": UnknownKind,
    "Parquet recorder NULL": UnknownRecorder,
}
"""What SQL calls a damage, where it is not what one process calls it."""

HARMLESS: Final = ("events out of order", "Parquet rows out of order", "number infinite")
"""Damages that are none to SQL, which judges events in any order."""

PASSED_BY_BLOCKS: Final = ("events out of order",)
"""Blocks put lines in order, whatever they say."""

UNCHECKED: Final = "Parquet page with a flipped bit"
"""Spark reads pages without a look at their checksum; of a sorted file, which this one is, blocks look."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace that damages start from."""
    path = tmp_path_factory.mktemp("sound") / "sound.jsonl"
    jsonl.write_events(path, HEADER, small_events(), in_order=True)
    return path


@pytest.fixture(scope="module")
def undamaged(sound: Path, spark: SparkSession) -> Report:
    """What SQL says of it."""
    return check(spark, sound, CLIENTS, plan="sql")


def contradicted(one: TraceVerdict, other: TraceVerdict) -> list[str]:
    """The rules of which one says what the other denies; of what was never sorted some may be left open."""
    pairs = zip(one.rules, other.rules, strict=True)
    return [said.rule.id for said, too in pairs if {said.verdict, too.verdict} == {Verdict.HOLDS, Verdict.VIOLATED}]


@pytest.mark.parametrize(("name", "damage"), DAMAGES, ids=[name for name, _ in DAMAGES])
def test_a_damage_is_named(
    name: str, damage: Damage, tmp_path: Path, sound: Path, undamaged: Report, spark: SparkSession, catches: Catches
) -> None:
    target, expected = tmp_path / "damaged", EXPECTED[name]
    damage(sound, target)
    if name in HARMLESS:
        assert contradicted(check(spark, target, CLIENTS, plan="sql").verdict, undamaged.verdict) == []
    elif expected is None:
        found = check(spark, target, CLIENTS, plan="sql").verdict
        assert contradicted(found, check_here(open_trace(target), CLIENTS).verdict) == []
        assert found.verdict is Verdict.UNKNOWN
        catches("damage", name, "Spark SQL")
    elif name != UNCHECKED:
        with pytest.raises(TraceError) as caught:
            check(spark, target, CLIENTS, plan="sql")
        assert type(caught.value) is OTHERWISE.get(name, expected)
        catches("damage", name, "Spark SQL")
    if name in PASSED_BY_BLOCKS:
        assert contradicted(check(spark, target, CLIENTS, plan="blocks").verdict, undamaged.verdict) == []
    elif expected is None:
        found = check(spark, target, CLIENTS, plan="blocks").verdict
        assert contradicted(found, check_here(open_trace(target), CLIENTS).verdict) == []
        assert found.verdict is Verdict.UNKNOWN
        catches("damage", name, "Spark blocks")
    else:
        with pytest.raises((TraceError, ColumnsMistake)) as refused:
            check(spark, target, CLIENTS, plan="blocks")
        assert refused.type.__name__ == expected.__name__
        catches("damage", name, "Spark blocks")
