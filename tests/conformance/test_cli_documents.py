"""Documents with commands keep their word: each line is run as it stands, and says what the document shows.

In a block marked ``console``, a line that begins with ``$`` is a command; the lines below it stand in its output, in
this order. Blocks of JSON are the file that the text names.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.cli import main, parser

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/how-to/*.md")), *sorted(ROOT.glob("docs/tutorial/*.md"))]
BLOCK = re.compile(r"^```(console|json)\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
FILES = {
    "judge-your-own-log.md": "trace.jsonl",
    "judge-a-segment-layer.md": "strain.jsonl",
    "replay-a-trace.md": "ledgers.jsonl",
    "write-vectors.md": "mine.json",
    "import-a-client-history.md": "history.jsonl",
    "audit-a-bookkeeper-cluster.md": "placement.json",
}
"""The file that a document's block of JSON is."""

NOT_RUN = (
    *("quorate record", "recording/trace.parquet", "--engine spark", "submit", "yours.jsonl", "nats.parquet"),
    *("bookkeeper.parquet", "zk+hierarchical"),
)
"""What needs minutes, Java, a running system, or the reader's own trace; such a command must still be understood."""

Output = pytest.CaptureFixture[str]


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a block, with the lines that its output has."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *shown = part.rstrip("\n").split("\n")
        yield command, shown


@pytest.mark.skipif(not (ROOT / "examples").is_dir(), reason="the recordings are not beside these tests")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_say_what_the_document_shows(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for kind, text in BLOCK.findall(document.read_text()):
        if kind == "json":
            Path(FILES[document.name]).write_text(text)
            continue
        for command, shown in commands(text):
            words = shlex.split(command)
            if words[0] != "quorate":
                continue
            arguments, rest = parser().parse_known_args(words[1:])
            assert not rest or arguments.takes_bounds, command
            if any(part in command for part in NOT_RUN):
                continue
            code = main(words[1:])
            said = capsys.readouterr()
            assert code in (0, 1), f"{command}: {said.err}"
            lines = iter(said.out.splitlines())
            assert [line for line in shown if line not in lines] == [], command


def test_the_judge_of_commands_is_awake() -> None:
    assert list(commands("$ quorate rules\na\nb\n$ quorate demo\n")) == [
        ("quorate rules", ["a", "b"]),
        ("quorate demo", []),
    ]
