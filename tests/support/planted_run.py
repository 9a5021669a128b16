"""A sorted trace of a mutant in many row groups, and what reports of any engine must say of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.check.checking import check
from conformance.cli import main
from conformance.trace.open import open_trace
from spec.registry import select
from spec.reports import json_form

RULES = "log.append.copy_before_ack"
"""Which is broken: all rules make SQL of megabytes, which each Java would compile."""


def planted(path: Path, patch: pytest.MonkeyPatch) -> Path:
    """The run of a mutant, sorted, in many row groups."""
    patch.setattr("conformance.trace.parquet_writing.Target.__init__.__kwdefaults__", {"group": 500})
    drawn = path.with_name("drawn.parquet")
    assert (
        main(["simulate", "--mutant", "ack_before_stored", "--events", "6000", "--output", str(drawn), "--quiet"]) == 0
    )
    assert main(["trace", "sort", str(drawn), str(path)]) == 0
    return path


def assert_agrees(found: dict[str, Any], trace: Path, rules: Sequence[str] = ()) -> None:
    """A report counts what one process does; of its violations it names the first, and fewer."""
    here = json_form.to_object(check(open_trace(trace), select(rules), kept=20))
    assert found["verdict"] == "violated"
    for one, other in zip(found["rules"], here["rules"], strict=True):
        named, first = ([violation["key"] for violation in rule.pop("violations")] for rule in (one, other))
        assert bool(named) == bool(first)
        assert named == first[: len(named)]
        assert one == other
