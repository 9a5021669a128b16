"""What an audit says: how many ledgers have what wrong with them, and the first of each in full.

BookKeeper, BP-34, High Level Logic: violations are grouped by category, and counted over the whole run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from spark_checks.audit.durability import LEVELS
from spark_checks.audit.judging import Ending
from spec.language.outcomes import Verdict
from spec.ledger.durability import Durability
from spec.ledger.violations import GAUGES, Category
from spec.verdicts import EXIT_CODES, ExitCode

MILLISECONDS: Final = 1000

DECIDED: Final = (Ending.SOUND, Ending.VIOLATED)
KNOWN: Final = (*DECIDED, Ending.STANDING)
OPEN: Final = (Ending.UNDECIDED, Ending.UNREADABLE)


@dataclass(frozen=True)
class Report:
    """What came of an audit.

    Attributes:
        counts: how many ledgers have violations of which category.
        first: the first violations of each category, as rows of the table of violations.
        endings: how many ledgers ended how.
        faults: how many ledgers or answers have which fault.
        compared: where the shipped checker was asked, too: see ``judging.Audited``.
    """

    counts: Mapping[str, int]
    first: Sequence[Mapping[str, Any]]
    endings: Mapping[Ending, int]
    faults: Mapping[str, int]
    compared: Mapping[tuple[int, int, int], int]

    @property
    def verdict(self) -> Verdict:
        """Violated if anything is wrong; unknown if some ledger could not be judged, or none was; else it holds.

        What was found sound earlier, and stands, counts as judged.
        """
        if any(self.counts.values()):
            return Verdict.VIOLATED
        is_open = any(self.endings.get(one, 0) for one in OPEN) or not any(self.endings.get(one, 0) for one in KNOWN)
        return Verdict.UNKNOWN if is_open else Verdict.HOLDS

    def of(self, category: Category) -> list[Mapping[str, Any]]:
        """The first violations of a category."""
        return [row for row in self.first if row["category"] == category.name]

    @property
    def judged(self) -> int:
        """How many ledgers were judged."""
        return sum(self.endings.get(one, 0) for one in DECIDED)

    @property
    def exit_code(self) -> ExitCode:
        """What the command's exit code says."""
        nothing = self.verdict is Verdict.UNKNOWN and not any(self.endings.get(one, 0) for one in (*KNOWN, *OPEN))
        return ExitCode.NOTHING_CHECKED if nothing else EXIT_CODES[self.verdict]

    @property
    def gauges(self) -> Mapping[str, tuple[int, int]]:
        """What each gauge of durability shows: by the specification, and as shipped.

        As shipped, only the last range of ledgers counts: ``spec.ledger.violations.gauges_as_shipped``.
        """
        last = max((place for place, _, _ in self.compared), default=0)
        here, there = Counter[Durability](), Counter[Durability]()
        for (place, level, shipped), count in self.compared.items():
            here[LEVELS[level]] += count
            there[LEVELS[shipped]] += count if place == last else 0
        return {gauge: (here[level], there[level]) for level, gauge in GAUGES.items()}

    @property
    def false_alarms(self) -> int:
        """Ledgers that the shipped checker finds worse than they are."""
        return sum(count for (_, level, shipped), count in self.compared.items() if shipped < level)

    @property
    def overlooked(self) -> int:
        """Ledgers that it finds better than they are."""
        return sum(count for (_, level, shipped), count in self.compared.items() if shipped > level)


def as_json(report: Report, shown: int) -> dict[str, Any]:
    """The report for machines, with so many violations of each category at most."""
    said: dict[str, Any] = {
        "verdict": report.verdict.value,
        "ledgers": {one.name.lower(): report.endings.get(one, 0) for one in Ending},
        "violations": {one.name: report.counts.get(one.name, 0) for one in Category},
        "first": [row for category in Category for row in report.of(category)[:shown]],
        "faults": dict(report.faults),
    }
    if report.compared:
        gauges = {gauge: {"specified": here, "shipped": there} for gauge, (here, there) in report.gauges.items()}
        said["shipped"] = {"gauges": gauges, "false_alarms": report.false_alarms, "overlooked": report.overlooked}
    return said


class Block(NamedTuple):
    """A part of the report for people: what it is about, and what there is to say."""

    head: str
    lines: tuple[str, ...]


def blocks(report: Report, shown: int) -> tuple[Block, ...]:
    """The report for people, with so many violations of each category at most; the verdict comes first."""
    return (_verdict(report), *_violations(report, shown), *_faults(report), *_shipped(report))


def as_text(report: Report, shown: int) -> str:
    """The same as text."""
    return "\n\n".join("\n  ".join((one.head, *one.lines)) for one in blocks(report, shown)) + "\n"


def _verdict(report: Report) -> Block:
    head = f"{report.verdict.value}: {sum(report.endings.values()):,} ledgers, of which {report.judged:,} were judged"
    return Block(head, tuple(f"{count:,} {one.value}" for one in Ending if (count := report.endings.get(one, 0))))


def _violations(report: Report, shown: int) -> Iterator[Block]:
    for category in Category:
        if count := report.counts.get(category.name, 0):
            head = f"{category.name}: {category.value}, in {count:,} {'ledger' if count == 1 else 'ledgers'}"
            yield Block(head, tuple(map(sentence, report.of(category)[:shown])))


def sentence(row: Mapping[str, Any]) -> str:
    """One violation, with all that is known of it."""
    several = row["entries"] and row["entries"] > 1
    entries = f"entry {row['first_entry']}" if row["entries"] else ""
    if several:
        entries = f"{row['entries']:,} entries from {row['first_entry']} to {row['last_entry']}"
    parts = [
        f"ledger {row['ledger']}",
        f"segment from entry {row['segment']}" if row["segment"] is not None else "",
        entries,
        f"bookies {', '.join(row['bookies'])}" if row["bookies"] else "",
        f"since {time_of(row['since_ms'])}" if row["since_ms"] is not None else "",
    ]
    return ", ".join(filter(None, parts))


def time_of(since_ms: int) -> str:
    """A time that is told in milliseconds, for people."""
    return datetime.fromtimestamp(since_ms / MILLISECONDS, UTC).isoformat(timespec="seconds")


def _faults(report: Report) -> Iterator[Block]:
    if report.faults:
        lines = (f"{count:,}: {fault}" for fault, count in sorted(report.faults.items()))
        yield Block("Not as such things are:", tuple(lines))


def _shipped(report: Report) -> Iterator[Block]:
    if report.compared:
        gauges = (f"{gauge}: {there:,}; it should be {here:,}" for gauge, (here, there) in report.gauges.items())
        better = f"It finds {report.false_alarms:,} ledgers worse than they are, and {report.overlooked:,} better."
        yield Block("The shipped checker (4.10 to 4.18) would show:", (*gauges, better))
