"""A program for spark-submit: it prints where tasks find the rules, then runs the job once for each argument."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from spark_checks import job
from spark_checks.session import spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def sources(session: SparkSession) -> list[str]:
    """The files that tasks have the rules from."""

    def find(batches: Iterator[Any]) -> Iterator[Any]:
        import spec.registry

        for _ in batches:
            yield pa.RecordBatch.from_pylist([{"file": str(spec.registry.__file__)}])

    rows = session.range(0, 2, 1, 2).mapInArrow(find, "file STRING").collect()
    return [row.file for row in rows]


def main() -> int:
    """Judge in one session, and end as the worst job does."""
    with spark_session("cluster") as session:
        print(json.dumps(sources(session)), flush=True)
        return max(job.main(shlex.split(words)) for words in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
