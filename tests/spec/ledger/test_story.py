"""What happened to a ledger is told to people: a broken rule comes with the events that decide, in sentences.

House rule: errors say what, where and why; here of traces that break a rule.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli import main
from spec.language.rule import Rule
from spec.ledger.family import LEDGER

TRACES = Path(__file__).parents[3] / "examples" / "traces" / "rules"


def story_of(rule: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The story of the published trace that breaks a rule."""
    assert main(["explain", str(TRACES / f"{rule}.violated.jsonl"), "--quiet"]) == 1
    return capsys.readouterr().out


def test_a_lost_entry_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """By who was told that it is safe, and who closed its ledger before it."""
    story = story_of("ledger.recovery.keeps_acknowledged", capsys)
    assert "w (client 1) is told that entry 0 is safe with member 0, member 1." in " ".join(story.split())
    assert "Client 2 closes ledger 1: its end is entry 0, version 2." in " ".join(story.split())
    assert "This breaks the rule: A closed ledger has every entry that was acknowledged." in story


def test_a_member_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    story = story_of("ledger.repair.restores_write_sets", capsys)
    assert "b0 stores entry 0 for member 0: add." in story
    assert "b3 takes the place of b0 as member 0 from entry 0 on." in story


@pytest.mark.parametrize("rule", LEDGER.rules[::12], ids=lambda rule: rule.id)
def test_a_broken_rule_is_said_in_its_words(rule: Rule, capsys: pytest.CaptureFixture[str]) -> None:
    assert " ".join(rule.sentence.split()) in " ".join(story_of(rule.id, capsys).split())
