"""Work that Spark tasks do leaves the files that it leaves when it is done here.

Justified by ``spark_checks/tasks.py`` and ``conformance/generate``: the same order gives the same files to the byte.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.generate.generating import Work, generate
from conformance.generate.ordering import Order
from conformance.trace.errors import NotWritable
from spark_checks.tasks import each

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.together("spark")]


@pytest.mark.costly("a trace is simulated and judged by the reference evaluator, twice")
def test_the_same_files_are_written_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    order = Order(15_000, seed=3, skew=0.4, files=3)

    def tasks(_what: str, count: int, work: Work) -> None:
        each(spark, count, work)

    generate(order, tmp_path / "spark", tasks)
    generate(order, tmp_path / "here")
    names = sorted(path.name for path in (tmp_path / "here").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "spark").iterdir())
    for name in names:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "spark" / name).read_bytes(), name


def _refuse(where: str, number: int) -> None:
    if number == 2:
        raise NotWritable("cannot be written", "the disk is full", "another", where)


def test_an_error_keeps_its_name(spark: SparkSession) -> None:
    with pytest.raises(NotWritable, match="the disk is full"):
        each(spark, 4, partial(_refuse, "there"))
