"""The benchmark beside the shipped auditor: a wrong answer has no time, and what is not to be had is said.

Justified by ``benchmarks/audit_live.py``, which says so.
"""

from __future__ import annotations

import pytest

from benchmarks import audit_live
from conformance.record.errors import PackagesUnavailable


def test_who_does_not_find_all_ledgers_sound_has_no_time() -> None:
    assert audit_live._timed("somebody", 3, lambda: 3).ledgers == 3
    with pytest.raises(audit_live.WrongAnswer, match="2 ledgers sound, and 3 are"):
        audit_live._timed("somebody", 3, lambda: 2)


def test_what_cannot_be_had_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def unavailable(_lock: object) -> None:
        raise PackagesUnavailable("BookKeeper", "no repository answers", "another one")

    monkeypatch.setattr(audit_live, "fetch", unavailable)
    assert audit_live.main([]) == 0
    said = capsys.readouterr()
    assert (said.out, "no repository answers" in said.err) == ("", True)
