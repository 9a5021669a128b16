"""For every rule on segments a trace that holds and one that breaks it: the second is the first with one change."""

from __future__ import annotations

from typing import Final

from tests.support.segment_cases import calls, channels, reading, sessions, writing
from tests.support.segment_cases.recording import Case

CASES: Final[tuple[Case, ...]] = (
    *channels.CASES,
    *sessions.CASES,
    *calls.CASES,
    *reading.CASES,
    *writing.CASES,
)
"""All of them, in the order of the chapters."""
