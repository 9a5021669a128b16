"""Reads the table of a source: its sentences in order, what each comes to, and what carries it.

A table is a TOML file in ``documents``. A sentence says with its key what it is for (``demands``, ``defines``,
``shows`` or ``aside``), and ``by`` names what carries it; ``but`` says how it is meant or shipped otherwise. Where the
chapters of a source are still to be written, ``carried`` is false.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from spec.sources.carriers import Carrier, NoCarrier, carrier
from spec.sources.sentence import (
    LEAD,
    MOTIVE,
    NAVIGATION,
    PICTURE,
    REMARK,
    Difference,
    Document,
    Heading,
    Kind,
    Sentence,
)

FOLDER: Final = files("spec.sources").joinpath("documents")

KINDS: Final = {
    "demands": Kind.DEMAND,
    "defines": Kind.DEFINITION,
    "shows": Kind.EXAMPLE,
    "aside": Kind.ASIDE,
}
"""What a sentence is for, by the key under which our words stand."""

REASONS: Final = {"lead": LEAD, "motive": MOTIVE, "navigation": NAVIGATION, "picture": PICTURE, "remark": REMARK}
"""Why a sentence demands nothing."""


class BadTable(ValueError):
    """A table of a source is not as tables are; the message says where, and what was expected."""


def table(name: str) -> Document:
    """The table of a source, by its name with hyphens.

    Raises:
        BadTable: an entry is not as entries are.
        FileNotFoundError: there is no such table.
    """
    path = FOLDER.joinpath(f"{name.replace('-', '_')}.toml")
    return document(name, path.read_text(encoding="utf-8"))


def document(name: str, text: str) -> Document:
    """The source that a table's text tells of.

    Raises:
        BadTable: the text is no TOML, or an entry is not as entries are.
    """
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as damage:
        raise BadTable(f"{name}: not TOML: {damage}") from damage
    _only(said, {"title", "about", "carried", "heading"}, name)
    headings = [_heading(one, name) for one in said.get("heading", ())]
    return Document(name, said.get("title", ""), said.get("about", ""), tuple(headings), said.get("carried", True))


def _heading(said: Mapping[str, Any], where: str) -> Heading:
    _only(said, {"title", "sentence"}, where)
    title = said.get("title", "")
    return Heading(title, tuple(_sentence(one, f"{where}, {title!r}") for one in said.get("sentence", ())))


def _sentence(said: Mapping[str, Any], where: str) -> Sentence:
    where = f"{where}, sentence {said.get('digest')}"
    _only(said, {"digest", "by", "because", "but", *KINDS}, where)
    words = [word for word in KINDS if word in said]
    if len(words) != 1 or "digest" not in said:
        raise BadTable(f"{where}: write its digest, and one of {', '.join(KINDS)}; found {', '.join(said)}")
    because = said.get("because", "")
    if because and because not in REASONS:
        raise BadTable(f"{where}: because {because!r} is none of {', '.join(REASONS)}")
    differs = _difference(said["but"], where) if "but" in said else None
    by = _carriers(said.get("by", ()), where)
    return Sentence(said["digest"], said[words[0]], KINDS[words[0]], by, REASONS.get(because, ""), differs)


def _difference(said: Mapping[str, Any], where: str) -> Difference:
    _only(said, {"says", "by", "cite"}, f"{where}, but")
    return Difference(said.get("says", ""), _carriers(said.get("by", ()), where), said.get("cite", ""))


def _carriers(said: Sequence[str], where: str) -> tuple[Carrier, ...]:
    try:
        return tuple(map(carrier, said))
    except NoCarrier as wrong:
        raise BadTable(f"{where}: {wrong}") from wrong


def _only(said: Mapping[str, Any], keys: set[str], where: str) -> None:
    """Nothing that nobody reads stands in a table."""
    if unknown := sorted(said.keys() - keys):
        raise BadTable(f"{where}: {', '.join(unknown)} is nothing that is read; known are {', '.join(sorted(keys))}")
