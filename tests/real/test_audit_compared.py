"""A real cluster in which violations were planted: ours finds each once and nothing else, as the page says.

Justified by BookKeeper, BP-34, High Level Logic; the shipped auditor is replication/AuditorReplicasCheckTask.java.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.record.bookkeeper_compared import compare
from conformance.record.bookkeeper_compared_page import page
from conformance.record.errors import PackagesUnavailable
from tests.conformance.record.test_bookkeeper_compared import PAGE

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]


@pytest.mark.costly("starts ZooKeeper and five bookies, one JVM each, and the shipped auditor twice")
def test_each_violation_is_reported_once_beside_the_shipped_auditor(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Run pytest with --rewrite to renew the page."""
    try:
        found = compare(tmp_path / "cluster")
    except PackagesUnavailable as missing:
        pytest.skip(str(missing))
    for one in found.ledgers:
        assert one.ours == (() if one.planted.truth is None else (one.planted.truth,)), one.planted.what
    if request.config.getoption("--rewrite"):
        PAGE.write_text(page(found), encoding="utf-8")
    assert page(found) == PAGE.read_text(encoding="utf-8")
