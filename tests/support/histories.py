"""Histories of clients for tests: all small ones by families, larger ones by chance, and their traces.

``spec.client.definition`` justifies what is varied, ``docs/how-to/judge-your-own-log.md`` how a trace is written.
"""

from __future__ import annotations

from tests.support.history_chance import random_history
from tests.support.history_families import FAMILIES, Family, enumerated
from tests.support.history_traces import from_events, from_trace, is_clear, to_trace, write_trace

__all__ = [
    "FAMILIES",
    "Family",
    "enumerated",
    "from_events",
    "from_trace",
    "is_clear",
    "random_history",
    "to_trace",
    "write_trace",
]
