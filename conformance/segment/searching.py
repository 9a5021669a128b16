"""Searching for a script on which configurations differ, and making it small."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from conformance.segment.comparing import Difference, Systems, first_difference
from conformance.segment.generating import random_script
from conformance.segment.operations import Script
from conformance.segment.reducing import reduced

SMALL: Final = 6
"""Operations of a script that a person takes in at a glance."""


@dataclass(frozen=True)
class Found:
    """A script on which two configurations differ.

    Attributes:
        seed: the seed that it was found with.
        script: the script, reduced.
        difference: the line where they part.
    """

    seed: int
    script: Script
    difference: Difference


def failure(script: Script, systems: Systems, seed: int = 0) -> Found | None:
    """The smallest part of a script on which two configurations differ; None where none do."""
    difference = first_difference(script, systems)
    if difference is None:
        return None
    two = {name: systems[name] for name in (difference.other_name, difference.name)}
    small = reduced(script, lambda some: first_difference(some, two) is not None)
    return Found(seed, small, first_difference(small, two) or difference)


def search(systems: Callable[[int], Systems], seeds: Iterable[int], length: int = 30, enough: int = 5) -> Found | None:
    """The first small failure among the scripts of some seeds, or the smallest of so many; None where none fails."""
    failures = (failure(random_script(seed, length), systems(seed), seed) for seed in seeds)
    smallest: Found | None = None
    for found in islice((one for one in failures if one is not None), enough):
        if smallest is None or len(found.script) < len(smallest.script):
            smallest = found
        if len(smallest.script) <= SMALL:
            break
    return smallest
