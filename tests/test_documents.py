"""The documents keep their word: links lead somewhere, and the commands they show exist."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

FENCED = re.compile(r"^```.*?^```", flags=re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", flags=re.MULTILINE)
MAKE = re.compile(r"(?:`|^(?:\$ )?)make ([a-z]+)(?=`| *(?:#|$))", flags=re.MULTILINE)
"""A make command in running text (between backticks) or on a line of its own."""


def label(path: Path) -> str:
    """Return a document's path as a person would write it."""
    return path.relative_to(ROOT).as_posix()


def anchor(heading: str) -> str:
    """Return the name under which a heading can be linked."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    """Return the names under which the headings of a document can be linked."""
    return set(map(anchor, HEADING.findall(FENCED.sub("", text))))


def broken_links(document: Path, text: str) -> list[str]:
    """Return the links inside the project that lead to no file or to no heading."""
    broken = []
    for link in LINK.findall(FENCED.sub("", text)):
        target, _, section = link.partition("#")
        if ":" in target:
            continue  # another site's affair
        aim = (document.parent / target).resolve() if target else document
        found = aim.exists() and (not section or section in anchors(aim.read_text()))
        broken += [] if found else [link]
    return broken


def targets() -> set[str]:
    """Return what make can be asked for."""
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))


@pytest.mark.parametrize("document", DOCUMENTS, ids=label)
def test_links_lead_somewhere(document: Path) -> None:
    """Every link to a file or heading of the project finds it."""
    assert broken_links(document, document.read_text()) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=label)
def test_make_targets_exist(document: Path) -> None:
    """Whoever pastes a make command from a document gets what it says."""
    assert set(MAKE.findall(document.read_text())) <= targets()


def test_every_page_is_reachable() -> None:
    """Each page below docs is linked from another document: nobody finds a page by accident."""
    linked = {
        (document.parent / link.partition("#")[0]).resolve()
        for document in DOCUMENTS
        for link in LINK.findall(document.read_text())
    }
    assert [label(page) for page in (ROOT / "docs").rglob("*.md") if page.resolve() not in linked] == []


def test_every_target_says_what_it_does() -> None:
    """Bare `make` lists every target with one line."""
    described = set(re.findall(r"^([a-z]+):.*## \S", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert described == targets()


def test_readme_names_the_test_command_that_ci_runs() -> None:
    """What a newcomer is told to run is what continuous integration runs."""
    assert "make test" in (ROOT / ".ci" / "run").read_text()
    assert re.search(r"^make test\b", (ROOT / "README.md").read_text(), flags=re.MULTILINE)


def test_changelog_knows_the_version() -> None:
    """The version that is built has an entry that says what it brings."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()


def test_headings_are_plain() -> None:
    """A heading is a name that one can say and link: no dash inside a title, no full stop behind it."""
    odd = [
        f"{label(document)}: {heading}"
        for document in DOCUMENTS
        for heading in HEADING.findall(FENCED.sub("", document.read_text()))
        if "\u2014" in heading or heading.endswith(".")
    ]
    assert odd == []


def test_the_judge_of_links_is_awake(tmp_path: Path) -> None:
    """It finds a missing file and a missing heading, and lets the web and code alone."""
    page = tmp_path / "page.md"
    page.write_text("# Here we are\n")
    text = "[a](page.md) [b](none.md) [c](page.md#here-we-are) [d](page.md#there) [e](https://x.org/y)\n```\n[f](z.md)\n```\n"
    assert broken_links(page, text) == ["none.md", "page.md#there"]
    assert MAKE.findall("`make demo`\nmake test  # all\nto make sure") == ["demo", "test"]
