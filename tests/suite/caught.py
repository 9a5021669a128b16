"""What the suite catches: every seeded defect, and each kind of check that was seen to notice it.

A test that has seen a judge notice a defect says so: ``catches("mutant", "ack_before_stored", "replay")``. What the
tests of a whole run have seen is compared with the page, mark by mark, so that nothing that was noticed once can go
unnoticed in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "what-is-caught.md"

KINDS: Final = {
    "mutant": "Seeded defects of the reference machine",
    "ledger": "Seeded defects of the machine of ledgers",
    "bug": "Known bugs of replicated logs",
    "form": "Wrong forms of protocol texts",
    "guard": "Protocol texts without one of their guards",
    "damage": "Damaged traces",
}
"""The kinds of defects, and what stands above their table."""

JUDGES: Final = (
    "rules",
    "reference",
    "columns",
    "DuckDB",
    "Spark SQL",
    "Spark blocks",
    "story",
    "replay",
    "refinement",
    "proof",
    "explorer",
)
"""The kinds of checks: the rules as a person runs them, each engine, what explains a violation, the machine of events,
the texts that the machine is held to, the solvers, and the search of small worlds."""

PROPERTY: Final = "caught"
"""Under this name marks travel with the report of a test."""


class Mark(NamedTuple):
    """A judge noticed a defect."""

    kind: str
    defect: str
    judge: str


Catches: TypeAlias = Callable[[str, str, str], None]
"""What tests call with a kind of defect, its name and the judge that noticed it."""


def mark_of(kind: str, defect: str, judge: str) -> Mark:
    """A mark of known words.

    Raises:
        ValueError: there is no such kind or judge.
    """
    if kind not in KINDS or judge not in JUDGES:
        raise ValueError(
            f"{kind!r} is one of {', '.join(KINDS)} and {judge!r} one of {', '.join(JUDGES)}, or they go in"
        )
    return Mark(kind, defect, judge)


def page(marks: Iterable[Mark]) -> str:
    """The marks as tables in Markdown, one for each kind of defect, with a column for each judge that noticed any."""
    known = set(marks)
    return "\n".join([INTRODUCTION, *(_table(kind, {mark for mark in known if mark.kind == kind}) for kind in KINDS)])


def _table(kind: str, marks: set[Mark]) -> str:
    judges = [judge for judge in JUDGES if any(mark.judge == judge for mark in marks)]
    defects = sorted({mark.defect for mark in marks})
    rows = [_row(defect, [Mark(kind, defect, judge) in marks for judge in judges]) for defect in defects]
    totals = _row(f"all {len(defects)}", [sum(mark.judge == judge for mark in marks) for judge in judges], code="")
    heading = _row("defect", judges, code="")
    return "\n".join([f"## {KINDS[kind]}\n", heading, "|---" * (len(judges) + 1) + "|", totals, *rows, ""])


def _row(name: str, cells: Sequence[object], code: str = "`") -> str:
    told = ["x" if cell is True else "" if cell is False else str(cell) for cell in cells]
    return f"| {code}{name}{code} | {' | '.join(told)} |"


def marks_of(text: str) -> set[Mark]:
    """The marks that a page shows; the reverse of ``page``."""
    headings = {f"## {words}": kind for kind, words in KINDS.items()}
    found, kind, judges = set(), "", []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        kind = headings.get(line, kind)
        if cells[0] == "defect":
            judges = cells[1:]
        elif line.startswith("| `"):
            defect = cells[0].strip("`")
            found |= {Mark(kind, defect, judge) for judge, cell in zip(judges, cells[1:], strict=True) if cell == "x"}
    return found


def differences(marks: Iterable[Mark], told: Iterable[Mark]) -> tuple[list[Mark], list[Mark]]:
    """The marks of the page that a whole run did not see, and those that it saw and the page does not tell."""
    seen, known = set(marks), set(told)
    return sorted(known - seen), sorted(seen - known)


INTRODUCTION: Final = """\
# What is caught

Each row is a defect that somebody made on purpose, or that a real system had; each column a kind of check that the
tests have seen notice it. `make test` compares this page with what its tests saw: a mark that vanishes fails the run.
`make caught` renews the page after the last whole run.

- **rules**: `quorate check` as people run it, with the rule that the defect was made for.
- **reference, columns, DuckDB, Spark SQL, Spark blocks**: that rule by each engine, with the same violations.
- **story**: the violation is witnessed and explained.
- **replay**: the machine of events refuses the run.
- **refinement**: a step of the machine is no step of a protocol text.
- **proof**: a condition of the text is refuted, with a counter-model.
- **explorer**: a search of all states of a small world finds a broken promise.
"""
