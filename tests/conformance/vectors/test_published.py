"""Published vectors: thousands of cases, each decided by the specification, that anybody can be held against.

Justified by docs/how-to/write-vectors.md, Published vectors.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.cli import main
from conformance.vectors.asking import ask, published
from conformance.vectors.errors import NoAnswers
from conformance.vectors.published.kinds import KINDS
from conformance.vectors.published.writing import TRACES, write
from conformance.vectors.run import Answer, run

SHARE = 0.02
PROGRAM = [sys.executable, str(Path(__file__).parents[3] / "examples/vectors/answering.py")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with some of the published vectors of each kind."""
    made: Path = tmp_path_factory.mktemp("published")
    write(made, share=SHARE)
    return made


def manifest(folder: Path) -> Any:
    """Return what the manifest says."""
    return json.loads((folder / "manifest.json").read_text())


def test_there_are_thousands() -> None:
    assert sum(kind.cases for kind in KINDS.values()) + TRACES >= 5000


def test_the_specification_agrees_with_all_of_them(folder: Path) -> None:
    report = run(published(folder))
    assert {one.answer for one in report.judged} == {Answer.AGREES}
    assert len(report.judged) == manifest(folder)["cases"]


def test_each_file_has_both_signs_a_rule_a_schema_and_a_sum(folder: Path) -> None:
    for one in manifest(folder)["files"]:
        text = (folder / one["file"]).read_text()
        content, schema = json.loads(text), json.loads((folder / one["schema"]).read_text())
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(content)
        assert hashlib.sha256(text.encode()).hexdigest() == one["sha256"]
        assert one["positive"] > 0
        assert one["negative"] > 0
        assert all(case["rule"] or case["sign"] == "positive" for case in content["vectors"])
        assert not Draft202012Validator(schema).is_valid({**content, "vectors": [{"id": 7}]})


def test_a_seed_decides_them(folder: Path, tmp_path: Path) -> None:
    assert write(tmp_path / "same", share=SHARE) == manifest(folder)
    assert write(tmp_path / "other", seed=2, share=SHARE)["files"] != manifest(folder)["files"]


def test_an_implementation_is_asked_without_the_answers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["vectors", "run", str(folder / "copysets.json"), "--adapter", " ".join(PROGRAM)])
    said = capsys.readouterr().out
    assert code == 0
    assert "not applicable: the program does not read replication.RACK" in said
    assert ", 0 disagree, " in said
    assert not said.startswith("0 agree")


def test_a_wrong_answer_and_none_are_told(folder: Path, tmp_path: Path) -> None:
    program = tmp_path / "wrong.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    said = json.loads(line)\n"
        "    assert 'expected' not in said.get('case', {}) and 'sign' not in said.get('case', {})\n"
        "    if said.get('id') != 1:\n"
        "        print(json.dumps({'id': said['id'], 'answer': None} if 'id' in said else said))\n"
    )
    report = ask([sys.executable, str(program)], published(folder))
    assert report.count(Answer.REFUSED) == 1
    assert report.count(Answer.DISAGREES) == len(report.judged) - 1
    for argv, why in ((["/nowhere"], "gives no answers"), ([sys.executable, "-c", ""], "does not speak of vectors")):
        with pytest.raises(NoAnswers, match=why):
            ask(argv, published(folder))
