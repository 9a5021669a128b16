"""What Java has read of Spark's classes, kept for all Javas that tests start: with it each starts at half the cost.

``python -m tests.support.spark_classes`` makes it, once for a checkout; a Java that is not its own passes over it.
Source: the manual page of ``java``, "Application Class Data Sharing".
"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from typing import Final

ARCHIVE: Final = Path(__file__).parents[2] / "build" / "tests" / f"spark-{version('pyspark')}.jsa"
QUIET: Final = "-Xlog:cds=off,cds+dynamic=off"
"""Java warns of each class that it does not keep, and of an archive that is not its own."""


def options() -> list[str]:
    """What Java is told to use the archive; nothing where there is none."""
    return [QUIET, f"-XX:SharedArchiveFile={ARCHIVE}"] if ARCHIVE.exists() else []


def main() -> None:
    """Make the archive where there is none; a Java that cannot make one is no failure."""
    if ARCHIVE.exists():
        return
    from spark_checks.session import spark_session

    ARCHIVE.parent.mkdir(parents=True, exist_ok=True)
    there = ARCHIVE.with_name(f"{ARCHIVE.name}.{os.getpid()}")
    os.environ["SPARK_SUBMIT_OPTS"] = f"{QUIET} -XX:ArchiveClassesAtExit={there}"
    try:
        with spark_session("classes", cores=1, memory="1g") as session:
            few = session.sql("SELECT id % 3 AS place, sum(id) AS many FROM range(100) GROUP BY 1")
            few.mapInArrow(lambda batches: batches, "place BIGINT, many BIGINT").collect()
    except Exception as error:  # noqa: BLE001 - tests run without it, and those of Spark say what is wrong
        print(f"Java's classes are not kept: {error}")
    else:
        if there.exists():
            there.replace(ARCHIVE)


if __name__ == "__main__":
    main()
