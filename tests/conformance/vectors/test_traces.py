"""Traces as vectors: an index is held against what the rules say of each file, and is refused where it is broken.

docs/how-to/write-vectors.md, Traces. The published traces are judged in tests/examples.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.corpus_of_traces import FOLDER
from tests.support.vector_files import Case, judged, refusal, shake

SKIP = FOLDER / "broken" / "silent_skip.jsonl"
DAMAGE = FOLDER / "damaged" / "cut_short.jsonl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two traces: one that is violated, and one that is cut."""
    folder = tmp_path_factory.mktemp("traces")
    for path in (SKIP, DAMAGE):
        shutil.copy(path, folder)
    return folder


def case(**fields: object) -> Case:
    """What an index says of the trace in which a reader goes on over a record."""
    right = {"file": SKIP.name, "verdict": "violated", "rule": "client.read.acked_is_delivered", "reason": "Skipped."}
    return {name: value for name, value in (right | fields).items() if value is not None}


def test_an_index_that_is_right_agrees(folder: Path) -> None:
    damaged = case(file=DAMAGE.name, verdict="unknown", rule=None)
    assert judged(folder, case(), damaged) == ["2 agree, 0 disagree, 0 not applicable"]


def test_another_verdict_disagrees(folder: Path) -> None:
    """So does another rule, and one that nothing in the trace is about."""
    (line, _) = judged(folder, case(verdict="holds"))
    assert "expected holds, seen violated; client.read.acked_is_delivered: expected holds, seen violated" in line
    (line, _) = judged(folder, case(rule="client.read.repeatable"))
    assert line.endswith("client.read.repeatable: expected violated, seen holds")
    (line, _) = judged(folder, case(rule="log.seal.fences"))
    assert line.endswith("log.seal.fences is not judged: not promised by this system")


def test_damage_is_expected_or_disagrees(folder: Path) -> None:
    (line, _) = judged(folder, case(file=DAMAGE.name))
    assert "seen damage: " in line
    assert "cut_short.jsonl, line 5: 1 of 4 events are missing" in line
    (line, _) = judged(folder, case(verdict="unknown", rule=None))
    assert line.endswith("expected damage, seen violated")


@pytest.mark.parametrize("file", ["absent.jsonl", "../mine.json", "/etc/hosts", "a\0b", "x" * 5000, "", 7, None])
def test_a_file_elsewhere_is_refused(folder: Path, file: object) -> None:
    """Only what lies beside the index is read."""
    if file is None:
        assert "a case lacks a part" in refusal(folder, case() | {"file": None})
    else:
        assert "file" in refusal(folder, case(file=file))


def test_a_verdict_without_its_rule_is_refused(folder: Path) -> None:
    assert "rule is missing" in refusal(folder, case(rule=None))
    assert "no such name" in refusal(folder, case(rule="client.read.acked"))
    assert "no such name" in refusal(folder, case(verdict="fine"))


@given(data=st.data())
def test_a_damaged_index_is_judged_or_refused(folder: Path, data: st.DataObject) -> None:
    """By name, whatever is missing, doubled, renamed, or of another kind, and never with a crash."""
    shake(folder, data, case(), case(file=DAMAGE.name, verdict="unknown", rule=None))
