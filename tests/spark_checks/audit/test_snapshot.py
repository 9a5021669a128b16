"""A snapshot that is damaged, of another type, or out of order is refused by name, and never audited in part.

Justified by the house's rule that bad input gives a named error, never a pass.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.trace import errors
from spark_checks.audit.cluster import Cluster, to_json
from spark_checks.audit.findings import SCHEMA as VIOLATIONS
from spark_checks.audit.ledgers import FAULTS
from spark_checks.audit.report import as_text
from spark_checks.audit.running import audit
from spark_checks.audit.snapshot import ABOUT
from spark_checks.audit.tables import ANSWERS
from spark_checks.audit.writing import TABLES, write
from spec.language.outcomes import Verdict
from spec.ledger.violations import Category
from tests.support.audited import random_cluster, random_ledgers

ROOT: Final = Path(__file__).parents[3]
EXAMPLE: Final = ROOT / "examples" / "audit"

Hurt = Callable[[Path], object]


@pytest.fixture
def snapshot(tmp_path: Path, rng: Random) -> Path:
    """A small snapshot."""
    cluster = random_cluster(rng)
    write(tmp_path / "snapshot", cluster, random_ledgers(rng, cluster, 50))
    return tmp_path / "snapshot"


def about(**changes: object) -> Hurt:
    """Other settings."""

    def hurt(path: Path) -> None:
        said = json.loads((path / ABOUT).read_text())
        (path / ABOUT).write_text(json.dumps(said | changes))

    return hurt


def rows(name: str, change: Callable[[Any], Any]) -> Hurt:
    """Other rows of a table."""

    def hurt(path: Path) -> None:
        file = path / f"{name}.parquet"
        pq.write_table(change(pq.read_table(file)), file)

    return hurt


def retyped(table: Any) -> Any:
    """Bookies by words instead of places."""
    place = table.schema.get_field_index("bookie")
    return table.set_column(place, "bookie", pa.array(["a bookie"] * len(table)))


def without_numbers(table: Any) -> Any:
    """A row whose ledger is NULL."""
    columns = [pa.nulls(1, field.type) for field in ANSWERS]
    return pa.concat_tables(
        [
            table.cast(pa.schema([field.with_nullable(True) for field in ANSWERS])),
            pa.table(columns, names=ANSWERS.names),
        ]
    )


def reversed_rows(table: Any) -> Any:
    """The last row first."""
    return table.take(pa.array(range(len(table) - 1, -1, -1)))


def doubled(table: Any) -> Any:
    """The first row twice."""
    return pa.concat_tables([table.slice(0, 1), table])


REFUSED: dict[str, tuple[Hurt, type[errors.TraceError]]] = {
    "no settings": (lambda path: (path / ABOUT).unlink(), errors.NotATrace),
    "settings that are no JSON": (lambda path: (path / ABOUT).write_text("{"), errors.Mistyped),
    "settings that are no text": (lambda path: (path / ABOUT).write_bytes(b"\xff"), errors.NotATrace),
    "another version": (about(quorate_audit=2), errors.UnknownVersion),
    "a bookie twice": (about(bookies=[{"name": "a"}, {"name": "a"}]), errors.Duplicated),
    "a bookie without a name": (about(bookies=[{}]), errors.MissingField),
    "a bookie that is perhaps registered": (about(bookies=[{"name": "a", "registered": 1}]), errors.Mistyped),
    "an unknown policy": (about(placement={"policy": "anywhere"}), errors.Mistyped),
    "a policy without its number": (about(placement={"policy": "zone-aware", "least": 2}), errors.MissingField),
    "no ledgers": (lambda path: (path / "ledgers.parquet").unlink(), errors.Empty),
    "ledgers that are no Parquet": (lambda path: (path / "ledgers.parquet").write_bytes(b"PAR1"), errors.Damaged),
    "a missing column": (rows("ledgers", lambda table: table.drop(["state"])), errors.MissingField),
    "another type": (rows("answers", retyped), errors.Mistyped),
    "a NULL": (rows("answers", without_numbers), errors.NullValue),
    "ledgers out of order": (rows("ledgers", reversed_rows), errors.NotSorted),
    "answers out of order": (rows("answers", reversed_rows), errors.NotSorted),
    "an answer twice": (rows("answers", doubled), errors.Duplicated),
    "a ledger twice": (rows("ledgers", doubled), errors.Duplicated),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_snapshot_is_refused_by_name(snapshot: Path, name: str) -> None:
    hurt, error = REFUSED[name]
    hurt(snapshot)
    with pytest.raises(error) as refused:
        audit(snapshot)
    assert str(snapshot) in str(refused.value)


LEDGERS: dict[str, dict[str, object]] = {
    "its sizes do not fit": {"ack_quorum": 9},
    "it has no segment": {"segments": []},
    "an ensemble has another size": {"segments": [{"first_entry": 0, "ensemble": [0, 1, 2, 3, 4, 5, 0]}]},
    "its segments do not ascend": {
        "segments": [{"first_entry": 3, "ensemble": [0]}, {"first_entry": 3, "ensemble": [1]}]
    },
    "it has an end and is not closed": {"state": 1},
    "an ensemble names a bookie": {"segments": [{"first_entry": 0, "ensemble": [99]}]},
}
"""What metadata may say that no ledger is like."""


@pytest.mark.parametrize("fault", LEDGERS)
def test_a_ledger_that_cannot_be_is_not_passed(snapshot: Path, fault: str) -> None:
    usual = {"ledger": 0, "state": 3, "ensemble_size": 1, "write_quorum": 1, "ack_quorum": 1, "last_entry": -1}
    row = usual | {"segments": [{"first_entry": 0, "ensemble": [0]}]} | LEDGERS[fault]
    rows("ledgers", lambda table: pa.Table.from_pylist([row], schema=table.schema))(snapshot)
    report = audit(snapshot)
    assert report.verdict is Verdict.UNKNOWN
    assert [one for one in report.faults if one in FAULTS] == [one for one in FAULTS if one.startswith(fault)]


def test_a_snapshot_is_written_whole_or_not_at_all(snapshot: Path, rng: Random) -> None:
    cluster = random_cluster(rng)
    with pytest.raises(errors.NotWritable):
        write(snapshot, cluster, [])

    def broken() -> Any:
        yield from random_ledgers(rng, cluster, 3)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        write(snapshot.with_name("another"), cluster, broken())
    assert [one.name for one in snapshot.parent.iterdir()] == ["snapshot"]


def test_the_example_is_what_its_program_writes(tmp_path: Path) -> None:
    """And what the command says of it stands in the how-to."""
    subprocess.run([sys.executable, EXAMPLE / "make.py", tmp_path / "snapshot"], check=True, cwd=ROOT)
    for file in (EXAMPLE / "snapshot").iterdir():
        assert (tmp_path / "snapshot" / file.name).read_bytes() == file.read_bytes()
    said = as_text(audit(EXAMPLE / "snapshot", as_shipped=True), 3)
    assert f"--as-shipped\n{said}```" in (ROOT / "docs/how-to/audit-a-bookkeeper-cluster.md").read_text()


def test_the_reference_names_each_field_and_its_type() -> None:
    said = (ROOT / "docs/reference/audit-snapshot.md").read_text()
    named = {name for schema in (*TABLES.values(), VIOLATIONS) for name in schema.names}
    assert {name for name in named if f"`{name}`" not in said} == set()
    assert {name for name in to_json(Cluster(())) if f"`{name}`" not in said} == set()
    assert {one.name for one in Category if one.name not in said} == set()
