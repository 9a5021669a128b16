"""The reference chapters are generated from the rules: what stands in docs/reference is what they say today."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from conformance.trace import format_page
from spec import language_page
from spec.client import anomalies
from spec.language import declare, handles, quantifiers
from spec.pages import chapter, events_page, path_of_chapter
from spec.proof import pages as proofs
from spec.protocols.pages import page
from spec.protocols.registry import TEXTS
from spec.registry import BY_ID, FAMILIES
from spec.segment import pages as invariants

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
PAGES = {path_of_chapter(title, family): (family, title) for family in FAMILIES.values() for title in family.chapters}
EVENTS = {path_of_chapter("events", family): family for family in FAMILIES.values()}


@pytest.mark.parametrize("name", [*PAGES, *EVENTS])
def test_the_chapter_is_what_the_rules_say(name: str, request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew the chapters."""
    if name in EVENTS:
        text = events_page(EVENTS[name])
    else:
        family, title = PAGES[name]
        text = chapter(title, family)
    if request.config.getoption("--rewrite"):
        (FOLDER / name).parent.mkdir(exist_ok=True)
        (FOLDER / name).write_text(text, encoding="utf-8")
    assert (FOLDER / name).read_text(encoding="utf-8") == text


def test_every_rule_has_its_place_in_a_chapter() -> None:
    text = "".join((FOLDER / name).read_text(encoding="utf-8") for name in PAGES)
    assert [rule for rule in BY_ID if f"### {rule}\n" not in text] == []


def test_the_page_of_quorum_theory_is_what_the_theorems_say(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    path = FOLDER / "quorum-theory.md"
    if request.config.getoption("--rewrite"):
        path.write_text(proofs.page(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == proofs.page()


def test_the_page_of_the_language_is_what_its_words_say(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    path = FOLDER / "rule-language.md"
    if request.config.getoption("--rewrite"):
        path.write_text(language_page.page(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == language_page.page()


def test_the_page_of_the_language_has_every_word_of_it() -> None:
    """What authors import from declare, handles and quantifiers, but for what makes handles of terms."""
    told = {written.rpartition(".")[2] for words in language_page.SECTIONS.values() for written, _ in words}
    there = {
        name
        for module in (declare, handles, quantifiers)
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    }
    assert there - told == {"as_term", "handle"}


def test_the_page_of_the_format_is_what_its_readers_know(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    path = FOLDER / "trace-format.md"
    if request.config.getoption("--rewrite"):
        path.write_text(format_page.page(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == format_page.page()


def test_the_page_of_invariants_is_what_their_table_says(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    path = FOLDER / "segment" / "invariants.md"
    if request.config.getoption("--rewrite"):
        path.write_text(invariants.page(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == invariants.page()


def test_the_page_of_anomalies_is_what_their_table_says(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    path = FOLDER / "anomalies.md"
    if request.config.getoption("--rewrite"):
        path.write_text(anomalies.page(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == anomalies.page()
    assert set(anomalies.ANOMALIES) <= set(BY_ID)


@pytest.mark.parametrize("name", TEXTS)
def test_the_page_is_what_the_protocol_text_says(name: str, request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew the pages."""
    path = FOLDER / "protocols" / f"{name.replace('_', '-')}.md"
    if request.config.getoption("--rewrite"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(page(TEXTS[name]), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == page(TEXTS[name])
