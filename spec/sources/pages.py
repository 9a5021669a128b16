"""Reference pages of sources, in Markdown: each sentence in our words, with links to what carries it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from spec.registry import CHAPTERS, rules_of
from spec.sources.carriers import Carrier, Place
from spec.sources.sentence import Document, Heading, Kind, Sentence

BEFORE_THE_FIRST: Final = "Before the first heading"
"""The title of sentences that stand under none."""

ROOT: Final = "../../../"
"""The way from a page to the top of the project."""


def page(document: Document) -> str:
    """The page of a source."""
    lines = [f"# {document.title}, sentence by sentence", "", document.about, "", *_summary(document), ""]
    for heading in document.headings:
        lines += _heading(heading)
    return "\n".join(lines)


def _summary(document: Document) -> Iterator[str]:
    counts = Counter(sentence.kind for sentence in document.sentences)
    binding = [sentence for sentence in document.sentences if sentence.kind is not Kind.ASIDE]
    carried = sum(sentence.is_carried for sentence in binding)
    differing = sum(bool(sentence.differs) for sentence in binding)
    yield (
        f"{len(document.sentences)} sentences: "
        + ", ".join(f"{counts[kind]} {kind}{'s' if counts[kind] != 1 else ''}" for kind in Kind)
        + "."
    )
    yield f"Of the {len(binding)} that bind, {carried} are carried by a rule, clause, theorem or test:"
    yield f"{100 * carried // len(binding)} %. Shipped systems differ from {differing}."


def _heading(heading: Heading) -> Iterator[str]:
    yield from (f"## {heading.title.rstrip('?') or BEFORE_THE_FIRST}", "")
    yield from ("| | what it says | kind | carried by | where systems differ |", "|---|---|---|---|---|")
    yield from (_row(number, sentence) for number, sentence in enumerate(heading.sentences, start=1))
    yield ""


def _row(number: int, sentence: Sentence) -> str:
    by = ", ".join(map(_link, sentence.by)) or sentence.because
    return f"| {number} | {_cell(sentence.says)} | {sentence.kind} | {by} | {_cell(sentence.differs)} |"


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def _link(carrier: Carrier) -> str:
    match carrier.place:
        case Place.RULE:
            return f"[{carrier.name}](../{_chapter_of(carrier.name)}.md#{_anchor(carrier.name)})"
        case Place.THEOREM:
            return f"[{carrier.name}](../quorum-theory.md#{_anchor(carrier.name)})"
        case Place.CLAUSE:
            where = carrier.where.replace("_", "-")
            return f"[{carrier.where}: {carrier.name}](../protocols/{where}.md#{_anchor(carrier.name)})"
        case Place.TEST:
            return f"[test: {_words(carrier.name)}]({ROOT}{carrier.where})"
        case Place.CODE:
            return f"[`{carrier.name}`]({ROOT}{carrier.where})"


def _words(name: str) -> str:
    return name.rpartition(".")[2].replace("_", " ")


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _chapter_of(identifier: str) -> str:
    """The page of the chapter that has a rule.

    Raises:
        StopIteration: there is no such rule.
    """
    titles = (
        title
        for title, modules in CHAPTERS.items()
        for module in modules
        for found in rules_of(module)
        if found.id == identifier
    )
    return next(titles).lower().replace(" ", "-")
