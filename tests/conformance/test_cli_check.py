"""``quorate check`` of several traces, of standard input and gzip, in each form; and the words that shells complete.

Justified by docs/how-to/judge-your-own-log.md, Hand it on.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from conformance.cli import main
from conformance.cli_check import FORMS
from tests.support.corpus_of_traces import FOLDER

BROKEN, HOLDS = FOLDER / "broken" / "client_order.jsonl", FOLDER / "rules" / "client.append.client_order.holds.jsonl"


def test_of_several_the_worst_counts_and_each_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(HOLDS), str(HOLDS)]) == 0
    assert main(["check", str(HOLDS), str(BROKEN), "nowhere.jsonl"]) == 1
    said = capsys.readouterr()
    assert said.out.count("verdict: holds") == 3
    assert said.out.count("verdict: violated") == 1
    assert "no such file" in said.err
    assert main(["check", str(HOLDS), "nowhere.jsonl"]) == 2


def test_gzip_and_standard_input_are_read_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.gz").write_bytes(gzip.compress(BROKEN.read_bytes()))
    assert main(["check", str(tmp_path / "t.gz")]) == 1
    (tmp_path / "t.gz").write_bytes(gzip.compress(BROKEN.read_bytes())[:-20])
    assert main(["check", str(tmp_path / "t.gz")]) == 2
    assert "the last gzip frame is cut short" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.read_bytes())))
    assert main(["check", "-", "--format", "github"]) == 1
    assert capsys.readouterr().out.startswith("::error file=-,")


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_printed(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(BROKEN), "--format", form]) == 1
    assert "client.append.client_order" in capsys.readouterr().out


def test_reports_in_json_keep_to_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", "schema", "report"]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    for traces in ([BROKEN], [HOLDS], [BROKEN, HOLDS], ["nowhere.jsonl"]):
        main(["check", *map(str, traces), "--format", "json"])
        Draft202012Validator(schema).validate(json.loads(capsys.readouterr().out))
    with pytest.raises(Exception, match="is not valid under any of the given schemas"):
        Draft202012Validator(schema).validate({"quorate_report": "1.0", "verdict": "perhaps"})


def test_a_whole_file_is_followed_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(BROKEN), "--follow"]) == 1
    verdict, rule = capsys.readouterr().out.splitlines()
    assert "7 events  verdict: violated" in verdict
    assert rule.strip().startswith("client.append.client_order: Of two appends")


WRONG = {
    "Spark tells no stories": ["--engine", "spark", "--format", "html"],
    "--follow with more": ["--follow", "--format", "json"],
    "--output of several traces": ["other.jsonl", "--output", "reports"],
}


@pytest.mark.parametrize("what", WRONG)
def test_options_that_contradict_each_other_are_refused(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(HOLDS), *WRONG[what]]) == 4
    assert f"quorate: {what}" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_completes_commands_options_and_their_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    asked = {"quorate chec": "check", "quorate check --form": "--format", "quorate check --format sa": "sarif"}
    for words, word in {**asked, "quorate trace va": "validate", "quorate completion z": "zsh"}.items():
        said = f"COMP_WORDS=({words}); COMP_CWORD={len(words.split()) - 1}; _quorate; echo ${{COMPREPLY[@]}}"
        shown = subprocess.run(["bash", "-c", f"{script}\n{said}"], capture_output=True, text=True, check=True)
        assert shown.stdout.split() == [word]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_scripts_of_their_own(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "explain" in capsys.readouterr().out
