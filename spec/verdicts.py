"""Verdicts: from counts of outcomes to what may be said of a trace, given what its header declares.

A poor trace gives fewer verdicts, never wrong ones. A rule whose events are recorded only in part may keep one of its
two outcomes, by polarity; what it leaves unknown is expected, and does not count against the trace. A rule that the
system does not promise is not held against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from itertools import islice
from typing import Final, Literal, Protocol

from spec.language.outcomes import Judgement, Outcome, Verdict, Violation
from spec.language.polarity import trusted
from spec.language.rule import Rule

Completeness = Literal["complete", "partial", "absent"]


class Recording(Protocol):
    """What a trace's header declares, as far as verdicts depend on it."""

    @property
    def promises(self) -> Mapping[str, bool | int]:
        """The promises in force."""
        ...

    def completeness(self, word: str) -> Completeness:
        """How far events of one kind are recorded, by the kind's word."""
        ...


class Standing(Enum):
    """Whether a rule's verdict bears on the verdict of the whole trace, and if not, why."""

    JUDGED = "judged"
    NOT_PROMISED = "not promised by this system"
    NOT_RECORDED = "not recorded"
    IN_PART = "recorded in part"
    NO_INSTANCE = "no instance"


class ExitCode(IntEnum):
    """What the command's exit code says."""

    HOLDS = 0
    VIOLATED = 1
    UNKNOWN = 2
    INTERNAL = 3
    USAGE = 4
    NOTHING_CHECKED = 5
    INTERRUPTED = 130


EXIT_CODES: Final = {
    Verdict.HOLDS: ExitCode.HOLDS,
    Verdict.VIOLATED: ExitCode.VIOLATED,
    Verdict.UNKNOWN: ExitCode.UNKNOWN,
}
"""The exit code of a command that ends with a verdict."""


@dataclass(frozen=True)
class RuleVerdict:
    """What one rule says of a trace.

    Attributes:
        judged: instances, whatever came of them.
        unknown: instances that cannot be decided: an input is NULL, two clocks are too close, or the recording is
            not complete enough to trust what was found.
        reason: why the verdict is unknown or the rule does not count; "" otherwise.
        lacks: the promise that is not made, or the kinds of event that are not recorded.
        violations: the first of them, in key order, and of those in a row the first only; ``violated`` counts all.
        in_a_row: for each of these how many there are whose keys follow one another, as LSNs do.
    """

    rule: Rule
    verdict: Verdict
    standing: Standing
    judged: int
    violated: int
    unknown: int
    reason: str = ""
    violations: tuple[Violation, ...] = ()
    lacks: tuple[str, ...] = ()
    in_a_row: Mapping[Violation, int] = field(default_factory=dict)


