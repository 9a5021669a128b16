"""The site has every document, a page for each rule with its traces drawn, and no link that leads nowhere.

Justified by CONTRIBUTING (`make docs`); Zensical, Setup (strict).
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.site import rule_pages
from conformance.site.building import SiteRefused, build, inside
from conformance.site.examples import examples_in
from spec.registry import BY_ID, FAMILIES, family_of

ROOT = Path(__file__).parents[3]
LOG = FAMILIES["log"]
RULE = BY_ID["client.read.acked_is_delivered"]
SMALL = replace(LOG, chapters={LOG.chapter_of[RULE.id]: (RULE,)})
"""The family, were this its only rule: pages of all take half a minute."""

QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The site of all documents, with one rule."""
    output = tmp_path_factory.mktemp("docs")
    build(ROOT, output, [SMALL])
    yield output / "site"
    shutil.rmtree(output)


def test_a_rule_has_its_formula_its_sql_and_both_its_traces() -> None:
    text = rule_pages.page(RULE, LOG, examples_in(ROOT / "examples" / "traces")[RULE.id])
    for part in (f"**{RULE.sentence}**", "acked ∧", '=== "spark"', '=== "duckdb"', "[ack](by-event.md#log-ack)"):
        assert part in text
    keeps, breaks = (
        text.partition(f"## A trace that {what} it\n")[2].partition("\n## ")[0] for what in ("keeps", "breaks")
    )
    assert ">deliver A</text>" in keeps
    assert "r1 (reader 1) was told that records are lost at e1n2." in breaks
    assert ">gap A</text>" in breaks


@pytest.mark.thorough
@pytest.mark.parametrize("rule", BY_ID)
def test_every_rule_has_a_page(rule: str) -> None:
    family = family_of(BY_ID[rule].view)
    shown = examples_in(ROOT / "examples" / "traces")[rule]
    text = rule_pages.page(BY_ID[rule], family, shown)
    assert [example.reason for example in shown if example.reason not in text] == []


def test_rules_are_listed_by_chapter_and_by_event() -> None:
    listed, by_event = rule_pages.index([LOG]), rule_pages.by_event([LOG])
    assert [rule.id for rule in LOG.rules if f"- [{rule.id}]({rule.id}.md): {rule.sentence}" not in listed] == []
    assert [rule.id for rule in LOG.rules if f"- [{rule.id}]({rule.id}.md)" not in by_event] == []


@pytest.mark.slow
def test_every_document_is_there_and_can_be_searched(site: Path) -> None:
    pages = {page.relative_to(site).with_suffix(".md").as_posix() for page in site.rglob("*.html")}
    assert [
        page for page in (ROOT / "docs").rglob("*.md") if page.relative_to(ROOT / "docs").as_posix() not in pages
    ] == []
    assert f"rules/{RULE.id}.md" in pages
    assert RULE.sentence in (site / "search.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_browser_shows_the_story(site: Path, tmp_path: Path) -> None:
    """Headless Chromium runs the page and draws it."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    page, picture = (site / "rules" / f"{RULE.id}.html").as_uri(), tmp_path / "page.png"
    words = [browser, *QUIET, f"--user-data-dir={tmp_path / 'profile'}"]
    drawn = subprocess.run(
        [*words, "--dump-dom", f"--screenshot={picture}", page], capture_output=True, text=True, check=True, timeout=120
    )
    assert ">gap A</text>" in drawn.stdout
    assert picture.stat().st_size > 10_000, "an empty page is smaller"


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    for part in ("docs", "docs/tutorial", "docs/how-to", "docs/explanation", "docs/reference"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "index.md").write_text("# Here\n\nSee [there](nowhere.md).\n")
    (tmp_path / "examples" / "traces").mkdir(parents=True)
    (tmp_path / "examples" / "traces" / "index.json").write_text('{"vectors": []}')
    with pytest.raises(SiteRefused, match=r"nowhere\.md"):
        build(tmp_path, tmp_path / "out", [])


def test_what_a_site_does_not_have_is_told_as_a_path(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "Makefile").write_text("")
    page = tmp_path / "docs" / "page.md"
    page.write_text("[the targets](../Makefile) [Makefile](../Makefile) [web](https://x.org) [here](page.md#a) [b](#b)")
    said = "the targets (`Makefile`) `Makefile` [web](https://x.org) [here](page.md#a) [b](#b)"
    assert inside(page, tmp_path) == said
