"""The report as text for people: a table of rules, each violation with its witness, and the verdict as last line."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from spec.language.outcomes import Verdict, Violation
from spec.promises import PROMISES
from spec.reports.names import key_text, key_words
from spec.reports.report import Report, Witness, by_chapter, settings_text
from spec.verdicts import RuleVerdict, Standing

WIDTH: Final = 100

Paint: TypeAlias = Callable[[str, Verdict], str]
"""How a text is coloured by a verdict."""

_COLOURS: Final = {Verdict.HOLDS: 32, Verdict.VIOLATED: 31, Verdict.UNKNOWN: 33}
_UNJUDGED: Final = (Standing.NOT_PROMISED, Standing.NOT_RECORDED, Standing.NO_INSTANCE)


def plain(text: str, _: Verdict) -> str:
    """No colour."""
    return text


def coloured(text: str, verdict: Verdict) -> str:
    """Green, red or yellow, as terminals show it."""
    return f"\x1b[{_COLOURS[verdict]}m{text}\x1b[0m"


def render(report: Report, paint: Paint = plain, *, shown: int = 3) -> str:
    """The whole report.

    Args:
        report: what was found.
        paint: how verdicts are coloured.
        shown: how many violations of each rule to show.
    """
    lines = [*_heading(report), "", *_table(report, paint), *_unjudged(report)]
    broken = [said for said in report.verdict.rules if said.violated]
    for said in broken:
        lines += ["", *_violations(report, said, paint, shown)]
    for note in report.notes:
        lines += ["", *_wrapped(f"Note: {note}", "", "  ")]
    return "\n".join([*lines, "", last_line(report, paint)]) + "\n"


def last_line(report: Report, paint: Paint = plain) -> str:
    """The verdict, and how much it rests on."""
    verdict, judged = report.verdict.verdict, report.verdict.judged
    if not judged:
        return paint("verdict: unknown (nothing checked: no rule had an instance that could be judged)", verdict)
    broken = sum(1 for said in judged if said.verdict is Verdict.VIOLATED)
    unsure = sum(1 for said in judged if said.verdict is Verdict.UNKNOWN)
    parts = [f"{number_of(len(judged), 'rule')} judged on {number_of(sum(said.judged for said in judged), 'instance')}"]
    if broken:
        parts.append(f"{broken} violated, {number_of(sum(said.violated for said in judged), 'time')} in all")
    if unsure:
        parts.append(f"{unsure} unknown")
    return paint(f"verdict: {verdict.value} ({'; '.join(parts)})", verdict)


def number_of(count: int, what: str) -> str:
    """A count and the word for what is counted."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _heading(report: Report) -> Iterator[str]:
    about = [f"engine {report.engine}"]
    if report.system:
        about.insert(0, report.system)
    if report.events is not None:
        about.append(number_of(report.events, "event"))
    yield f"{report.trace}: {', '.join(about)}"


def _table(report: Report, paint: Paint) -> Iterator[str]:
    chapters = {
        title: [said for said in rules if said.standing not in _UNJUDGED]
        for title, rules in by_chapter(report.verdict).items()
    }
    every = [said for rules in chapters.values() for said in rules]
    if not every:
        return
    wide = max(len(said.rule.id) for said in every)
    yield f"{'':{wide + 2}}  {'verdict':8}  {'judged':>12}  {'violated':>10}  {'unknown':>10}"
    for title, rules in chapters.items():
        if rules:
            yield f"{title} ({number_of(sum(said.judged for said in rules), 'instance')})"
            yield from (_row(said, wide, paint) for said in rules)


def _row(said: RuleVerdict, wide: int, paint: Paint) -> str:
    verdict = paint(f"{said.verdict.value:8}", said.verdict)
    counts = f"{said.judged:12,}  {said.violated:10,}  {said.unknown:10,}"
    return f"  {said.rule.id:{wide}}  {verdict}  {counts}  {said.reason}".rstrip()


def _unjudged(report: Report) -> Iterator[str]:
    """The rules that say nothing of this trace, by the reason."""
    reasons: dict[str, list[str]] = {}
    for said in report.verdict.rules:
        if said.standing in _UNJUDGED:
            reasons.setdefault(said.reason, []).append(said.rule.id)
    if reasons:
        yield from ("", "Not judged")
    for reason, rules in reasons.items():
        yield from _wrapped(f"{reason}: {', '.join(rules)}", "  ", "    ")


def _violations(report: Report, said: RuleVerdict, paint: Paint, shown: int) -> Iterator[str]:
    rule, here = said.rule, said.violations[:shown]
    showing = "" if said.violated <= len(here) else f", {len(here)} shown"
    yield paint(f"{rule.id}: violated {number_of(said.violated, 'time')}{showing}", Verdict.VIOLATED)
    yield from _wrapped(rule.sentence, "  ")
    yield from _wrapped(f"Source: {rule.cite}", "  ")
    if rule.promise:
        yield from _wrapped(f"Promised by the system: {rule.promise}: {PROMISES.get(rule.promise, '')}", "  ")
    else:
        yield from _wrapped(f"Settings: {settings_text(report.promises)}. This rule is asked of any log.", "  ")
    for violation in here:
        yield f"  at {key_words(rule.view, violation.key, report.names)}"
        witness = report.witnesses.get(violation)
        if witness is not None:
            yield from _witness(witness)
        yield f"    {explain_line(report, said, violation)}"


def explain_line(report: Report, said: RuleVerdict, violation: Violation) -> str:
    """The line to paste for the story of a violation."""
    key = key_text(said.rule.view, violation.key, report.names)
    return f"quorate explain {report.trace} --rule {violation.rule} --key={key}"


def _witness(witness: Witness) -> Iterator[str]:
    yield from _wrapped(f"expected: {witness.expected}", "    ", "              ")
    seen = ", ".join(f"{name} = {value}" for name, value in witness.seen.items())
    yield from _wrapped(f"seen:     {seen}", "    ", "              ")
    for sentence in witness.told:
        yield from _wrapped(sentence, "      ", "        ")


def _wrapped(text: str, first: str, rest: str | None = None) -> Iterable[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
