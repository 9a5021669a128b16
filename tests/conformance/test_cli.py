"""The command: exit codes tell what happened, mistakes are answered with advice, and nothing ends in a trace of calls.

Justified by the promise of three-valued verdicts: whatever is wrong with an input, it is never judged as a pass.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from argparse import _SubParsersAction
from collections.abc import Iterator
from io import StringIO
from itertools import takewhile
from pathlib import Path

import pytest

from conformance.cli import main, parser
from conformance.cli_parts import Parser, Progress
from spec.events import Ack
from spec.log.family import LOG
from spec.promises import BESIDES, PROMISES
from spec.registry import RULES
from spec.segment.family import SEGMENT
from tests.suite.caught import Catches
from tests.support.damage import DAMAGES, EXPECTED
from tests.support.damage_lines import Damage
from tests.support.small_traces import lost, sound, write
from tests.support.tiny import at

LOST = "client.read.acked_is_delivered"
Output = pytest.CaptureFixture[str]


def all_parsers(top: Parser, name: str = "quorate") -> Iterator[tuple[str, Parser]]:
    """Every command with its parser."""
    yield name, top
    for action in top._actions:
        if isinstance(action, _SubParsersAction):
            for word, below in action.choices.items():
                yield from all_parsers(below, f"{name} {word}")


def test_bare_command_is_help(capsys: Output) -> None:
    assert main([]) == 0
    assert "check" in capsys.readouterr().out


def test_the_version_is_told(capsys: Output) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("quorate 0.")


def test_every_help_ends_with_an_example_that_is_understood() -> None:
    """An example that the command would refuse is worse than none."""
    for name, one in all_parsers(parser()):
        _, _, example = (one.epilog or "").rpartition("Example: ")
        assert example.startswith("quorate "), name
        arguments, rest = parser().parse_known_args(shlex.split(example)[1:])
        assert not rest or arguments.takes_bounds, name


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["chek"], "check"),
        (["check", "x", "--formt", "json"], "--format"),
        (["check", "x", "--engine", "colums"], "columns"),
        (["check", "x", "--rule", "client.read.in_ordr"], "client.read.in_order"),
        (["rules", "show", "log.seal.fence"], "log.seal.fences"),
        (["simulate", "--topology", "rack6"], "racks6"),
        (["check"], "--help"),
        (["check", "x", "--plan", "sql"], "--engine spark"),
        (["simulate", "--replication", "node"], "node=3"),
    ],
)
def test_mistakes_are_answered_with_advice(words: list[str], advice: str, capsys: Output) -> None:
    assert main(words) == 4
    said = capsys.readouterr()
    assert advice in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize("engine", ["columns", "python"])
def test_check_tells_by_exit_code_and_last_line(tmp_path: Path, engine: str, capsys: Output) -> None:
    good, bad = write(tmp_path / "good.jsonl", sound()), write(tmp_path / "bad.jsonl", lost())
    assert main(["check", str(good), "--engine", engine]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("verdict: holds")
    assert main(["check", str(bad), "--engine", engine]) == 1
    said = capsys.readouterr().out
    assert said.splitlines()[-1].startswith("verdict: violated")
    assert "\x1b" not in said


@pytest.mark.parametrize(("limit", "code"), [("-1", 4), ("x", 4), ("1.5", 4), ("0", 1)])
def test_a_limit_is_a_number_from_0(tmp_path: Path, limit: str, code: int) -> None:
    """``conformance.cli_check.count``: 4 says that the command was not understood."""
    bad = str(write(tmp_path / "bad.jsonl", lost()))
    assert main(["check", bad, "--rule", LOST, f"--limit={limit}"]) == code


def test_colour_is_shown_only_where_it_is_wanted(tmp_path: Path, capsys: Output) -> None:
    bad = str(write(tmp_path / "bad.jsonl", lost()))
    main(["check", bad, "--color", "always"])
    assert "\x1b[31m" in capsys.readouterr().out


def test_check_as_json(tmp_path: Path, capsys: Output) -> None:
    bad = write(tmp_path / "bad.jsonl", lost())
    out = tmp_path / "out"
    assert main(["check", str(bad), "--format", "json", "--output", str(out), "--rule", "client.*"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == "violated"
    assert all(rule["id"].startswith("client.") for rule in said["rules"])
    assert json.loads((out / "report.json").read_text()) == said


def test_the_line_under_a_violation_tells_its_story(tmp_path: Path, capsys: Output) -> None:
    bad = write(tmp_path / "bad.jsonl", lost())
    main(["check", str(bad)])
    line = next(line.strip() for line in capsys.readouterr().out.splitlines() if "quorate explain" in line)
    assert main(shlex.split(line)[1:]) == 1
    assert "Reader 3 passed over e1n1" in capsys.readouterr().out


def test_explain_tells_losses_in_a_row_once(tmp_path: Path, capsys: Output) -> None:
    """The story is that of the first, and says how far the loss goes."""
    more = [at(Ack, 1, esn, writer=7, digest=100 + esn, copyset=frozenset[int](), required=1) for esn in range(2, 31)]
    assert main(["explain", str(write(tmp_path / "bad.jsonl", [*lost(), *more])), "--rule", LOST]) == 1
    said = capsys.readouterr().out
    assert "LSN e1n1 (epoch 1" in said
    assert "The same: log 1 (orders), LSN e1n1 to e1n30: 30 in a row, told once" in said.splitlines()


def test_explain_finds_a_violation_itself(tmp_path: Path, capsys: Output) -> None:
    bad, good = write(tmp_path / "bad.jsonl", lost()), write(tmp_path / "good.jsonl", sound())
    assert main(["explain", str(bad)]) == 1
    said = capsys.readouterr().out
    assert "n0 died." in said
    assert "The same:" not in said
    assert main(["explain", str(good)]) == 0
    assert main(["explain", str(bad), "--rule", LOST, "--key", "1,e1n1"]) == 1
    assert main(["explain", str(good), "--rule", LOST, "--key", "1,e1n1"]) == 2, "the record does not show it"
    assert main(["explain", str(bad), "--rule", LOST, "--key", "1"]) == 4
    assert main(["explain", str(bad), "--key", "1,e1n1"]) == 4


@pytest.mark.parametrize("engine", ["columns", "python"])
@pytest.mark.parametrize(("name", "damage"), DAMAGES, ids=[name for name, _ in DAMAGES])
def test_no_damage_is_ever_a_pass(
    name: str, damage: Damage, engine: str, tmp_path: Path, capsys: Output, catches: Catches
) -> None:
    """Forty ways to damage a trace: each ends with a named error or an unknown, in text and in JSON."""
    target = tmp_path / "damaged"
    damage(small_trace(tmp_path), target)
    assert main(["check", str(target), "--engine", engine, "--format", "json"]) == 2
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["verdict"] == "unknown"
    assert "Traceback" not in said.err
    expected = EXPECTED[name]
    assert found.get("error", {}).get("name") == (None if expected is None else expected.__name__)
    assert main(["check", str(target), "--engine", engine]) == 2
    said = capsys.readouterr()
    if expected is None:
        assert said.out.splitlines()[-1].startswith("verdict: unknown")
    else:
        assert said.out == ""
        assert [line.split()[0] for line in said.err.splitlines()] == ["quorate:", "where:", "why:", "try:"]
    catches("damage", name, "rules")


def test_there_are_forty_damages() -> None:
    """A list that shrinks would weaken the promise silently."""
    assert len(DAMAGES) >= 40


def small_trace(folder: Path) -> Path:
    """The sound trace that damages start from."""
    from conformance.trace import jsonl
    from tests.support.traces import HEADER, small_events

    path = folder / "sound.jsonl"
    jsonl.write_events(path, HEADER, small_events(), in_order=True)
    return path


def test_what_is_missing_is_unknown(tmp_path: Path, capsys: Output) -> None:
    assert main(["check", str(tmp_path / "nowhere.jsonl")]) == 2
    assert "no such file" in capsys.readouterr().err


def test_rules_are_listed_and_shown(capsys: Output) -> None:
    assert main(["rules"]) == 0
    assert "What clients see" in capsys.readouterr().out
    for dialect in ("spark", "duckdb"):
        assert main(["rules", "show", LOST, "--dialect", dialect]) == 0
        said = capsys.readouterr().out
        assert "spec/client/reading.py:" in said
        assert "WITH" in said


def test_every_promise_is_listed_with_what_it_changes(capsys: Output) -> None:
    """Each promise of a header brings rules into force, or changes what some ask; no rule has a promise of its own."""
    assert {rule.promise for rule in RULES} <= {"", *PROMISES}
    assert [promise for promise in PROMISES if not LOG.rules_with(promise) and promise not in BESIDES] == []
    assert main(["rules", "promises"]) == 0
    said = capsys.readouterr().out.splitlines()
    for promise, meaning in PROMISES.items():
        place = said.index(f"{promise}: {meaning}") + 1
        below = [line.strip() for line in takewhile(lambda line: line.startswith(" "), said[place:])]
        assert below == [
            *([BESIDES[promise]] if promise in BESIDES else []),
            *(one.id for one in LOG.rules_with(promise)),
        ]
    assert [promise for promise, meaning in SEGMENT.promises.items() if f"{promise}: {meaning}" not in said] == []


def test_traces_are_converted_sorted_and_shown(tmp_path: Path, capsys: Output) -> None:
    source, target = str(write(tmp_path / "a.jsonl", lost())), str(tmp_path / "a.parquet")
    assert main(["trace", "convert", source, target]) == 0
    assert main(["trace", "sort", target, str(tmp_path / "b.parquet"), "--quiet"]) == 0
    assert main(["trace", "show", target, "--lsn", "e2n1"]) == 0
    assert "deliver" in capsys.readouterr().out
    assert main(["trace"]) == 0


def test_a_simulated_run_is_recorded_and_holds(tmp_path: Path, capsys: Output) -> None:
    target = str(tmp_path / "run.parquet")
    assert main(["simulate", "--seed", "3", "--events", "2000", "--output", target]) == 0
    assert main(["check", target]) == 0
    assert main(["simulate", "--list-mutants"]) == 0
    assert main(["simulate", "--seed", "3", "--mutant", "no_such"]) == 4
    assert main(["simulate", "--seed", "3", "--events", "1000", "--format", "json"]) == 0
    assert '"verdict": "holds"' in capsys.readouterr().out
    assert main(["simulate", "--events", "1000", "--delivery", "single_copy,local", "--wire"]) == 0
    assert "Delivery: 10 of 10 rules hold" in capsys.readouterr().out
    assert main(["simulate", "--delivery", "nobody"]) == 4
    assert main(["simulate", "--events", "1000", "--variants", "soft_seals,purging"]) == 0
    said = capsys.readouterr()
    assert "log.purge.keeps_what_was_decided" in said.out
    assert "--variants soft_seals,purging --output" in said.out + said.err
    assert main(["simulate", "--variants", "softest"]) == 4


def test_interruption_and_defects_have_their_own_codes(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    def raises(error: BaseException) -> None:
        def listed(_: object) -> int:
            raise error

        monkeypatch.setattr("conformance.cli_rules.listed", listed)

    raises(KeyboardInterrupt())
    assert main(["rules"]) == 130
    raises(RuntimeError("a\nb"))
    assert main(["rules"]) == 3
    said = capsys.readouterr().err
    assert "internal error: RuntimeError: a b" in said
    assert main(["rules", "--debug"]) == 3
    assert "Traceback" in capsys.readouterr().err
    raises(Wordless())
    assert main(["rules"]) == 3
    assert "internal error: Wordless: it cannot say more" in capsys.readouterr().err


class Wordless(RuntimeError):
    """As an error of Java, once Java has ended."""

    def __str__(self) -> str:
        raise ConnectionRefusedError


class Terminal(StringIO):
    """What a terminal is shown."""

    def isatty(self) -> bool:
        return True


def test_progress_is_a_bar_on_a_terminal_and_vanishes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows the share that is done and how long the rest takes."""
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    with Progress(quiet=False, stream=terminal) as progress:
        progress("judging", 5, 10)
        progress("judging", 6, 10)
        progress("looking")
    shown = terminal.getvalue()
    assert "judging: 5 of 10 events" in shown
    assert " 50%" in shown
    assert shown.rstrip("\x1b[?25h").endswith("\x1b[2K"), "the line is taken away"
    with Progress(quiet=True, stream=(silent := Terminal())) as progress:
        progress("judging", 6, 10)
    assert not silent.getvalue()


def test_progress_is_a_line_now_and_then_elsewhere() -> None:
    file = StringIO()
    progress = Progress(quiet=False, stream=file)
    progress("judging", 5, 10)
    progress.every = 0
    progress("judging", 6, 10)
    progress.close()
    assert file.getvalue() == "judging: 6 of 10 events\n"


def test_the_command_starts_light() -> None:
    program = "import sys, conformance.cli as c; c.parser(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not set(loaded) & {"numpy", "pyarrow", "pyspark", "z3", "hypothesis", "rich"}
