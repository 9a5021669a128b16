"""HTML: one file that needs no other, with the verdict, the rules, and each violation as a story with its picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Final

from conformance.check.story import Story
from conformance.forms import svg
from conformance.forms.told import Told, ToldViolation
from spec.language.family import Family
from spec.language.names import Names
from spec.language.outcomes import Verdict
from spec.reports.report import by_chapter, known_as, standing_of
from spec.reports.text import last_line
from spec.verdicts import RuleVerdict

FOLDER: Final = files("conformance.forms")
PAGE: Final = Template(FOLDER.joinpath("page.html").read_text(encoding="utf-8"))
PICTURES: Final = FOLDER.joinpath("pictures.css").read_text(encoding="utf-8")
"""How stories and their pictures look, in these pages and in others."""


def render(every: Sequence[Told]) -> str:
    """The page."""
    names = ", ".join(told.report.trace for told in every)
    traces = "".join(_trace(told, f"trace-{number}") for number, told in enumerate(every))
    return PAGE.substitute(title=escape(f"quorate: {names}"), pictures=PICTURES, traces=traces)


def _trace(told: Told, called: str) -> str:
    report, verdict = told.report, told.report.verdict.verdict
    about = ", ".join(filter(None, [report.system, f"{report.events or 0:,} events", f"engine {report.engine}"]))
    notes = "".join(f"<p class=note>{escape(note)}</p>" for note in report.notes)
    first = {one.said.rule.id: one for one in reversed(told.violations)}
    stories = "".join(
        _violation(told, one, f" id='{called}-{rule}'" if first[rule := one.said.rule.id] is one else "")
        for one in told.violations
    )
    return (
        f"<section><h1>{escape(report.trace)}</h1><p>{escape(about)}</p>"
        f"<p class='verdict {verdict.value}'>{escape(last_line(report))}</p>{notes}"
        f"<h2>Violations</h2>{stories or '<p>None that could be seen.</p>'}{_untold(told)}"
        f"<h2>Rules</h2>{''.join(_chapters(told, called))}</section>"
    )


def _untold(told: Told) -> str:
    if not told.untold:
        return ""
    return (
        f"<p class=untold>{told.untold:,} more violations are counted below, and not told here; --limit tells more.</p>"
    )


def _violation(told: Told, one: ToldViolation, anchor: str) -> str:
    rule, story = one.said.rule, one.story
    beside = beside_its_picture(story, told.report.names, told.header.family)
    return (
        f"<article{anchor} class=found><h3>{escape(rule.id)} <small>{escape(one.place)}</small></h3>"
        f"<p class=sentence>{escape(rule.sentence)}</p><p>{escape(story.opening)}</p>"
        f"{beside}{_because(told, one)}"
        f"<pre class=replay>{escape(one.replay)}</pre></article>"
    )


def beside_its_picture(story: Story, names: Names, family: Family) -> str:
    """The sentences of a story, and its picture beside them."""
    steps = "".join(f"<li><time>{escape(when)}</time> {escape(said)}</li>" for when, said in story.told)
    return f"<div class=told><ol>{steps}</ol><figure>{svg.draw(story.steps, names, family.story)}</figure></div>"


def _because(told: Told, one: ToldViolation) -> str:
    witness, rule = one.story.witness, one.said.rule
    rows = {"Source": rule.cite, **known_as(rule), **standing_of(rule, told.report.promises)}
    if witness is not None:
        seen = ", ".join(f"{name} = {value}" for name, value in witness.seen.items())
        rows = {"Demanded": witness.expected, "Seen": seen, **rows}
    return f"<dl>{''.join(f'<dt>{escape(name)}<dd>{escape(value)}' for name, value in rows.items())}</dl>"


def _chapters(told: Told, called: str) -> Iterator[str]:
    shown = {one.said.rule.id for one in told.violations}
    for title, rules in by_chapter(told.report.verdict).items():
        asked = sum(1 for said in rules if said.judged)
        opened = " open" if any(said.verdict is Verdict.VIOLATED for said in rules) else ""
        yield f"<details{opened}><summary>{escape(title)}: {asked} of {len(rules)} rules asked</summary><table>"
        yield "<tr><th>rule<th>verdict<th>judged<th>violated<th>unknown<th>why not more</tr>"
        for said in rules:
            yield _row(said, f"#{called}-{said.rule.id}" if said.rule.id in shown else "")
        yield "</table></details>"


def _row(said: RuleVerdict, link: str) -> str:
    rule, verdict = said.rule, said.verdict.value
    name = f"<a href='{link}'>{escape(rule.id)}</a>" if link else escape(rule.id)
    counts = "".join(f"<td class=count>{count:,}" for count in (said.judged, said.violated, said.unknown))
    why = escape(said.reason)
    return (
        f"<tr class=found><td title='{escape(rule.sentence)}'>{name}<td class={verdict}>{verdict}{counts}<td>{why}</tr>"
    )
