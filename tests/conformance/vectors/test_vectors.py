"""Vectors: the specification agrees with every case that it has a chapter for, and says so only when it looked.

The project's own cases are sentences of LogDevice, Read path; the others, where they are at hand, come from the tests
of LogDevice and BookKeeper.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from conformance.vectors.cases import read
from conformance.vectors.errors import DamagedVectors, UnknownVectors, VectorsError, VectorsNotReadable
from conformance.vectors.run import Answer, Report, run
from conformance.vectors.schemas import SCHEMAS, schema_of
from spec.verdicts import ExitCode

OWN = Path(__file__).parents[3] / "examples" / "vectors" / "f_majority.json"


@pytest.fixture
def cases() -> dict[str, Any]:
    """The project's own file, to be changed."""
    content: dict[str, Any] = json.loads(OWN.read_text(encoding="utf-8"))
    return content


def written(folder: Path, content: object, name: str = "vectors.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_our_own_cases_agree() -> None:
    """Five nodes, five racks, and the statuses, as the document tells them."""
    report = run([OWN])
    assert list(report.lines()) == ["12 agree, 0 disagree, 0 not applicable"]
    assert report.exit_code is ExitCode.HOLDS


FAMILIES = ("bookkeeper", "logdevice", "synnax")
"""The folders of systems whose cases have schemas."""


def vectors_of(shared: Path) -> list[Path]:
    """Every file of cases of these systems."""
    return sorted(path for family in FAMILIES for path in (shared / "vectors" / family).glob("*.json"))


def test_cases_of_real_systems(shared: Path) -> None:
    """All cases of every chapter that there is, and no other file is overlooked."""
    paths = vectors_of(shared)
    report = run(paths)
    print(*report.lines(), sep="\n")
    assert report.count(Answer.DISAGREES) == 0
    judged = {one.file for one in report.judged if one.answer in (Answer.AGREES, Answer.EXPLAINED)}
    assert judged == {path.name for path in paths if schema_of(read(path)).seen}
    assert report.count(Answer.AGREES) >= 80
    assert {one.file for one in report.judged} == {path.name for path in paths}
    assert all("no chapter for" in one.reason for one in report.judged if one.answer is Answer.NOT_APPLICABLE)


OURS = frozenset({"client history"})
"""Kinds of which cases are only published here: no system has any of that form."""


def test_a_file_for_each_schema(shared: Path) -> None:
    """Each known kind is the kind of some file of a system, but ours, and traces, which are files of their own."""
    names = {schema_of(read(path)).name for path in vectors_of(shared)}
    assert names == {schema.name for schema in SCHEMAS if not schema.seen_in} - OURS


def test_a_disagreement_is_told(cases: dict[str, Any], tmp_path: Path) -> None:
    """One line for each, with what was expected and seen, and how certain the expectation is."""
    cases["vectors"][0]["expected"] = "AUTHORITATIVE_COMPLETE"
    cases["vectors"][9] |= {"expected": "NOT:NONE", "derived": True}
    cases["vectors"][11] |= {"expected": False, "certain": False}
    report = run([written(tmp_path, cases)])
    assert list(report.lines()) == [
        "vectors.json: five-nodes-two-answered disagrees: expected AUTHORITATIVE_COMPLETE, seen NONE",
        "vectors.json: silent-node-unavailable disagrees: expected NOT:NONE, seen NONE (derived, not from a test)",
        "vectors.json: copyset-in-two-racks disagrees: expected False, seen True (expectation uncertain)",
        "9 agree, 3 disagree, 0 not applicable",
    ]
    assert report.exit_code is ExitCode.VIOLATED


def test_a_case_that_is_refused_does_not_hide_one_that_disagrees(cases: dict[str, Any], tmp_path: Path) -> None:
    """The worst counts: ``Report.exit_code``."""
    cases["vectors"][9]["op"] = "isWhat"
    assert run([written(tmp_path, cases)]).exit_code is ExitCode.USAGE
    cases["vectors"][0]["expected"] = "AUTHORITATIVE_COMPLETE"
    assert run([written(tmp_path, cases)]).exit_code is ExitCode.VIOLATED


def test_cases_beyond_the_first_list_are_counted(cases: dict[str, Any], tmp_path: Path) -> None:
    """Other lists of a file are no chapter of ours, but they are there."""
    cases["scenarios"] = [{"id": "one"}, {"id": "two"}]
    report = run([written(tmp_path, cases), OWN])
    assert list(report.lines())[-1] == "24 agree, 0 disagree, 2 not applicable"
    assert report.exit_code is ExitCode.HOLDS


def test_what_is_only_not_applicable_is_said(tmp_path: Path) -> None:
    """A file is recognised by its cases, whatever its name."""
    case = {"kind": "coverage_table", "input": {}, "expected": {}}
    report = run([written(tmp_path, {"vectors": [{"id": "a", **case}, {"id": "b", **case, "note": ""}]})])
    assert list(report.lines()) == [
        "vectors.json: 2 not applicable: no chapter for cases of this form",
        "0 agree, 0 disagree, 2 not applicable",
    ]


def test_nothing_at_all() -> None:
    """No files, no verdict."""
    assert Report(()).exit_code is ExitCode.NOTHING_CHECKED
    assert run([]).exit_code is ExitCode.NOTHING_CHECKED


Change = Callable[[dict[str, Any]], Any]


def change(**parts: Any) -> Change:
    """The first case with other parts."""

    def changed(content: dict[str, Any]) -> dict[str, Any]:
        content["vectors"][0] |= parts
        return content

    return changed


def without(name: str) -> Change:
    """The first case without a part."""

    def changed(content: dict[str, Any]) -> dict[str, Any]:
        del content["vectors"][0][name]
        return content

    return changed


@pytest.mark.parametrize(
    ("damage", "error", "told"),
    [
        (lambda _: [], UnknownVectors, "no list 'vectors'"),
        (lambda _: {"vectors": []}, UnknownVectors, "no list 'vectors'"),
        (lambda _: {"vectors": [1]}, UnknownVectors, "no list 'vectors'"),
        (lambda _: {"vectors": [{"id": "a", "colour": "red"}]}, UnknownVectors, "all cases have colour, id"),
        (lambda _: {"vectors": [{"id": "a", "kind": "riddle"}]}, UnknownVectors, "of no known kind"),
        (without("expected"), UnknownVectors, "of no known kind"),
        (without("id"), DamagedVectors, "case 0"),
        (change(id=3), DamagedVectors, "case 0"),
        (change(id="five-nodes-all-answered"), DamagedVectors, "five-nodes-all-answered"),
    ],
)
def test_damaged_files_are_refused(
    cases: dict[str, Any], tmp_path: Path, damage: Change, error: type[VectorsError], told: str
) -> None:
    """Each with its name, the file, the case, and what to try: never a crash, never a pass."""
    path = written(tmp_path, damage(deepcopy(cases)))
    with pytest.raises(error) as caught:
        run([OWN, path])
    assert told in str(caught.value)
    assert caught.value.where.startswith(str(path))
    assert caught.value.advice


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (change(op="isMajority"), "'isMajority'"),
        (change(op=None), "op is None. Try: one of"),
        (change(expected="MAYBE"), "'MAYBE'"),
        (change(expected="NOT:MAYBE"), "'NOT:MAYBE'"),
        (change(expected=True), "True"),
        (change(op="canReplicate", expected=1), "no such answer"),
        (change(op="canReplicate", expected="NOT:True"), "no such answer"),
        (change(tagged_shards=["N9"]), "'N9'"),
        (change(tagged_shards="N1"), "tagged_shards is 'N1'. Try: a list"),
        (change(attributes={"N1": "A"}, predicate_attributes=["A"]), "contradicts itself"),
        (change(authoritative_status={"N9": "UNAVAILABLE"}), "'N9'"),
        (change(authoritative_status={"N1": "ASLEEP"}), "'ASLEEP'"),
        (change(replication={"SHELF": 2}), "'SHELF'"),
        (change(replication={"NODE": "three"}), "replication.NODE is 'three'"),
        (change(replication={"NODE": -1}), "replication.NODE is -1"),
        (change(shards={"N3": {}, "N5": {}}), "shards.N3.node is missing"),
        (
            change(tagged_shards=["N3"], shards={"N3": {"node": 1, "location": "a.b.c.d.e.f"}}),
            "6 parts",
        ),
        (
            change(tagged_shards=["N3"], shards={"N3": {"node": 1, "location": 7}}),
            "location is 7",
        ),
        (change(tagged_shards=["N3"], shards={"N3": None}), "shards.N3 is None"),
    ],
)
def test_a_damaged_case_is_refused_alone(cases: dict[str, Any], tmp_path: Path, damage: Change, told: str) -> None:
    """With the file, the case, and what to try: never a crash, never a pass; the others are judged."""
    path = written(tmp_path, damage(deepcopy(cases)))
    report = run([path])
    (refused,) = (one for one in report.judged if one.answer is Answer.REFUSED)
    assert told in refused.reason
    assert refused.reason.startswith(f"{path}, case {refused.case}: ")
    assert ". Try: " in refused.reason
    assert report.count(Answer.AGREES) == len(report.judged) - 1 > 0
    assert report.exit_code is ExitCode.USAGE
    assert list(report.lines())[-1].endswith(", 1 refused")


NESTED = b'{"vectors": [{"id": "a", "more": ' + b"[" * 60 + b"]" * 60 + b"}]}"


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b'{"vectors": [', b"\xff\xfe", b"[" * 100_000, NESTED),
        b'{"vectors": [{"id": "a", "number": ' + b"9" * 5000 + b"}]}",
        b'{"vectors": [{"id": "\\ud800"}]}',
    ],
)
def test_files_that_are_no_json(tmp_path: Path, content: bytes) -> None:
    """Cut off, binary, nested beyond reason, with a number beyond reason, or with half a character."""
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(VectorsNotReadable, match=r"broken\.json"):
        run([path])


def test_a_folder_stands_for_its_files(tmp_path: Path) -> None:
    """By name, each once; what does not end in .json is none of them."""
    for name in ("second.json", "first.json", "notes.txt"):
        (tmp_path / name).write_bytes(OWN.read_bytes())
    assert run([tmp_path]) == run([tmp_path / "first.json", tmp_path / "second.json"])


def test_files_that_are_not_there(tmp_path: Path) -> None:
    """A missing file and a folder without any."""
    for path in (tmp_path / "nowhere.json", tmp_path):
        with pytest.raises(VectorsNotReadable, match="cannot be read"):
            run([path])
