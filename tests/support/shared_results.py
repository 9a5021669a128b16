"""What is worked out once for all processes of one test run, whichever of them asks first."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

RUN = "PYTEST_XDIST_TESTRUNUID"
"""Set where several processes share a test run; the folder above their own is then this run's alone."""


def shared_folder(factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder that all processes of this test run share, and no other run."""
    own = factory.getbasetemp()
    folder = (own.parent if RUN in os.environ else own) / name
    folder.mkdir(exist_ok=True)
    return folder


def worked_out(path: Path, work: Callable[[], Mapping[str, int]]) -> dict[str, int]:
    """Numbers by name from a file, or worked out and left there; who comes at the same time works, too."""
    if path.exists():
        return dict(json.loads(path.read_text()))
    found = dict(work())
    there = path.with_name(f"{path.name}.{os.getpid()}")
    there.write_text(json.dumps(found))
    there.replace(path)
    return found
