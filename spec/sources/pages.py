"""Reference pages of sources, in Markdown: each sentence in our words, with links to what carries it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from spec.pages import path_of_chapter
from spec.protocols.known_bugs import KNOWN_BUGS
from spec.registry import BY_ID, family_of
from spec.sources.carriers import Carrier, CarrierKind
from spec.sources.sentence import Difference, Document, Heading, Kind, Sentence

BEFORE_THE_FIRST: Final = "Before the first heading"
"""The title of sentences that stand under none."""

ABOUT: Final = """Every sentence of these documents has an entry: what it says, in our words, and what holds systems
to it; beside a rule stands a small trace that breaks it. An aside demands nothing, and says why."""
"""What the page of all sources is."""

NOT_YET: Final = "not yet carried"
"""What stands where nothing carries a sentence that binds."""

ROOT: Final = "../../../"
"""The way from a page to the top of the project."""

TRACES: Final = "examples/traces/rules"
"""Where each rule has a small trace that it is violated by."""


def page(document: Document) -> str:
    """The page of a source."""
    lines = [f"# {document.title}, sentence by sentence", "", document.about, "", *_summary(document), ""]
    for heading in document.headings:
        lines += _heading(heading)
    return "\n".join(lines)


def overview(documents: Iterable[Document]) -> str:
    """The page of all sources: how many sentences each has, what carries them, and where systems differ."""
    documents = list(documents)
    columns = [*(f"{kind}s" for kind in Kind), "carried", "differ"]
    lines = ["# Sources", "", ABOUT, ""]
    lines += [f"| | sentences | {' | '.join(columns)} |", f"|---|---|{'---|' * len(columns)}"]
    lines += [_counts(document) for document in documents]
    lines += ["", "## Where systems differ", ""]
    for document in filter(_differing, documents):
        lines += [f"### {document.title}", "", *_differences(document), ""]
    return "\n".join(lines)


def _counts(document: Document) -> str:
    kinds = Counter(sentence.kind for sentence in document.sentences)
    counted = [len(document.sentences), *(kinds[kind] for kind in Kind), _share(document), _differing(document)]
    return f"| [{document.title}]({document.name}.md) | {' | '.join(map(str, counted))} |"


def _differences(document: Document) -> Iterator[str]:
    for heading in document.headings:
        title = _title(heading)
        for number, sentence in enumerate(heading.sentences, start=1):
            if sentence.differs:
                place = f"[{title}, {number}]({document.name}.md#{_anchor(title)})"
                yield f"- {place}: {sentence.says} *{sentence.differs.says}* ({_shown(sentence.differs)})"


def _summary(document: Document) -> Iterator[str]:
    kinds = Counter(sentence.kind for sentence in document.sentences)
    counted = ", ".join(f"{kinds[kind]} {kind}{'' if kinds[kind] == 1 else 's'}" for kind in Kind)
    yield f"{len(document.sentences)} sentences: {counted}. Those that bind are carried by a rule, clause, theorem"
    yield f"or test: {_share(document)}. Systems differ from {_differing(document)}."
    if not document.is_carried:
        yield "Its chapters are still to be written."


def _share(document: Document) -> str:
    """How many of the sentences that bind are carried; only all of them are 100 %."""
    binding = [sentence for sentence in document.sentences if sentence.kind is not Kind.ASIDE]
    carried = sum(sentence.is_carried for sentence in binding)
    return f"{carried} of {len(binding)}, {100 * carried // len(binding)} %"


def _differing(document: Document) -> int:
    return sum(sentence.differs is not None for sentence in document.sentences)


def _title(heading: Heading) -> str:
    return heading.title.rstrip("?") or BEFORE_THE_FIRST


def _heading(heading: Heading) -> Iterator[str]:
    yield from (f"## {_title(heading)}", "")
    yield from ("| | what it says | kind | carried by | where systems differ |", "|---|---|---|---|---|")
    yield from (_row(number, sentence) for number, sentence in enumerate(heading.sentences, start=1))
    yield ""


def _row(number: int, sentence: Sentence) -> str:
    by = links(sentence.by) or sentence.because or NOT_YET
    return f"| {number} | {_cell(sentence.says)} | {sentence.kind} | {by} | {_difference(sentence.differs)} |"


def _difference(differs: Difference | None) -> str:
    return f"{_cell(differs.says)} ({_shown(differs)})" if differs else ""


def _shown(differs: Difference) -> str:
    return "; ".join(filter(None, [links(differs.by), f"`{differs.cite}`" if differs.cite else ""]))


def links(carriers: Iterable[Carrier]) -> str:
    """Links to carriers, from a page that lies as deep as those of sources."""
    return ", ".join(map(_link, carriers))


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def _link(carrier: Carrier) -> str:
    match carrier.place:
        case CarrierKind.RULE:
            broken = f"[broken]({ROOT}{TRACES}/{carrier.name}.violated.jsonl)"
            return f"[{carrier.name}](../{_chapter_of(carrier.name)}#{_anchor(carrier.name)}) ({broken})"
        case CarrierKind.THEOREM:
            return f"[{carrier.name}](../quorum-theory.md#{_anchor(carrier.name)})"
        case CarrierKind.CLAUSE:
            where = carrier.where.replace("_", "-")
            return f"[{carrier.where}: {carrier.name}](../protocols/{where}.md#{_anchor(carrier.name)})"
        case CarrierKind.VARIANT:
            return f"[{carrier.where} refutes {carrier.name}](../{_shown_in(carrier)})"
        case CarrierKind.TEST:
            return f"[test: {_words(carrier.name)}]({ROOT}{carrier.where})"
        case CarrierKind.CODE:
            return f"[`{carrier.name}`]({ROOT}{carrier.where})"


def _shown_in(carrier: Carrier) -> str:
    """Where a refuted form is told: with the shortest run of a known bug, or among the wrong forms of its text."""
    bugs = [bug.name for bug in KNOWN_BUGS.values() if (bug.text, bug.variant) == (carrier.where, carrier.name)]
    return f"known-bugs.md#{bugs[0]}" if bugs else f"protocols/{carrier.where.replace('_', '-')}.md#wrong-forms"


def _words(name: str) -> str:
    return name.rpartition(".")[2].replace("_", " ")


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _chapter_of(identifier: str) -> str:
    """The page of the chapter that has a rule.

    Raises:
        KeyError: there is no such rule.
    """
    family = family_of(BY_ID[identifier].view)
    return path_of_chapter(family.chapter_of[identifier], family)
