"""A program that opens two sessions, the second in another environment, and prints as JSON what each was like."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import SparkContext

from spark_checks.session import spark_session

NAMED = ("JAVA_HOME", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_LOCAL_IP")
LISTENING = "0A"


def worker(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Say from inside a Python worker who it is."""
    for _ in batches:
        yield pa.RecordBatch.from_pydict({"said": [f"{sys.executable} {os.environ['MALLOC_MMAP_MAX_']}"]})


def listening(pid: int) -> list[str]:
    """Return the addresses, in the kernel's hexadecimal, on which a process accepts connections (Linux only)."""
    held = {str(held.readlink()) for held in Path(f"/proc/{pid}/fd").iterdir()}
    tables = [Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables for line in table]
    return [row[1].partition(":")[0] for row in rows if row[3] == LISTENING and f"socket:[{row[9]}]" in held]


def describe(memory: str) -> dict[str, Any]:
    """Open a session, look around, close it, and look what is left."""
    with spark_session("one", cores=1, memory=memory, settings={"spark.sql.shuffle.partitions": "3"}) as session:
        with spark_session("two") as inner:
            same = inner is session
        scratch = Path(session.conf.get("spark.local.dir") or "").parent
        gateway = SparkContext._gateway
        assert gateway is not None
        assert gateway.proc is not None
        runtime = gateway.jvm.java.lang.Runtime.getRuntime()
        said = {
            "same": same,
            "sum": session.range(100).repartition(2).selectExpr("sum(id) AS total").collect()[0].total,
            "worker": [row.said for row in session.range(1).mapInArrow(worker, "said string").collect()],
            "master": session.sparkContext.master,
            "partitions": session.conf.get("spark.sql.shuffle.partitions"),
            "ansi": session.conf.get("spark.sql.ansi.enabled"),
            "java_home": str(gateway.jvm.java.lang.System.getenv("JAVA_HOME")),
            "megabytes": round(runtime.maxMemory() / 2**20),
            "listening": listening(gateway.proc.pid) if Path("/proc/self/net").exists() else None,
            "files": scratch.is_dir(),
        }
    return said | {"files_left": scratch.exists(), "java_left": gateway.proc.poll() is None}


def main() -> None:
    """Print both descriptions; a session leaves the environment as it was."""
    said = []
    for memory, environment in (("512m", {}), ("640m", json.loads(sys.argv[1]))):
        os.environ.update(environment)
        before = {name: os.environ.get(name) for name in NAMED}
        said.append(describe(memory))
        assert {name: os.environ.get(name) for name in NAMED} == before
    print(json.dumps(said))


if __name__ == "__main__":
    main()
