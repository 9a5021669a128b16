"""Sorting a snapshot by Spark: for tables that were written in any order, in many small files, or by other programs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from spark_checks.audit import ledgers
from spark_checks.audit.snapshot import ABOUT
from spark_checks.audit.tables import ANSWERS, MARKS, files_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEYS = {"ledgers": ("ledger",), "answers": ("ledger", "bookie"), "marks": ("ledger",)}
"""What each table is sorted by."""

COLUMNS = {"ledgers": ledgers.SCHEMA.names, "answers": ANSWERS.names, "marks": MARKS.names}

ROWS = 1 << 17
"""Rows of one file at most, about: what one task reads at once."""


def sorted_copy(session: SparkSession, path: Path, target: Path) -> Path:
    """A copy of a snapshot in the order of ledgers; gives its folder.

    Args:
        session: where to run.
        path: the folder of the snapshot.
        target: a folder that is not there yet, which all workers can write to.
    """
    target.mkdir()
    shutil.copy(path / ABOUT, target / ABOUT)
    for name, keys in KEYS.items():
        if files := files_of(path, name):
            found = session.read.parquet(*map(str, files))
            rows = found.select(*(column for column in COLUMNS[name] if column in found.columns))
            parts = max(1, -(-rows.count() // ROWS))
            rows.repartitionByRange(parts, keys[0]).sortWithinPartitions(*keys).write.parquet(str(target / name))
    return target
