"""The families, besides logs, of which runs can be simulated; packages may offer more."""

from __future__ import annotations

from typing import Final

from reference_impl.simulating.ledgers import LEDGERS
from reference_impl.simulating.segments import SEGMENTS
from reference_impl.simulating.simulated import Simulated
from spec.offers import names, offered

GROUP: Final = "quorate.simulations"
"""The entry points at which packages offer a ``Simulated`` of a family of their own."""


OWN: Final[dict[str, Simulated]] = {one.family: one for one in (LEDGERS, SEGMENTS)}


def simulated_names() -> tuple[str, ...]:
    """The families, besides logs, of which runs can be simulated."""
    return names(GROUP, OWN)


def simulated(family: str) -> Simulated | None:
    """What of a family can be simulated; None if nothing.

    Raises:
        BrokenPackage: a package offers that and cannot give it.
    """
    return OWN.get(family) or offered(GROUP, family, "family")
