"""Tables of violations: as many as there are, written as Parquet; reports name the first few of each rule."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.trace.delta_writing import publish
from spark_checks.paths import literal
from spark_checks.session import runs_here
from spec.language.outcomes import Violation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KEY_PARTS: Final = 8
"""The most columns that a view's key has."""

COLUMNS: Final = ("rule", *(f"k{number}" for number in range(KEY_PARTS)))
"""The rule's id and the row's key, padded with NULL."""

SCHEMA: Final = "rule STRING, " + ", ".join(f"k{number} BIGINT" for number in range(KEY_PARTS))


def write(table: DataFrame, output: str, *, beside: bool = False) -> DataFrame:
    """Write all violations below a folder, in place of what is there or beside it; gives the written table.

    Where Spark runs on this machine it is a Delta table, too, and whole or not there.
    """
    path, rows, session = Path(output) / "violations", table.select(*COLUMNS), table.sparkSession
    if not runs_here(session):
        rows.write.mode("append" if beside else "overwrite").parquet(str(path))
    elif beside:
        rows.write.mode("append").parquet(str(path))
        publish(path)
    else:
        unfinished = path.with_name(f".violations.{secrets.token_hex(6)}")
        try:
            rows.write.parquet(str(unfinished))
            publish(unfinished)
            _put(unfinished, path)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return session.read.schema(SCHEMA).parquet(literal(path))


def _put(new: Path, path: Path) -> None:
    """Give a folder its name; what had the name before is gone then."""
    before = path.with_name(f".before.{secrets.token_hex(6)}")
    if path.exists():
        path.rename(before)
    new.rename(path)
    if before.is_dir():
        shutil.rmtree(before)
    else:
        before.unlink(missing_ok=True)


def first_of(table: DataFrame, kept: int) -> set[Violation]:
    """The first violations of each rule, in the order of their keys."""
    from pyspark.sql import Window  # noqa: PLC0415 - Spark is loaded only where it runs
    from pyspark.sql import functions as f  # noqa: PLC0415 - as above

    order = Window.partitionBy("rule").orderBy(*COLUMNS[1:])
    rows = table.withColumn("nth", f.row_number().over(order)).where(f"nth <= {kept}").collect()
    return {Violation(row.rule, tuple(row[name] for name in COLUMNS[1:] if row[name] is not None)) for row in rows}
