"""Hint files make proofs quick and can never make one wrong: damaged, stale or misleading ones are noticed or searched.

Justified by the house rule that a pass is earned: what a hint names is proved again, from those hypotheses alone.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spec.language.protocol import Protocol
from spec.proof.inductive import BadHints, Hint, HintsMissing, find_hints, prove, read_hints, write_hints
from spec.proof.inductive.hint_files import digest, path_of
from spec.protocols.recovery import Recovery
from spec.protocols.recovery_variants import LowestWins
from spec.protocols.two_phase import TwoPhase

pytestmark = pytest.mark.z3


def test_hints_survive_their_file(tmp_path: Path) -> None:
    """What is written is what is read, and nothing else is left beside it."""
    hints = find_hints(TwoPhase)
    path = write_hints(TwoPhase, hints, tmp_path / "hints.json")
    found = read_hints(TwoPhase, path)
    assert found is not None
    assert found.hints == hints
    assert found.stale(TwoPhase) == ""
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_never_written_without_a_hint(tmp_path: Path) -> None:
    """A condition of which no proof was found is named, and the file stays what it was."""
    hints = find_hints(TwoPhase)
    path = write_hints(TwoPhase, hints, tmp_path / "hints.json")
    before = path.read_bytes()
    lost = dict(hints)
    del lost["obey/committed_was_decided"]
    with pytest.raises(HintsMissing, match=r"no proof was found of obey/committed_was_decided, .*hints\.json stays"):
        write_hints(TwoPhase, lost, path)
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (before, [path])


def test_a_text_without_a_file_has_no_hints(tmp_path: Path) -> None:
    """Absence is no error: proofs are searched."""
    assert read_hints(TwoPhase, tmp_path / "absent.json") is None


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"text": "TwoPhase"}', '{"conditions": {"x": 1}}', "\udcff"])
def test_a_damaged_file_is_a_named_error(damage: str, tmp_path: Path) -> None:
    """The message names the file and says what to do."""
    path = tmp_path / "hints.json"
    path.write_bytes(damage.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadHints, match=r"hints\.json is no hint file .* find the hints again"):
        read_hints(TwoPhase, path)


def test_a_changed_text_is_noticed() -> None:
    """The fingerprint is of what a text says, not of how it words or cites it."""
    kept = read_hints(Recovery)
    assert kept is not None
    assert "another version of LowestWins" in kept.stale(LowestWins)
    assert "found by z3 1.0" in replace(kept, z3="1.0").stale(Recovery)
    reworded: type[Protocol] = type("Reworded", (Protocol,), {})
    reworded.relations, reworded.definitions = Recovery.relations, Recovery.definitions
    reworded.clauses = {name: replace(one, sentence="", cite="") for name, one in Recovery.clauses.items()}
    assert digest(reworded) == digest(Recovery)


def test_files_are_named_after_their_text() -> None:
    """One file for each text, beside the code."""
    assert path_of(TwoPhase).name == "two_phase.json"
    assert path_of(TwoPhase).parent.name == "hints"


@pytest.mark.parametrize(
    "hint",
    [Hint(("no such hypothesis",)), Hint(()), Hint((), {"z3": "no such engine"})],
    ids=["unknown hypothesis", "too few", "unknown engine"],
)
def test_a_misleading_hint_costs_time_only(hint: Hint) -> None:
    """Where the hint does not suffice, a proof is searched, and the report says so."""
    name = "obey/committed_was_decided"
    report = prove(TwoPhase, hints={name: hint}, only=lambda condition: condition.name == name)
    assert (report.status, report.searched) == ("holds", [name])


def test_hints_of_a_right_text_prove_no_wrong_one() -> None:
    """The wrong recovery is refuted although every hint of the right one is at hand."""
    kept = read_hints(Recovery)
    assert kept is not None
    report = prove(LowestWins, hints=kept.hints)
    assert [(one.name, one.status) for one in report.unproved] == [("plan/choice_is_safe", "violated")]
