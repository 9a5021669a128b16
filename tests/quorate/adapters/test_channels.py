"""Programs that are segment layers, asked in JSON lines: docs/how-to/compare-configurations.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.segment.comparing import MODEL, Systems, channels_of
from conformance.segment.generating import random_script
from conformance.segment.model import Model
from conformance.segment.searching import search
from conformance.segment.text import script_of
from quorate.adapters.channels import CommandChannels, question_of, started
from quorate.adapters.errors import AdapterDied, AdapterError, AdapterFailed, AdapterNonsense

SAMPLE = Path(__file__).parents[3] / "examples" / "segments" / "memory.py"
HELLO = """import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    if "quorate_adapter" in ask:
        print('{"quorate_adapter": 1}', flush=True)
        continue
    %s
"""
"""A program that says the right hello, and then something."""


@contextmanager
def systems_of(path: Path) -> Iterator[Systems]:
    """The model, and the program in a file."""
    program = started([sys.executable, str(path)], timeout_s=20)
    try:
        yield {MODEL: lambda _: Model(), "program": lambda script: CommandChannels(program, channels_of(script))}
    finally:
        program.end()


def test_the_sample_says_what_the_model_says() -> None:
    """It was written without quorate, so it is a second opinion on the definition, too."""
    with systems_of(SAMPLE) as systems:
        assert search(lambda _: systems, range(60)) is None


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("if time >= start]", "if time > start]"),
        ("self.waiting.pop(channel, None)", "pass"),
        ('"ok": all(oks)', '"ok": oks[-1]'),
    ],
)
def test_a_mistake_in_it_is_found(right: str, wrong: str, tmp_path: Path) -> None:
    """A sample that is lost, what another writer has left, and one channel's answer for all."""
    text = SAMPLE.read_text(encoding="utf-8")
    assert right in text
    path = tmp_path / "wrong.py"
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    with systems_of(path) as systems:
        found = search(lambda _: systems, range(60), enough=1)
    assert found is not None
    assert len(found.script) <= 6


@pytest.mark.parametrize(
    ("deed", "error"),
    [
        ("""print(json.dumps({"id": ask["id"], "ok": 1}), flush=True)""", AdapterNonsense),
        ("""print(json.dumps({"id": ask["id"], "ok": True, "read": {"z": [1]}}), flush=True)""", AdapterNonsense),
        ("""print(json.dumps({"id": ask["id"], "ok": True, "read": {"a": ["1"]}}), flush=True)""", AdapterNonsense),
        ("""print(json.dumps({"id": ask["id"], "error": "no disk"}), flush=True)""", AdapterFailed),
        ("raise SystemExit(3)", AdapterDied),
    ],
)
def test_a_program_that_says_nothing_of_meaning(deed: str, error: type[AdapterError], tmp_path: Path) -> None:
    """A named error, never a verdict on its channels."""
    path = tmp_path / "program.py"
    path.write_text(HELLO % deed, encoding="utf-8")
    with systems_of(path) as systems, pytest.raises(error):
        systems["program"](script_of("put a 1")).does(script_of("put a 1")[0])


def test_every_operation_is_a_question() -> None:
    """With all that it says, and with units."""
    script = script_of("iterate i a in 0 9 by 2\nge i 3\nnext i 5\nprev i\nwrite w a 1 2\nclose i")
    assert [question_of(operation) for operation in script] == [
        ("iterate", {"iterator": "i", "channels": ["a"], "start_ns": 0, "end_ns": 9, "chunk": 2}),
        ("ge", {"name": "i", "time_ns": 3}),
        ("next", {"name": "i", "span_ns": 5}),
        ("prev", {"name": "i"}),
        ("write", {"writer": "w", "channel": "a", "times_ns": [1, 2]}),
        ("close", {"name": "i"}),
    ]
    words = {question_of(operation)[0] for seed in range(20) for operation in random_script(seed)}
    assert words >= {"put", "open", "write", "commit", "iterate", "read", "first", "last", "le", "close"}


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """A program in place of the reference machine; one that is none is named, and no defect is planted in it."""
    program = f"{sys.executable} {SAMPLE}"
    assert main(["metamorphic", "--seeds", "3", "--command", program]) == 0
    assert capsys.readouterr().out == "3 scripts, your program: each says what the model says\n"
    assert main(["metamorphic", "--seeds", "3", "--command", "no-such-program"]) == 2
    assert "it cannot be started" in capsys.readouterr().err
    assert main(["metamorphic", "--command", program, "--defect", "end_of_file_at_border"]) == 4
