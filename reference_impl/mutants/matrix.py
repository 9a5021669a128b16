"""The kill matrix: which rule notices which mutant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from reference_impl.mutants import MUTANTS
from reference_impl.plan import SimulationPlan
from spec.language.outcomes import Judgement, Outcome
from spec.registry import RULES

Judge: TypeAlias = Callable[[SimulationPlan], Judgement]
"""Whatever can judge a simulated run: the fold, the columns, a whole engine."""

Matrix: TypeAlias = dict[str, dict[str, int]]
"""For each mutant the rules that it breaks, and how many rows of each."""

INTRODUCTION: Final = """\
# Kill matrix

Deviations of the reference machine, one at a time, and the rules that notice them in a run of the default plan. A rule
that notices none of them may not be able to fail; a mutant that nobody notices shows that a rule is missing.
Run one yourself: `quorate simulate --mutant NAME`.
"""


def kill_matrix(judge: Judge, plan: SimulationPlan, names: Iterable[str] = tuple(MUTANTS)) -> Matrix:
    """Run every mutant on the same plan and say which rules notice; a mutant without a rule survives."""
    return {name: violations_of(judge(replace(plan, mutant=name))) for name in names}


def violations_of(judgement: Judgement) -> dict[str, int]:
    """How many rows break each rule, of those that are broken."""
    counts = sorted(judgement.counts.items())
    return {rule: times for (rule, outcome), times in counts if outcome is Outcome.VIOLATED and times}


def as_text(matrix: Matrix) -> str:
    """The matrix as a page in Markdown: each mutant and who notices it, then how many each rule notices."""
    mutants = [_section(name, broken) for name, broken in matrix.items()]
    noticed = Counter(rule for broken in matrix.values() for rule in broken)
    rules = [f"| `{rule.id}` | {noticed[rule.id]} |" for rule in RULES]
    return "\n".join([INTRODUCTION, *mutants, "## By rule\n", "| rule | mutants |", "|---|---|", *rules]) + "\n"


def _section(name: str, broken: Mapping[str, int]) -> str:
    rules = ", ".join(f"`{rule}`" for rule in broken) or "nobody"
    return f"## {name}\n\n{MUTANTS[name].sentence}\n\n{MUTANTS[name].why}\n\nNoticed by {rules}.\n"
