"""The report as text for people: a table of rules, each violation with its witness, and the verdict as last line."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from spec.language.names import Names
from spec.language.outcomes import Verdict, Violation
from spec.reports.names import key_text, span_words
from spec.reports.report import Report, Witness, by_chapter, known_as, standing_of
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


def render(report: Report, paint: Paint = plain, *, shown: int = 3, every: bool = False) -> str:
    """The whole report.

    Args:
        report: what was found.
        paint: how verdicts are coloured.
        shown: how many violations of each rule to show.
        every: whether to list rules that hold, and those that were not judged, one by one.
    """
    lines = [*_heading(report), "", *_table(report, paint, every), *_censuses(report)]
    lines += _unjudged(report) if every else _unjudged_in_short(report)
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
    what = "more" if report.verdict.verdict is Verdict.VIOLATED else "anything"
    for said in report.verdict.judged:
        if said.rule.census and said.verdict is Verdict.UNKNOWN:
            yield f"Not known whether {what} is wrong, for {said.reason}"


def _table(report: Report, paint: Paint, every: bool) -> Iterator[str]:  # noqa: FBT001 - as it was asked for
    """A line for each chapter, and one for each of its rules that is told of."""
    chapters = {
        title: [said for said in rules if said.standing not in _UNJUDGED]
        for title, rules in by_chapter(report.verdict).items()
    }
    told = [said for rules in chapters.values() for said in rules if every or said.verdict is not Verdict.HOLDS]
    wide = max((len(said.rule.id) for said in told), default=0)
    if told:
        yield f"{'':{wide + 2}}  {'verdict':8}  {'judged':>12}  {'violated':>10}  {'unknown':>10}"
    for title, rules in chapters.items():
        if rules:
            yield _chapter(title, rules)
            yield from (_row(said, wide, paint) for said in rules if said in told)


def _chapter(title: str, rules: Sequence[RuleVerdict]) -> str:
    kept = sum(1 for said in rules if said.verdict is Verdict.HOLDS)
    how_many = f"{kept} of {number_of(len(rules), 'rule')} hold{'' if kept != 1 else 's'}"
    return f"{title}: {how_many}, {number_of(sum(said.judged for said in rules), 'instance')}"


def _row(said: RuleVerdict, wide: int, paint: Paint) -> str:
    verdict = paint(f"{said.verdict.value:8}", said.verdict)
    counts = f"{said.judged:12,}  {said.violated:10,}  {said.unknown:10,}"
    return f"  {said.rule.id:{wide}}  {verdict}  {counts}  {said.reason}".rstrip()


def _censuses(report: Report) -> Iterator[str]:
    """How much of what happened was asked about."""
    for said in report.verdict.judged:
        if (words := said.rule.census) is not None:
            asked = said.judged - said.unknown
            yield f"{said.judged:,} {words.there}: {asked:,} {words.asked}, {said.unknown:,} {words.rest}"


def _unjudged_in_short(report: Report) -> Iterator[str]:
    """How many rules say nothing of this trace, and what they lack."""
    lacking: dict[Standing, dict[str, int]] = {standing: {} for standing in _UNJUDGED}
    for said in report.verdict.rules:
        if said.standing in lacking:
            for one in said.lacks or (said.rule.id,):
                lacking[said.standing][one] = lacking[said.standing].get(one, 0) + 1
    if any(lacking.values()):
        yield from ("", "Not judged (--all lists the rules)")
    for standing, what in lacking.items():
        if what:
            often_first = sorted(what, key=lambda one: (-what[one], one))
            yield "  " + textwrap.shorten(f"{standing.value}: {', '.join(often_first)}", WIDTH - 2, placeholder=" ...")


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
    showing = ", not all shown" if sum(said.in_a_row[one] for one in here) < said.violated else ""
    yield paint(f"{rule.id}: violated {number_of(said.violated, 'time')}{showing}", Verdict.VIOLATED)
    yield from _wrapped(rule.sentence, "  ")
    for word, known in {"Source": rule.cite, **known_as(rule)}.items():
        yield from _wrapped(f"{word}: {known}", "  ")
    for word, standing in standing_of(rule, report.promises).items():
        yield from _wrapped(f"{word}{' by the system' * bool(rule.promise)}: {standing}", "  ")
    for violation in here:
        yield f"  at {place_words(said, violation, report.names)}"
        witness = report.witnesses.get(violation)
        if witness is not None:
            yield from _witness(witness)
        yield f"    {explain_line(report, said, violation)}"


def place_words(said: RuleVerdict, violation: Violation, names: Names) -> str:
    """Where a rule is broken; of violations that follow one another without a gap, from where to where.

    Where nobody looked further than those that were kept, there are at least so many.
    """
    here, seen = said.in_a_row[violation], sum(said.in_a_row.values())
    where = span_words(said.rule.view, violation.key, here, names)
    is_cut = violation == said.violations[-1] and seen < said.violated
    return where if here == 1 else f"{where}: {'at least ' if is_cut else ''}{here:,} in a row, told once"


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
