"""Anomalies: what others call it when a rule is broken, beside the rule and not in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Anomaly(NamedTuple):
    """What somebody else calls it when a rule is broken.

    Attributes:
        name: as it stands there.
        where: in whose checker, as one would cite it.
        difference: where the two do not coincide, in a sentence; "" if they do.
    """

    name: str
    where: str
    difference: str = ""


def anomalies_by_place(anomalies: Iterable[Anomaly]) -> str:
    """Their names, each with where it stands."""
    by_place: dict[str, list[str]] = {}
    for one in anomalies:
        by_place.setdefault(one.where, []).append(one.name)
    return "; ".join(f"{', '.join(names)} ({where})" for where, names in by_place.items())
