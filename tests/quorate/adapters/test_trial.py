"""The trial of an adapter: right ones pass, each kind of wrong one is named; and the samples are right ones.

Justified by docs/reference/adapter-protocol.md, Whether an adapter is one.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from quorate import Command, Record, Refused
from quorate.adapters.errors import AdapterError, AdapterFailed, AdapterNonsense, NotAnAdapter
from quorate.adapters.trial import try_adapter
from tests.support.adapters import EXAMPLES, AsyncMemory, Memory

PATIENCE_S = 20.0
COMPILING_S = 240.0
"""Patience with a sample that is compiled first, for Go with its standard library, on a machine that never did so."""

LINES_MAX = 120


@pytest.mark.parametrize("factory", [Memory, AsyncMemory])
def test_a_right_adapter_passes(factory: Callable[[], Any]) -> None:
    assert try_adapter(factory, PATIENCE_S)[-1] == "another log is empty, too"


SAMPLES = {
    "memory.py": [sys.executable],
    "memory.js": ["node"],
    "Memory.java": ["java"],
    "memory.go": ["go", "run"],
}
"""Each sample, and how it is run."""


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_passes(sample: str) -> None:
    runs_in = SAMPLES[sample]
    if not shutil.which(runs_in[0]):
        pytest.skip(f"{runs_in[0]} is not installed, so the sample {sample} cannot be run")
    assert len((EXAMPLES / sample).read_text().splitlines()) < LINES_MAX
    with closing(Command([*runs_in, str(EXAMPLES / sample)], COMPILING_S)) as factory:
        assert "it is an adapter, and can tail, trim" in try_adapter(factory, COMPILING_S)


class Shared(Memory):
    """Every log of it is the same."""

    every: list[bytes] = []  # noqa: RUF012 - that is its fault

    def __init__(self) -> None:
        self.records = self.every


class Garbling(Memory):
    """It cannot keep what is no ASCII."""

    def append(self, payload: bytes) -> int:
        return super().append(payload.decode().encode("ascii", errors="replace"))


class Endless(Memory):
    """It gives one record for ever, and never says that it is at the end."""

    def read(self, start: Any) -> Iterator[Any]:
        if not self.records:
            yield from super().read(start)
        while True:
            yield Record(0, self.records[0])


class Refusing(Memory):
    """It takes nothing, and says so."""

    def append(self, payload: bytes) -> int:
        raise Refused(f"no {len(payload)} bytes")


@pytest.mark.parametrize(
    ("factory", "error", "said"),
    [
        (Shared, NotAnAdapter, "another new log is not empty"),
        (Garbling, AdapterNonsense, "byte by byte"),
        (Endless, AdapterNonsense, "end it by AtEnd"),
        (Refusing, AdapterFailed, "raised Refused"),
    ],
)
def test_a_wrong_adapter_is_named(factory: Callable[[], Any], error: type[AdapterError], said: str) -> None:
    with pytest.raises(error, match=said):
        try_adapter(factory, PATIENCE_S)
