"""A page for each rule: what it says, its formula, the SQL that engines run, and traces that keep it and break it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from conformance.rule_page import DIALECTS, place_of, sentences_of
from conformance.site.examples import Example, drawn
from spec.language.family import Family
from spec.language.parameters import Parameters
from spec.language.prose import row_of
from spec.language.rule import Rule
from spec.language.sql.plan import statement

TITLES: Final = {
    "holds": "A trace that keeps it",
    "violated": "A trace that breaks it",
    "unknown": "A trace that leaves it open",
}
"""What stands over an example, by its verdict."""


def name_of(rule: Rule) -> str:
    """The file of a rule's page."""
    return f"{rule.id}.md"


def page(rule: Rule, family: Family, examples: Sequence[Example]) -> str:
    """Markdown of one rule's page.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with an example.
    """
    parts = (_heading(rule, family), _formula(rule, family), _shown(rule, examples), _sql(rule))
    return "\n".join(line for part in parts for line in part) + "\n"


def index(families: Sequence[Family]) -> str:
    """Markdown of the list of all rules, and of the kinds of events with the rules that read them."""
    lines = ["# Rules", "", "Every rule by family and chapter. [By events](by-event.md) they stand, too."]
    for family in families:
        lines += ["", f"## Family {family.name}", "", f"Of {family.what}."]
        for title, rules in family.chapters.items():
            lines += ["", f"### {title}", "", *(f"- [{rule.id}]({name_of(rule)}): {rule.sentence}" for rule in rules)]
    return "\n".join(lines) + "\n"


def by_event(families: Sequence[Family]) -> str:
    """Markdown of the rules that read each kind of event."""
    lines = ["# Rules by events", "", "The rules that cannot be judged where events of a kind are not recorded."]
    for family in families:
        lines += ["", f"## Events of the family {family.name}"]
        needed = {event.word: event for rule in family.rules for event in rule.needs}
        for word in sorted(needed):
            rules = [rule for rule in family.rules if needed[word] in rule.needs]
            lines += [
                "",
                f"### {word} {{#{_anchor(family, word)}}}",
                "",
                *(f"- [{rule.id}]({name_of(rule)})" for rule in rules),
            ]
    return "\n".join(lines) + "\n"


def _heading(rule: Rule, family: Family) -> Iterator[str]:
    yield from (f"# {rule.id}", "", f"**{rule.sentence}**", "")
    yield f"- *chapter*: {family.chapter_of[rule.id]}, of the family {family.name}"
    for name, said in family.prose.facts(rule):
        yield f"- *{name}*: {_events(rule, family) if name == 'needs' else said}"
    yield f"- *text*: `{place_of(rule)}`"
    yield from (f"- *carries*: {sentence}" for sentence in sentences_of(rule))
    yield ""


def _events(rule: Rule, family: Family) -> str:
    return ", ".join(f"[{event.word}](by-event.md#{_anchor(family, event.word)})" for event in rule.needs)


def _anchor(family: Family, word: str) -> str:
    """Where the rules on a kind of event stand: families may have kinds of one name."""
    return f"{family.name}-{word}"


def _formula(rule: Rule, family: Family) -> Iterator[str]:
    columns = family.prose.columns(rule.view, rule.term)
    width = max((len(name) for name, _ in columns), default=0)
    yield from ("## Formula", "", row_of(rule.view), "", "```text", *family.prose.notation.lines(rule.term), "```", "")
    yield from ("where", "", "```text", *(f"{name:<{width}} = {said}" for name, said in columns), "```", "")


def _shown(rule: Rule, examples: Sequence[Example]) -> Iterator[str]:
    for example in examples:
        yield from (f"## {TITLES[example.verdict]}", "", example.reason, "", *drawn(example, rule), "")


def _sql(rule: Rule) -> Iterator[str]:
    yield from ("## SQL", "")
    for dialect, text in DIALECTS.items():
        said = statement([rule], "trace", text, Parameters()).strip()
        yield from (f'=== "{dialect}"', "", "    ```sql", *(f"    {line}" for line in said.splitlines()), "    ```", "")
