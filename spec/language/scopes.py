"""Location scopes: how far apart copies may lie. Source: LogDevice, include/NodeLocationScope.h."""

from __future__ import annotations

from typing import Final

SCOPES: Final = ("shard", "node", "rack", "row", "cluster", "data_center", "region")
"""Location scopes from the smallest to the largest. A shard is what stores: the unit of a nodeset."""
