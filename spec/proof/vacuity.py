"""Vacuity: can a rule hold, be violated, be unknown? A rule that cannot be violated says nothing.

z3 looks for a row with each outcome, among all rows that satisfy the laws of the view. What it finds is a row of plain
values, which the meaning judges again: a witness that does not replay is an error, not a finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import z3

from spec.language.outcomes import Outcome
from spec.language.parameters import Parameters
from spec.language.rule import Rule
from spec.log.topology import Topology
from spec.proof.proofs import TIMEOUT_MS
from spec.proof.reading import both, negated
from spec.proof.rows import SymbolicRow, Witness

SIX_NODES: Final = Topology.of(["east....r1", "east....r1", "east....r2", "west....r1", "west....r2", "west....r2"])
"""Two regions of two racks each: room enough for every rule to hold and to be broken."""


def possible(rule: Rule, parameters: Parameters | None = None) -> dict[Outcome, Witness]:
    """A row for each outcome that a rule can have; an outcome that is missing is impossible.

    Raises:
        RuntimeError: z3 could not decide, or its row has another outcome by the meaning of the rule.
    """
    row = SymbolicRow(rule.view, parameters or SIX_NODES.parameters())
    given, claim = (row.read(part) for part in rule.parts)
    truth = negated(both(given, negated(claim)))
    instance = z3.Not(z3.And(given.known, z3.Not(given.value)))
    row.assume_laws()
    cases = {
        Outcome.HOLDS: z3.And(truth.known, truth.value),
        Outcome.UNKNOWN: z3.Not(truth.known),
        Outcome.VIOLATED: z3.And(truth.known, z3.Not(truth.value)),
    }
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT_MS)
    solver.add(*row.assumed, instance)
    found: dict[Outcome, Witness] = {}
    for outcome, case in cases.items():
        answer = solver.check(case)
        if answer == z3.unknown:
            raise RuntimeError(f"z3 cannot say whether {rule.id} can be {outcome.name}: {solver.reason_unknown()}")
        if answer == z3.sat:
            found[outcome] = witness = row.decode(solver.model())
            if (said := witness.outcome(rule)) is not outcome:
                raise RuntimeError(f"{rule.id}: z3 says {outcome.name} of {witness.row}, its meaning {said.name}")
    return found


def says_something(outcomes: Mapping[Outcome, Witness]) -> bool:
    """A rule is worth checking when some row satisfies it and some row breaks it."""
    return Outcome.HOLDS in outcomes and Outcome.VIOLATED in outcomes
