"""Worlds: the text ``Epoch`` for one epoch of a log, with the copysets and f-majorities of the epoch's nodeset."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations
from typing import Final

from reference_impl.log.copies import Nodes
from reference_impl.refinement.contents import OTHER_PAYLOAD
from spec.language.parameters import Parameters
from spec.language.protocol import World
from spec.language.protocol.stepping import Stepper
from spec.log.quorum import is_f_majority
from spec.log.replication import is_exact_copyset
from spec.protocols.epoch import Epoch
from spec.protocols.parts import Status
from spec.protocols.sorts import Copyset, FMajority, Node, Slot, Value, Writer

REMEMBERED: Final = 1 << 12

SLOTS_AT_A_TIME: Final = 8
"""Worlds have a multiple of so many slots: a text may have any number, so a new slot rarely needs a new world."""


class Worlds:
    """The worlds of one cluster.

    Attributes:
        everyone: all its nodes.

    Args:
        parameters: where its nodes are.
        replication: the replication property of every epoch.
    """

    def __init__(self, parameters: Parameters, replication: Mapping[str, int]) -> None:
        self._parameters, self._replication = parameters, replication
        self.everyone = frozenset(range(parameters.size))
        self._copysets = lru_cache(REMEMBERED)(self._find_copysets)
        self._stepper = lru_cache(REMEMBERED)(self._make)
        self.is_f_majority = lru_cache(REMEMBERED)(self._is_f_majority)

    def stepper(self, nodeset: Nodes, writers: int, slots: int, heard: Nodes | None) -> Stepper:
        """The text with room for so many writers and slots.

        It has one f-majority: the nodes that were heard, where the step speaks of any, else the whole nodeset. Where
        that is empty, the epoch has not been given out, and every node may have copies of it.
        """
        nodeset = nodeset or self.everyone
        return self._stepper(nodeset, writers, -(-slots // SLOTS_AT_A_TIME) * SLOTS_AT_A_TIME, heard or nodeset)

    def copyset_of(self, nodeset: Nodes, holders: Nodes) -> int | None:
        """The number of a copyset of a nodeset, all of which is among these nodes; None: there is none."""
        found = enumerate(self._copysets(nodeset))
        return next((number for number, nodes in found if nodes <= holders), None)

    def _make(self, nodeset: Nodes, writers: int, slots: int, heard: Nodes) -> Stepper:
        world = World(
            Epoch,
            sizes={
                Node: self._parameters.size,
                Writer: writers,
                Slot: slots,
                Value: OTHER_PAYLOAD + 1,
                Status: len(Status.constants),
            },
            families={Copyset: self._copysets(nodeset), FMajority: (heard,)},
        )
        return Stepper(world)

    def _find_copysets(self, nodeset: Nodes) -> tuple[Nodes, ...]:
        """Every set of nodes that is just enough for a record of the epoch."""
        found = map(frozenset, combinations(sorted(nodeset), max(self._replication.values())))
        said = {"replication": self._replication}
        return tuple(one for one in found if is_exact_copyset.value(self._parameters, {**said, "copyset": one}))

    def _is_f_majority(self, heard: Nodes, nodeset: Nodes) -> bool:
        """Whether nodes of the epoch's nodeset, all of which keep what they stored, are an f-majority of it."""
        said = {"heard": heard, "nonempty": nodeset, "authoritative": nodeset, "replication": self._replication}
        return bool(is_f_majority.value(self._parameters, said))
