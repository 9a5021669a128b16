"""The kill matrix: which rule notices which mutant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from reference_impl.mutants import MUTANTS
from spec.language.outcomes import Judgement, Outcome
from spec.language.rule import Rule
from spec.promises import PROMISES
from spec.registry import RULES

Matrix: TypeAlias = dict[str, dict[str, int]]
"""For each mutant the rules that it breaks, and how many rows of each."""

INTRODUCTION: Final = """\
# Kill matrix

Deviations of the reference machine, one at a time, and the rules that notice them in a run of some thousand events that
has a place for the deviation. A rule that notices none of them may not be able to fail; a mutant that nobody
notices shows that a rule is missing. Run one yourself: `quorate simulate --mutant NAME`.

## Rules by promise

For each rule how many mutants it notices, and of these up to three that fewest other rules notice.
"""

CLIENTS: Final = "what clients see, whatever a system promises"

SHOWN: Final = 3
"""So many mutants stand beside a rule."""


def violations_of(judgement: Judgement) -> dict[str, int]:
    """How many rows break each rule, of those that are broken."""
    counts = sorted(judgement.counts.items())
    return {rule: times for (rule, outcome), times in counts if outcome is Outcome.VIOLATED and times}


def as_text(matrix: Matrix) -> str:
    """The matrix as a page in Markdown: what each rule notices, by promise, then who notices each mutant."""
    promises = dict.fromkeys(rule.promise for rule in RULES)
    tables = [_table(promise, [rule for rule in RULES if rule.promise == promise], matrix) for promise in promises]
    mutants = [_section(name, broken) for name, broken in matrix.items()]
    return "\n".join([INTRODUCTION, *tables, "## Mutants\n", *mutants])


def _table(promise: str, rules: Sequence[Rule], matrix: Matrix) -> str:
    about = f"`{promise}`: {PROMISES[promise]}" if promise else CLIENTS
    rows = [_row(rule.id, matrix) for rule in rules]
    return "\n".join(
        [f"### {about[0].upper()}{about[1:]}\n", "| rule | mutants | such as |", "|---|---|---|", *rows, ""]
    )


def _row(rule: str, matrix: Matrix) -> str:
    noticed = [name for name, broken in matrix.items() if rule in broken]
    telling = sorted(noticed, key=lambda name: len(matrix[name]))[:SHOWN]
    return f"| `{rule}` | {len(noticed)} | {', '.join(f'`{name}`' for name in telling)} |"


def _section(name: str, broken: Mapping[str, int]) -> str:
    mutant = MUTANTS[name]
    rules = ", ".join(f"`{rule}`" for rule in broken) or "nobody"
    where = f" In another plan: {mutant.setting.words}." if mutant.setting.words else ""
    return f"### {name}\n\n{mutant.sentence}\n\n{mutant.why}{where}\n\nNoticed by {rules}.\n"
