"""All engines agree on the rules of ledgers, over random events of the whole vocabulary.

Issue 20: the family is judged by whatever judges logs.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from conformance.check.checking import verdict_in_memory
from conformance.trace.arrow import to_batches
from conformance.trace.header import Header, Member, Recorder, System
from conformance.trace.jsonl import write_events
from conformance.trace.open import open_trace
from conformance.trace.sort import sort
from spec.language.events import WHOLE, all_events, fields_of, layout
from spec.language.outcomes import Judgement, Outcome
from spec.language.reference import ReferenceEvaluator
from spec.language.sql.dialects import DUCKDB
from spec.language.sql.plan import statement
from spec.language.sql.verdicts import decode
from spec.ledger.events import Event
from spec.ledger.family import LEDGER
from spec.proof.vacuity import possible, says_something
from tests.support.sql_engines import quiet_duckdb

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_checks.checking import Plan
    from spec.language.rule import Rule

BOOKIES = 5
SEEDS = 9
EVENTS = 100
UNKNOWN = 0.05
"""How often a recorder does not know what it may not know."""

COLUMNS = layout(Event)
KINDS = {event.kind: event for event in all_events(Event)}
MIXES = (
    tuple(KINDS),
    ("created", "sent", "stored", "acknowledged", "named"),
    ("created", "named", "ensemble_changed", "in_recovery", "closed", "restored", "deleted"),
    ("created", "closed", "recovery_began", "read_back", "fenced", "stored"),
    ("created", "sent", "stored", "acknowledged", "given", "missing", "lost", "closed"),
    ("marked", "unmarked", "registration", "lost", "sent", "restored", "stored"),
    ("created", "closed", "mark_looked", "metadata_read", "listed", "reported", "checked", "stored"),
    ("created", "unheard", "standing_seen", "heard", "reported", "checked", "counted", "mark_looked"),
    ("created", "placement_judged", "reported", "checked"),
)
"""Which kinds a trace has: a trace of few kinds has denser rows."""

HEADER = Header(
    family=LEDGER,
    system=System("random"),
    members={"bookies": tuple(Member(f"b{bookie}", {"rack": f"r{bookie % 3}"}) for bookie in range(BOOKIES))},
    recorders={"all": Recorder("importer", {event.word: "complete" for event in all_events(Event)})},
    clock_bound_ns=2,
    low_bits=8,
)


def random_events(seed: int) -> list[dict[str, Any]]:
    """Events of small numbers, so that they meet."""
    rng = Random(seed)
    mix = MIXES[seed % len(MIXES)]
    kinds = [kind for kind, event in KINDS.items() if kind in mix or event.word in mix]
    return [_event(rng, rng.choice(kinds), order) for order in range(1, EVENTS + 1)]


def _event(rng: Random, kind: Any, order: int) -> dict[str, Any]:
    said: dict[str, Any] = {"kind": kind, "recorder": "all"}
    said |= {
        name: frozenset() if column.sort == "set" else 0 for name, column in COLUMNS.items() if not column.computed
    }
    for field in fields_of(KINDS[kind]).values():
        if field.computed:
            continue
        if field.optional and rng.random() < UNKNOWN:
            said[field.column] = None
        elif field.sort == "set":
            said[field.column] = frozenset(rng.sample(range(BOOKIES), rng.randint(0, 4)))
        elif field.of is not None and field.bits < WHOLE and field.name != "client":
            said[field.column] = rng.randrange(BOOKIES)
        else:
            least = 0 if field.least is None else field.least
            most = {"ledger": 1, "entry": 2, "segment": 1}.get(field.name, 3)
            said[field.column] = rng.randint(*(field.among or (least, most)))
    return said | {"seq": order}


def meant(seed: int) -> Judgement:
    """What the reference evaluator says, which defines what rules mean."""
    return ReferenceEvaluator(random_events(seed), HEADER.parameters()).judge(LEDGER.rules)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_columns_agree(seed: int, tmp_path: Path) -> None:
    path, placed = tmp_path / "run.jsonl", tmp_path / "run.parquet"
    write_events(path, HEADER, random_events(seed))
    sort(path, placed)
    counts = meant(seed).counts
    for said in verdict_in_memory(open_trace(placed)).rules:
        assert said.violated == counts[said.rule.id, Outcome.VIOLATED], said.rule.id
        assert said.unknown == counts[said.rule.id, Outcome.UNKNOWN], said.rule.id


def test_duckdb_agrees() -> None:
    """The first trace by a planned statement; then statements run as they stand, which takes a fraction of planning."""
    nullable = frozenset(name for name, column in COLUMNS.items() if column.optional)
    with quiet_duckdb() as connection:
        for seed in range(SEEDS):
            connection.register("trace", pa.Table.from_batches(to_batches(random_events(seed), HEADER)))
            text = statement(LEDGER.rules, "trace", DUCKDB, HEADER.parameters(), nullable=nullable)
            assert decode(LEDGER.rules, connection.execute(text).fetchall()) == meant(seed)
            connection.execute("PRAGMA disable_optimizer")


@pytest.mark.costly("Spark's session, and a plan of several views and tables that it has to compile")
@pytest.mark.parametrize(("plan", "step"), [pytest.param("sql", 15, marks=pytest.mark.thorough), ("blocks", 1)])
def test_spark_agrees(plan: Plan, step: int, spark: SparkSession, tmp_path: Path) -> None:
    """In SQL on a sample of the rules: a plan of all takes long to compile."""
    from spark_checks.checking import check as checked

    path = tmp_path / "run.jsonl"
    write_events(path, HEADER, random_events(0))
    counts = meant(0).counts
    for said in checked(spark, path, rules=LEDGER.rules[::step], plan=plan).verdict.rules:
        assert said.violated == counts[said.rule.id, Outcome.VIOLATED], said.rule.id
        assert said.unknown == counts[said.rule.id, Outcome.UNKNOWN], said.rule.id


def test_the_seeds_show_something() -> None:
    """A check that cannot fail is a defect: many rules hold somewhere, and are violated elsewhere.

    The others ask for more than chance brings together; a published trace of each shows both.
    """
    seen = {outcome for seed in range(SEEDS) for outcome in meant(seed).counts}
    for outcome in (Outcome.HOLDS, Outcome.VIOLATED):
        assert len([rule.id for rule in LEDGER.rules if (rule.id, outcome) in seen]) >= len(LEDGER.rules) // 2


@pytest.mark.z3
@pytest.mark.thorough
@pytest.mark.parametrize("rule", LEDGER.rules, ids=lambda rule: rule.id)
def test_every_rule_can_hold_and_can_be_violated(rule: Rule) -> None:
    assert says_something(possible(rule))
