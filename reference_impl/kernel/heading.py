"""Headings: what is fixed of a run before its first event, in plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Heading:
    """What a trace's header says of a run, as plain values.

    Attributes:
        family: what kind of system it is, by its name.
        low_bits: how many bits the low part of a position has.
        recorders: role and complete kinds of event, by word, of everyone who records.
        members: of each universe that is listed, by its section, names and locations; a domain's name tells it from all
            others of its scope.
        named: of each other universe, by its section, the names of some of its numbers.
        promises: what is promised: a number, or True.
    """

    system: str
    family: str
    low_bits: int
    recorders: Mapping[str, tuple[str, tuple[str, ...]]]
    members: Mapping[str, tuple[tuple[str, Mapping[str, str]], ...]] = field(default_factory=dict)
    named: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    promises: Mapping[str, bool | int] = field(default_factory=dict)
    clock_bound_ns: int = 0
