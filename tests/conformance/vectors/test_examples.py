"""Examples of vectors, in files and in the document: every kind that can be judged has some, and all of them agree.

They are the project's own cases, each with the sentence that it is from.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.cases import read
from conformance.vectors.errors import VectorsError
from conformance.vectors.run import Answer, run
from conformance.vectors.schemas import SCHEMAS, schema_of
from tests.support.vector_files import shake

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples" / "vectors").glob("*.json"))
DOCUMENT = ROOT / "docs" / "how-to" / "write-vectors.md"
BLOCKS = re.findall(r"^```json\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
JUDGED = sorted(schema.name for schema in SCHEMAS if schema.seen)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_agrees(path: Path) -> None:
    """No case disagrees, or is left out; each says where it is from."""
    report = run([path])
    print(*report.lines(), sep="\n")
    assert {one.answer for one in report.judged} == {Answer.AGREES}
    file = read(path)
    assert [case["id"] for case in (*file.main, *file.others) if not case.keys() & {"source", "source_file"}] == []


def test_every_kind_has_an_example() -> None:
    """One file for each."""
    assert sorted(schema_of(read(path)).name for path in EXAMPLES) == JUDGED


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@given(data=st.data())
def test_a_damaged_example_is_judged_or_refused(
    tmp_path_factory: pytest.TempPathFactory, path: Path, data: st.DataObject
) -> None:
    """By name, whatever is missing, doubled, renamed, or of another kind, and never with a crash."""
    shake(tmp_path_factory.getbasetemp(), data, *read(path).main)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), is_cut=st.booleans())
def test_a_garbled_example_is_judged_or_refused(
    tmp_path_factory: pytest.TempPathFactory, path: Path, place: float, byte: int, is_cut: bool
) -> None:
    """By name, wherever it is cut, and whatever byte stands in place of another."""
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] = byte
    garbled = tmp_path_factory.getbasetemp() / "garbled.json"
    garbled.write_bytes(content[: int(place * len(content))] if is_cut else content)
    with suppress(VectorsError):
        assert run([garbled]).judged


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: json.loads(block)["vectors"][0]["id"])
def test_every_block_of_the_document_agrees(block: str, tmp_path: Path) -> None:
    """As it stands there."""
    path = tmp_path / "mine.json"
    path.write_text(block, encoding="utf-8")
    assert {one.answer for one in run([path]).judged} == {Answer.AGREES}


def test_the_document_shows_every_kind(tmp_path: Path) -> None:
    """One block for each."""
    path = tmp_path / "mine.json"
    kinds = []
    for block in BLOCKS:
        path.write_text(block, encoding="utf-8")
        kinds.append(schema_of(read(path)).name)
    assert sorted(kinds) == JUDGED
