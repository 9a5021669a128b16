"""Pages of this specification: its prose, with definitions and kinds said by their names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from spec.events import BRIDGE, DELTAS, FAULTS, GAP_KINDS, HOLE, RECORD, Event
from spec.events.positions import CALLED
from spec.language.declare import Rowset
from spec.language.definition import Definition
from spec.language.events import all_events, demands_of, fields_of
from spec.language.notation import Notation
from spec.language.prose import Prose
from spec.language.rule import Rule
from spec.language.terms import Term
from spec.log import quorum, replication
from spec.promises import PROMISES
from spec.registry import CHAPTERS, rules_of

DEFINITIONS: Final[tuple[Definition[..., Any], ...]] = tuple(
    value for module in (replication, quorum) for value in vars(module).values() if isinstance(value, Definition)
)
"""The definitions that formulas name."""

WORDS: Final = {
    "reason": {number: word.upper() for word, number in GAP_KINDS.items()},
    "becomes": {RECORD: "RECORD", HOLE: "HOLE", BRIDGE: "BRIDGE"},
}
"""What the numbers of some fields are called."""

PROSE: Final = Prose(Notation(DEFINITIONS, WORDS, CALLED), PROMISES)


def say(term: Term) -> str:
    """A term on one line."""
    return PROSE.notation.say(term)


def rule_page(rule: Rule) -> str:
    """A rule's page."""
    return PROSE.rule_page(rule)


def view_page(view: type[Rowset]) -> str:
    """The page of a view or dimension."""
    return PROSE.view_page(view)


def chapter(title: str) -> str:
    """Markdown of one chapter of the registry.

    Raises:
        KeyError: there is no such chapter.
    """
    rules: Iterable[Rule] = (rule for module in CHAPTERS[title] for rule in rules_of(module))
    return f"# {title}\n\n{PROSE.chapter(rules)}"


def events_page() -> str:
    """Markdown of the recording vocabulary: every kind of event with its fields."""
    lines = ["# Events", "", "Every event also has `recorder` (text) and `kind`: the word below.", ""]
    for event in all_events(Event):
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
    decided = {"record": RECORD, "hole": HOLE, "bridge": BRIDGE}
    codes = {"reason": GAP_KINDS, "what": FAULTS, "delta": DELTAS, "becomes": decided}
    lines += ["## Numbers that stand for words", "", "| field | number | word |", "|---|---|---|"]
    lines += [f"| `{field}` | {number} | {word} |" for field, words in codes.items() for word, number in words.items()]
    return "\n".join(lines) + "\n"
