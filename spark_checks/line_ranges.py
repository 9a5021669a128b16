"""JSON lines for the block plan: tasks read ranges of the file in bulk, and leave them as Parquet for the next step.

They leave them in a temporary folder of this machine, so this is for sessions whose workers run here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pyarrow as pa

from conformance.trace.arrow import schema_of
from conformance.trace.errors import TraceError, Truncated
from conformance.trace.fields import EXTRA
from conformance.trace.header import Header
from conformance.trace.line_ranges import Cut, LineRange, cut_lines
from conformance.trace.open import JsonLines, Parquet
from conformance.trace.parquet_writing import appending
from spark_checks.tasks import each

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def as_parquet(session: SparkSession, trace: JsonLines) -> Iterator[Parquet]:
    """The events of a trace in JSON lines as Parquet, in no order, for as long as the block lasts.

    Raises:
        TraceError: one of its kinds, with the line, for whatever is wrong with the trace.
    """
    with TemporaryDirectory(prefix="quorate-") as name:
        folder = Path(name)
        try:
            _write(session, trace, cut_lines(trace.path), folder)
        except TraceError:
            for _ in trace.events():  # names the line
                pass
            _write(session, trace, Cut((LineRange(trace.path),), None), folder)
        yield Parquet(folder)


def _write(session: SparkSession, trace: JsonLines, cut: Cut, folder: Path) -> None:
    """Write the events of all ranges.

    Raises:
        TraceError: one of its kinds, for a line that is wrong, or as the last line counts others.
    """
    for file in folder.iterdir():
        file.unlink()
    each(session, len(cut.ranges), partial(_write_range, trace.header, cut.ranges, folder))
    events = sum(part.rows for part in Parquet(folder).parts)
    if cut.told not in (None, events):
        raise Truncated(f"{events} events", f"the last line counts {cut.told}", "copy it again").at(trace.path)


def _write_range(header: Header, ranges: Sequence[LineRange], folder: Path, number: int) -> None:
    """Write the events of one range, without payloads, which no rule reads.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with a line.
    """
    names = {*schema_of(header).names, EXTRA}
    with appending(folder / f"{number:06}.parquet", header) as append:
        for batch in ranges[number].batches():
            append(pa.Table.from_batches([batch]).select([name for name in batch.schema.names if name in names]))
