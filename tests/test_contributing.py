"""The worked example of CONTRIBUTING works: its rule and its test are run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import spec.log.appending as chapter
from spec.events import Ack
from spec.language.rule import Rule
from spec.registry import BY_ID
from tests.support import tiny

TEXT = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_one_rule_touches_one_file_of_spec_and_its_test(monkeypatch: pytest.MonkeyPatch) -> None:
    text, test = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names = dict(vars(chapter))
    exec(compile(text, "appending.py", "exec"), names)  # noqa: S102 - our own documentation
    made = names["acknowledgement_names_enough_nodes"]
    assert isinstance(made, Rule)
    monkeypatch.setitem(BY_ID, made.id, made)
    run: dict[str, Any] = {"at": tiny.at, "outcomes": tiny.outcomes, "Ack": Ack}
    exec(compile(test, "test_appending.py", "exec"), run)  # noqa: S102 - our own documentation
    run["test_an_acknowledgement_names_enough_nodes"]()
