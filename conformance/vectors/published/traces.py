"""Whole traces: short runs of the reference machine, right and with a deviation, with the verdict and the rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from conformance.check.checking import verdict_in_memory
from conformance.headings import header_from
from conformance.trace.jsonl import write_events
from conformance.trace.open import open_trace
from reference_impl.heading import header_of
from reference_impl.plan import REPLICATIONS, TOPOLOGIES, SimulationPlan
from reference_impl.simulate import simulate
from spec.language.outcomes import Verdict

EVENTS: Final = 300
MUTANTS: Final = (
    "ack_before_stored",
    "bridge_over_last_record",
    "epoch_given_twice",
    "esns_swapped",
    "lone_copy_dropped",
    "lsn_given_twice",
    "retry_appended_twice",
    "store_below_seal",
)
"""Deviations that show in a short run."""


def write_traces(folder: Path, rng: Random, most: int) -> Iterator[dict[str, Any]]:
    """Write traces into a folder; gives what the index says of each.

    Args:
        folder: exists.
        rng: decides everything.
        most: how many traces.

    Raises:
        TraceError: the folder refuses.
    """
    number = 0
    while number < most:
        mutant = MUTANTS[number % len(MUTANTS)] if number % 2 else ""
        plan = SimulationPlan(seed=rng.randrange(1 << 30), events=EVENTS, logs=1)
        plan = replace(plan, topology=TOPOLOGIES["flat3"], replication=REPLICATIONS["flat3"], mutant=mutant)
        name = f"{number:02}.jsonl"
        write_events(folder / name, header_from(header_of(plan)), simulate(plan))
        found = verdict_in_memory(open_trace(folder / name))
        broken = [said.rule.id for said in found.judged if said.verdict is Verdict.VIOLATED]
        held = [said.rule.id for said in found.judged if said.verdict is Verdict.HOLDS]
        number += 1
        rule, sign = (broken[0], "negative") if broken else (held[0], "positive")
        reason = f"The machine deviates: {mutant}." if mutant else "The machine is right."
        yield {"file": name, "verdict": found.verdict.value, "rule": rule, "reason": reason, "sign": sign}
