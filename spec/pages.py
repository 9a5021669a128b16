"""Pages of this specification: its prose, with definitions and kinds said by their names."""

from __future__ import annotations

from spec.language.declare import Rowset
from spec.language.events import all_events, demands_of, fields_of
from spec.language.family import Family
from spec.language.rule import Rule
from spec.log.family import LOG
from spec.registry import family_of


def rule_page(rule: Rule) -> str:
    """A rule's page."""
    return family_of(rule.view).prose.rule_page(rule)


def view_page(view: type[Rowset]) -> str:
    """The page of a view or dimension."""
    return family_of(view).prose.view_page(view)


def chapter(title: str, family: Family = LOG) -> str:
    """Markdown of one chapter of a family.

    Raises:
        KeyError: there is no such chapter.
    """
    return f"# {title}\n\n{family.prose.chapter(family.chapters[title])}"


def path_of_chapter(title: str, family: Family = LOG) -> str:
    """Where the page of a chapter lies below the reference pages; families but the first have a folder of their own."""
    return f"{'' if family is LOG else f'{family.name}/'}{title.lower().replace(' ', '-')}.md"


def events_page(family: Family = LOG) -> str:
    """Markdown of the recording vocabulary of a family: every kind of event with its fields."""
    lines = ["# Events", "", "Every event also has `recorder` (text) and `kind`: the word below.", ""]
    for event in all_events(family.events):
        lines += [
            f"## {event.word}",
            "",
            (event.__doc__ or "").strip(),
            "",
            "| field | sort | meaning |",
            "|---|---|---|",
        ]
        for field in fields_of(event).values():
            if not field.computed:
                unsure = ", or unknown" if field.optional else ""
                least = "" if field.least is None else f" from {field.least}"
                lines.append(f"| `{field.written}` | {field.sort}{least}{unsure} | {field.what} |")
        lines.append("")
        for demand in demands_of(event):
            lines += [demand.sentence, ""]
    lines += ["## Numbers that stand for words", "", "| field | number | word |", "|---|---|---|"]
    fields = [(name, field) for event in all_events(family.events) for name, field in fields_of(event).items()]
    lines += dict.fromkeys(
        f"| `{name}` | {number} | {word} |" for name, field in fields for number, word in field.words.items()
    )
    return "\n".join(lines) + "\n"
