"""The report: a verdict with all that people need to understand it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from spec.language.names import Names
from spec.language.outcomes import Violation
from spec.language.rule import Rule
from spec.registry import FAMILIES, family_of
from spec.verdicts import RuleVerdict, TraceVerdict

OTHER_RULES: Final = "Other rules"
"""The chapter of rules that the registry does not have."""


@dataclass(frozen=True)
class Witness:
    """Why one row breaks its rule.

    Attributes:
        expected: the part of the claim that is false, in words.
        seen: the values that made it false, by the names of the view's columns.
        told: the events that matter, one sentence each, as they happened.
        events: the same events as JSON objects of a trace.
    """

    expected: str
    seen: Mapping[str, str]
    told: tuple[str, ...] = ()
    events: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Report:
    """What one check of one trace found.

    Attributes:
        trace: the trace's path, as it was given.
        engine: what judged it.
        verdict: what the rules say.
        names: what the trace calls its nodes and logs.
        system: what was recorded.
        events: how many events the trace has; None: nobody counted.
        promises: the promises of its header.
        witnesses: for some of the violations, why.
        notes: what else a reader of the verdict must know, such as fields that were not understood.
        output: where all violations were written; "" if nowhere.
    """

    trace: str
    engine: str
    verdict: TraceVerdict
    names: Names = field(default_factory=Names)
    system: str = ""
    events: int | None = None
    promises: Mapping[str, bool | int] = field(default_factory=dict)
    witnesses: Mapping[Violation, Witness] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    output: str = ""


def chapter_of(rule: Rule) -> str:
    """The chapter of the specification in which a rule stands."""
    return next((one.chapter_of[rule.id] for one in FAMILIES.values() if rule.id in one.chapter_of), OTHER_RULES)


def by_chapter(verdict: TraceVerdict) -> dict[str, list[RuleVerdict]]:
    """The rules' verdicts by chapter, in reading order."""
    found: dict[str, list[RuleVerdict]] = {}
    for said in verdict.rules:
        found.setdefault(chapter_of(said.rule), []).append(said)
    return found


def settings_said(rules: Sequence[Rule], promises: Mapping[str, bool | int]) -> dict[str, str]:
    """What the recorded system's settings promised, as far as that tells a broken rule from a weak setting."""
    names = {name: None for rule in rules for name in family_of(rule.view).annotations}
    return {name: _said(promises.get(name, False)) for name in names}


def known_as(rule: Rule) -> dict[str, str]:
    """What others call it when a rule is broken, if they have a name for it."""
    told = family_of(rule.view).prose.known_as(rule)
    return {"Known as": told} if told else {}


def standing_of(rule: Rule, promises: Mapping[str, bool | int]) -> dict[str, str]:
    """Why a rule is asked of a system: because of what it promised, or of any; then what its settings promised."""
    family = family_of(rule.view)
    if rule.promise:
        return {"Promised": f"{rule.promise}: {family.promises.get(rule.promise, '')}"}
    said = "; ".join(f"{family.annotations[name]}: {value}" for name, value in settings_said([rule], promises).items())
    return {"Settings": f"{said}. This rule is asked of any log."} if said else {}


def _said(value: bool | int) -> str:  # noqa: FBT001 - a header's value
    if value is False:
        return "not promised"
    return "promised" if value is True else str(value)
