"""Drawing: clusters and other parts of cases, by a seed's chance, in the forms that cases have."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from conformance.vectors.fields import Fields

Drawn = Mapping[str, Any]
"""A case without what is expected of it."""

SCOPES: Final = ("RACK", "REGION")
RACKS: Final = 4
REGIONS: Final = 2


def fields_of(case: Drawn) -> Fields:
    """A case, to be looked at as one that was read."""
    return Fields(case, "a drawn case")


def cluster(rng: Random, least: int, most: int) -> dict[str, Any]:
    """Shards, some without a location, and a replication property that may be too much for them."""
    nodes, located = rng.randint(least, most), rng.random() < 0.7  # noqa: PLR2004 - two of three have locations
    shards = {}
    for node in range(nodes):
        region, rack = rng.randrange(REGIONS), rng.randrange(RACKS)
        nowhere = not located or rng.random() < 0.1  # noqa: PLR2004 - one of ten
        shards[f"N{node}"] = {"node": node, "location": "" if nowhere else f"r{region}.d.c.w.k{rack}"}
    copies = rng.randint(1, min(4, nodes))
    replication = {"NODE": copies}
    if located and rng.random() < 0.6:  # noqa: PLR2004 - most ask for more than nodes
        replication[rng.choice(SCOPES)] = rng.randint(1, min(2, copies))
    return {"shards": shards, "replication": replication}


def some(rng: Random, names: list[str], share: float) -> list[str]:
    """Some of the names, each with this chance."""
    return [name for name in names if rng.random() < share]
