"""Sentences of a source document, in order, under their headings: what the tables in ``spec.sources`` are held against.

The splitter knows as much Markdown as the sources use. A sentence ends at a full stop, question mark or exclamation
mark before a capital letter; a list item, an image and a block of code are units of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

HEADING = re.compile(r"#+ +(?P<title>.+)")
ITEM = re.compile(r"(?P<indent> *)(?:[*•-]|\d+\.) +(?P<rest>.+)")
TITLE = re.compile(r"[A-Z0-9]\S*( \S+){,9}(?<![.!?:;,{}0-9])")
"""A heading of a document without marks: at most ten words, and nothing that ends a sentence or a line of code."""

IMAGE = re.compile(r"!\[|<img ")
BORDER = re.compile(r"""(?<=[.!?])(?<!i\.e\.)(?<!e\.g\.)["”)]?\s+(?=["“(]?[A-Z0-9])""")
"""Between two sentences of a paragraph."""
LABEL_WORDS = 3
"""A piece of fewer words is a label, and belongs to the sentence behind it."""


class Unit(NamedTuple):
    """One sentence.

    Attributes:
        heading: the heading under which it stands; empty before the first.
        number: its place under that heading, from 1.
        text: its words, without line breaks and emphasis.
    """

    heading: str
    number: int
    text: str

    @property
    def digest(self) -> str:
        """Six hexadecimal digits that change with the words."""
        return sha256(self.text.encode()).hexdigest()[:6]


def units(document: str) -> list[Unit]:
    """All sentences of a document in order."""
    found: list[Unit] = []
    heading, number = "", 0
    for title, text in _pieces(document):
        if title:
            heading, number = text, 0
        else:
            number += 1
            found.append(Unit(heading, number, text))
    return found


def _pieces(document: str) -> Iterator[tuple[bool, str]]:
    """Headings, which are marked, and sentences."""
    has_marks = re.search(r"^#+ ", document, flags=re.MULTILINE) is not None
    for block in _blocks(document.splitlines(), wraps=has_marks):
        first = block[0]
        if match := HEADING.fullmatch(first):
            yield True, match["title"].strip()
        elif not has_marks and TITLE.fullmatch(first):
            yield True, first.strip()
        elif first.startswith(("```", "---")) or IMAGE.match(first):
            yield False, "\n".join(block)
        else:
            yield from ((False, sentence) for sentence in sentences(" ".join(block)))


def _blocks(lines: list[str], *, wraps: bool) -> Iterator[list[str]]:
    """Lines that belong together: a fence with all in it, a heading, an item, or a paragraph that wraps.

    An item goes on as long as its lines are indented.
    """
    block: list[str] = []
    fence = ""
    for number, line in enumerate(lines):
        mark = line.strip()
        if fence:
            block.append(line)
            if mark == fence:
                yield block
                block, fence = [], ""
            continue
        opens = mark.startswith("```") or (mark == "---" and number == 0)
        begins = any(kind.match(line) for kind in (HEADING, ITEM, IMAGE))
        item_ends = block and ITEM.match(block[0]) and not line.startswith(" ")
        apart = not mark or opens or begins or item_ends or not wraps
        if apart and block:
            yield block
            block = []
        if mark:
            block.append(line.strip())
        if opens:
            fence = mark[:3]
        elif mark and (HEADING.match(line) or IMAGE.match(mark)):
            yield block
            block = []
    if block:
        yield block


def sentences(paragraph: str) -> Iterable[str]:
    """The sentences of a paragraph or list item, without emphasis; a label stays with what it labels."""
    match = ITEM.fullmatch(paragraph)
    text = " ".join(re.sub(r"[*`]", "", match["rest"] if match else paragraph).split())
    label = ""
    for piece in BORDER.split(text):
        if len(piece.split()) < LABEL_WORDS:
            label += f"{piece} "
        else:
            yield label + piece
            label = ""
    if label:
        yield label.strip()
