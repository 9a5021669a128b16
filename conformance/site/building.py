"""Building: what was written and what is generated lie in one folder, from which a generator of sites makes the site.

Source: Zensical, Setup; it reads what Material for MkDocs, which it succeeds, was told.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from conformance.forms.html import PICTURES
from conformance.site import rule_pages
from conformance.site.examples import examples_in
from spec.language.family import Family
from spec.language.rule import Rule

LINK: Final = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<target>[^)#\s:]*)(?P<section>#[^)\s]*)?\)")
"""A link to a place in the project; one to the web has a colon."""

COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")

PARTS: Final = ("tutorial", "how-to", "explanation", "reference")
"""The four kinds of documents, in the order in which one meets them."""


STYLE: Final = "pictures.css"
"""How pictures look; the theme has no dark colours."""


class SiteRefused(Exception):
    """The generator of sites found something wrong, such as a link that leads nowhere; the text is what it said."""


def build(root: Path, output: Path, families: Sequence[Family]) -> None:
    """Write all pages below ``output/pages`` and build the site in ``output/site``.

    Args:
        root: the project, with ``docs`` and ``examples/traces``.
        output: a folder that is made anew.
        families: those whose rules get pages.

    Raises:
        SiteRefused: a link leads nowhere, or a page cannot be read.
        TraceError: one of its kinds, for whatever is wrong with an example.
    """
    shutil.rmtree(output, ignore_errors=True)
    pages = output / "pages"
    for document in sorted((root / "docs").rglob("*.md")):
        _write(pages / document.relative_to(root / "docs"), inside(document, root))
    examples = examples_in(root / "examples" / "traces")
    for family in families:
        for rule in family.rules:
            text = rule_pages.page(rule, family, examples.get(rule.id, ()))
            _write(pages / "rules" / rule_pages.name_of(rule), text)
    _write(pages / "rules" / "index.md", rule_pages.index(families))
    _write(pages / "rules" / "by-event.md", rule_pages.by_event(families))
    _write(pages / STYLE, f"{PICTURES}:root {{ color-scheme: light; }}\n")
    _write(output / "mkdocs.yml", json.dumps(settings(pages, families), indent=1))
    generator = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(output / "mkdocs.yml")]
    done = subprocess.run(generator, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SiteRefused(COLOUR.sub("", done.stderr).partition("Traceback")[0])


def inside(document: Path, root: Path) -> str:
    """A document of which links to files that are no pages are told as paths, since a site does not have them."""
    docs = root / "docs"

    def link_within(link: re.Match[str]) -> str:
        target = (document.parent / link["target"]).resolve()
        if not link["target"] or target.is_relative_to(docs.resolve()) or not target.exists():
            # The generator names a heading with one hyphen where others write several.
            section = re.sub("-+", "-", link["section"] or "")
            return f"[{link['text']}]({link['target']}{section})"
        path = target.relative_to(root.resolve()).as_posix()
        return f"`{path}`" if link["text"].strip("`") in path else f"{link['text']} (`{path}`)"

    return LINK.sub(link_within, document.read_text(encoding="utf-8"))


def settings(pages: Path, families: Sequence[Family]) -> dict[str, Any]:
    """What the generator is told; JSON is YAML, too."""
    return {
        "site_name": "quorate",
        "site_description": "A formal specification and conformance framework for replicated logs",
        "docs_dir": "pages",
        "site_dir": "site",
        "use_directory_urls": False,
        "theme": {
            "name": "material",
            "font": False,
            "features": ["navigation.indexes", "navigation.top", "search.highlight", "content.code.copy"],
        },
        "extra_css": [STYLE],
        "plugins": ["search"],
        "markdown_extensions": [
            "tables",
            "attr_list",
            "toc",
            "pymdownx.superfences",
            {"pymdownx.tabbed": {"alternate_style": True}},
        ],
        "nav": [{"Start": "index.md"}, *(_part(pages, part) for part in PARTS), {"Rules": _rules(families)}],
    }


def _part(pages: Path, part: str) -> dict[str, list[str]]:
    found = sorted((pages / part).rglob("*.md"), key=lambda page: (len(page.parts), page.name))
    return {part.capitalize(): [page.relative_to(pages).as_posix() for page in found]}


def _rules(families: Sequence[Family]) -> list[Any]:
    listed = [
        {f"Family {family.name}": [{title: list(map(_place, rules))} for title, rules in family.chapters.items()]}
        for family in families
    ]
    return ["rules/index.md", "rules/by-event.md", *listed]


def _place(rule: Rule) -> str:
    return f"rules/{rule_pages.name_of(rule)}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
