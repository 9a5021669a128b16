"""What is judged at once, by two threads and in memory, is what the rules mean: plain Python, event by event.

``spec.language.reference`` justifies each answer; ``conformance.check.at_once`` says when it is asked.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from conformance.check import at_once
from conformance.check.at_once import judged_at_once
from conformance.check.checking import check
from conformance.check.engines import silent
from conformance.trace import parquet_writing
from conformance.trace.keeping import with_books
from conformance.trace.open import open_trace
from conformance.trace.sort import sort
from spec.client.history import History
from spec.language.outcomes import Judgement
from spec.language.reference import ReferenceEvaluator
from spec.verdicts import in_force
from tests.support.histories import random_history, to_trace
from tests.support.judged_histories import RULES, header_of, rows_of


def trace_of(history: History, path: Path) -> Judgement:
    """Writes a history as it comes; gives what the rules mean for it."""
    head, events = to_trace(history)
    header = header_of(head)
    read = [rows_of(head).from_json(event) for event in events]
    parquet_writing.write_events(path, header, read)
    whole, told = with_books(header, read)
    return ReferenceEvaluator(told, whole.parameters()).judge(in_force(RULES, whole))


@pytest.mark.parametrize("block", [2, 1 << 18])
def test_what_is_judged_at_once_is_what_rules_mean(
    block: int, rng: Random, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the trace is cut into blocks."""
    monkeypatch.setattr(at_once, "BLOCK", block)
    seen = 0
    for number in range(16):
        path = tmp_path / f"{number}.parquet"
        history = random_history(rng)
        meant, trace = trace_of(history, path), open_trace(path)
        found = judged_at_once(in_force(RULES, trace.header), trace, silent)
        assert found is None or found.judgement == meant, history
        seen += found is not None
    assert seen >= 5


def test_a_report_is_the_same_from_a_sorted_copy(rng: Random, tmp_path: Path) -> None:
    """With witnesses where rules are broken; what is sorted already is not judged at once."""
    for number in range(8):
        path, copy = tmp_path / f"{number}.parquet", tmp_path / f"sorted-{number}.parquet"
        trace_of(random_history(rng), path)
        sort(path, copy)
        one, other = (check(open_trace(where)) for where in (path, copy))
        assert (one.verdict, one.events, one.witnesses) == (other.verdict, other.events, other.witnesses)
