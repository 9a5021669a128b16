"""Damages: Spark never judges a damaged trace as if nothing had happened.

Justified by the promise that bad input gives a named error or unknown, never a pass. Where Spark's own parser is the
reader, the name of the error may be another than in one process, and order does not matter to SQL.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.trace import jsonl
from conformance.trace.errors import NotSorted, TraceError
from spark_checks.checking import check
from spec.columns.mistakes import ColumnsMistake
from tests.support.damage import DAMAGES, EXPECTED
from tests.support.traces import HEADER, small_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


UNREAD = ("number infinite", "Parquet unknown fields mistyped")
"""Damages inside fields that this version does not know; Spark does not read them, and neither does any rule."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "damage"), DAMAGES, ids=[name for name, _ in DAMAGES])
def test_a_damage_is_named(
    name: str, damage: Callable[[Path, Path], None], tmp_path: Path, spark: SparkSession
) -> None:
    source, target = tmp_path / "sound.jsonl", tmp_path / "damaged"
    jsonl.write_events(source, HEADER, small_events(), in_order=True)
    damage(source, target)
    if EXPECTED[name] in (None, NotSorted) or name in UNREAD:
        assert check(spark, target, plan="sql").verdict.exit_code != 0
        return
    with pytest.raises((TraceError, ColumnsMistake)):
        check(spark, target)
