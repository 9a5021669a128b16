"""The families, besides logs, of which runs can be simulated; packages may offer more."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Final

from reference_impl.simulating.ledgers import LEDGERS
from reference_impl.simulating.segments import SEGMENTS
from reference_impl.simulating.simulated import Simulated

GROUP: Final = "quorate.simulations"
"""The entry points at which packages offer a ``Simulated`` of a family of their own."""


@cache
def simulated_families() -> dict[str, Simulated]:
    """What can be simulated, by the name of its family."""
    offered = (point.load() for point in entry_points(group=GROUP))
    return {one.family: one for one in (LEDGERS, SEGMENTS, *offered)}
