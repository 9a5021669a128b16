"""The audit of ledgers: how many copies of entries a second are held to the schedule, beside the same question in SQL.

    python benchmarks/audit.py [--ledgers N] [--peer-ledgers N] [--repeat N] [--format text|json]

The peer is DuckDB, which is given what answers mean and not their bytes: it lists the copies that there should be, and
joins them with those that there are. All must find what was planted; else the program ends with an error.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.big_snapshot import copies, write
from benchmarks.processor import Measured
from spark_checks.audit.lists import decode
from spark_checks.audit.running import audit, audit_on_spark
from spark_checks.session import spark_session

SQL = """
WITH due AS (
    SELECT ledger, entry, s.ensemble[1 + (entry + step) % ensemble_size] AS bookie, write_quorum, ack_quorum
    FROM read_parquet('{folder}/ledgers.parquet') AS l, unnest(segments) AS u(s),
        range(last_entry + 1) AS e(entry), range(write_quorum) AS w(step)
), has AS (
    SELECT ledger, bookie, begin + step AS entry FROM read_parquet('{groups}') AS g, range(size) AS w(step)
), worst AS (
    SELECT ledger, entry, any_value(write_quorum) - count(*) AS copies, any_value(ack_quorum) AS ack_quorum
    FROM due ANTI JOIN has USING (ledger, bookie, entry) GROUP BY ledger, entry
)
SELECT category, count(DISTINCT ledger) FROM (
    SELECT ledger, CASE WHEN copies <= 0 THEN 'NO_REPLICA' WHEN copies < ack_quorum THEN 'BELOW_ACK_QUORUM'
        ELSE 'BELOW_WRITE_QUORUM' END AS category FROM worst
) GROUP BY category
"""
"""The question of the audit, for ledgers whose answers have one sequence a group, as shipped bookies send them."""


@dataclass(frozen=True)
class Result:
    """What one contender took: the best of all runs."""

    name: str
    ledgers: int
    copies: int
    wall_s: float
    cpu_s: float

    @property
    def rate(self) -> float:
        """Copies a CPU-second."""
        return self.copies / self.cpu_s


class WrongAnswer(AssertionError):
    """A contender did not find what was planted."""


def best(name: str, ledgers: int, ask: Callable[[], Mapping[str, int]], planted: Counter[str], repeat: int) -> Result:
    """The least times of some runs.

    Raises:
        WrongAnswer: one did not find what was planted.
    """
    times = []
    for _ in range(repeat):
        with Measured() as taken:
            found = ask()
        if Counter(found) != planted:
            raise WrongAnswer(f"{name} found {dict(found)}, and {dict(planted)} was planted")
        times.append(taken)
    return Result(name, ledgers, copies(ledgers), min(one.wall_s for one in times), min(one.cpu_s for one in times))


def groups_of(folder: Path) -> Path:
    """What the answers of a snapshot mean, as a table: where sequences begin, and their sizes."""
    answers = pq.read_table(folder / "answers.parquet").combine_chunks()
    groups = decode(answers["entries"].combine_chunks()).groups
    rows = answers.select(["ledger", "bookie"]).take(pa.array(groups.answer))
    table = rows.append_column("begin", pa.array(groups.first)).append_column("size", pa.array(groups.size))
    target = folder.with_name("groups.parquet")
    pq.write_table(table, target)
    return target


def in_sql(folder: Path, groups: Path) -> Mapping[str, int]:
    """What DuckDB finds."""
    with duckdb.connect(config={"threads": 2}) as connection:
        return dict(connection.execute(SQL.format(folder=folder, groups=groups)).fetchall())


def measured(home: Path, ledgers: int, peer_ledgers: int, repeat: int) -> list[Result]:
    """Make snapshots, and ask each contender."""
    few, many = home / "few", home / "many"
    planted, planted_in_many = write(few, peer_ledgers), write(many, ledgers)
    groups = groups_of(few)
    results = [
        best("DuckDB", peer_ledgers, partial(in_sql, few, groups), planted, repeat),
        best("in this process, as few", peer_ledgers, lambda: audit(few).counts, planted, repeat),
        best("in this process", ledgers, lambda: audit(many).counts, planted_in_many, repeat),
    ]
    with spark_session("quorate benchmark") as session:
        spark = partial(audit_on_spark, session, many)
        return [*results, best("on Spark", ledgers, lambda: spark().counts, planted_in_many, repeat)]


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="audit.py", description="Audit ledgers, and measure.")
    options.add_argument("--ledgers", type=int, default=1_000_000, metavar="N", help="how many (1000000)")
    options.add_argument("--peer-ledgers", type=int, default=50_000, metavar="N", help="for the peer (50000)")
    options.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each (1)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Make snapshots, audit them in each way, print what each took."""
    asked = parser().parse_args(words)
    with TemporaryDirectory() as folder:
        results = measured(Path(folder), asked.ledgers, asked.peer_ledgers, asked.repeat)
    if asked.format == "json":
        print(json.dumps({"python": platform.python_version(), "results": list(map(asdict, results))}, indent=2))
        return 0
    for one in results:
        print(f"{one.name:24} {one.ledgers:9,} ledgers {one.copies:12,} copies {one.wall_s:7.1f} s", end="")
        print(f" {one.cpu_s:7.1f} CPU-s {one.rate:12,.0f} copies/CPU-s {one.rate / results[0].rate:7.1f} x DuckDB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