@dataclass(frozen=True)
class TraceVerdict:
    """What all rules together say of a trace."""

    rules: tuple[RuleVerdict, ...] = field(default_factory=tuple)

    @property
    def judged(self) -> tuple[RuleVerdict, ...]:
        """The rules whose verdicts count."""
        return tuple(rule for rule in self.rules if rule.standing is Standing.JUDGED)

    @property
    def verdict(self) -> Verdict:
        """The worst of the verdicts that count; unknown where none does."""
        found = {rule.verdict for rule in self.judged}
        worst = (Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.HOLDS)
        return next((verdict for verdict in worst if verdict in found), Verdict.UNKNOWN)

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a command that ends with this verdict."""
        if not self.judged:
            return ExitCode.NOTHING_CHECKED
        return EXIT_CODES[self.verdict]


def in_force(rules: Iterable[Rule], recording: Recording) -> list[Rule]:
    """The rules that a system promises to keep, and whose events its trace records at least in part."""
    return [rule for rule in rules if not _missing(rule, recording) and _promised(rule, recording)]


def _promised(rule: Rule, recording: Recording) -> bool:
    return not rule.promise or bool(recording.promises.get(rule.promise, False))


def _missing(rule: Rule, recording: Recording) -> list[str]:
    """The kinds that are not recorded and without which a rule says nothing; a census counts what could have been."""
    needs = rule.needed_by_instances if rule.census else rule.needs
    needed = (event for event in needs if event not in rule.spares)
    return [event.word for event in needed if recording.completeness(event.word) == "absent"]


def conclude(
    rules: Sequence[Rule], judgement: Judgement, recording: Recording, *, keep_violations: int = 20
) -> TraceVerdict:
    """The verdict of a trace from what an engine counted.

    Args:
        rules: all rules that were asked for, in force or not.
        judgement: what the engine found for those in force.
        recording: what the trace's header declares.
        keep_violations: how many violations of each rule to keep; of those in a row only the first.
    """
    found: dict[str, list[Violation]] = {rule.id: [] for rule in rules}
    for violation in judgement.violations:
        found[violation.rule].append(violation)
    return TraceVerdict(
        tuple(
            _conclude(rule, judgement, recording, dict(islice(in_a_row(found[rule.id]), keep_violations)))
            for rule in rules
        )
    )


def in_a_row(violations: Iterable[Violation]) -> Iterator[tuple[Violation, int]]:
    """The first of violations whose keys follow one another, in key order, and how many they are."""
    first, number = None, 0
    for violation in sorted(violations):
        if first is not None and violation.key == (*first.key[:-1], first.key[-1] + number):
            number += 1
            continue
        if first is not None:
            yield first, number
        first, number = violation, 1
    if first is not None:
        yield first, number


def _conclude(rule: Rule, judgement: Judgement, recording: Recording, kept: Mapping[Violation, int]) -> RuleVerdict:
    if not _promised(rule, recording):
        return _left_out(rule, Standing.NOT_PROMISED, f"{rule.promise} is not promised", rule.promise)
    if missing := _missing(rule, recording):
        return _left_out(rule, Standing.NOT_RECORDED, f"not recorded: {', '.join(missing)}", *missing)
    counts = {outcome: judgement.counts[rule.id, outcome] for outcome in Outcome}
    judged, holds, violated = sum(counts.values()), counts[Outcome.HOLDS], counts[Outcome.VIOLATED]
    if not judged:
        return _left_out(rule, Standing.NO_INSTANCE, "no instance")
    if rule.census:
        return _counted(rule, judged, holds, rule.census.advice)
    keeps_holds, keeps_violated, partial = _trust(rule, recording)
    lost = (0 if keeps_holds else holds) + (0 if keeps_violated else violated)
    violated = violated if keeps_violated else 0
    unknown = counts[Outcome.UNKNOWN] + lost
    in_part = bool(partial) and unknown > 0
    reason = f"recorded in part: {', '.join(partial)}" if in_part else "some inputs are not known" if unknown else ""
    if violated:
        said = RuleVerdict(rule, Verdict.VIOLATED, Standing.JUDGED, judged, violated, unknown, reason)
        return replace(said, violations=tuple(kept), in_a_row=kept)
    verdict = Verdict.UNKNOWN if unknown else Verdict.HOLDS
    standing = Standing.IN_PART if in_part else Standing.JUDGED
    return RuleVerdict(rule, verdict, standing, judged, 0, unknown, reason)


def _left_out(rule: Rule, standing: Standing, reason: str, *lacks: str) -> RuleVerdict:
    """A rule that is not judged, and what it lacks."""
    return RuleVerdict(rule, Verdict.UNKNOWN, standing, 0, 0, 0, reason, lacks=lacks)


def _counted(rule: Rule, there: int, asked: int, advice: str) -> RuleVerdict:
    """A census: unknown only where nothing at all was asked about."""
    verdict = Verdict.HOLDS if asked else Verdict.UNKNOWN
    reason = "" if asked else f"nobody asked: {advice}"
    return RuleVerdict(rule, verdict, Standing.JUDGED, there, 0, there - asked, reason)


def _trust(rule: Rule, recording: Recording) -> tuple[bool, bool, list[str]]:
    """Whether holds and violated may be trusted, and the kinds that are recorded only in part."""
    partial = [event for event in rule.needs if recording.completeness(event.word) == "partial"]
    absent = [event for event in rule.needs if recording.completeness(event.word) == "absent"] if partial else ()
    trust = [trusted(rule, event, absent) for event in partial]
    return all(holds for holds, _ in trust), all(violated for _, violated in trust), [event.word for event in partial]
