"""Copysets: the text of delivery for one record, with the order and the quorums that its copyset has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from reference_impl.log.copies import Nodes
from reference_impl.log.delivery.shipping import Stream, closest_recipient, is_extra
from reference_impl.log.delivery.shuffle import FIXED_SEEDS, shuffled
from spec.language.parameters import Parameters
from spec.language.protocol import World
from spec.language.protocol.meaning import true
from spec.language.protocol.states import Row, State, Step
from spec.language.protocol.stepping import Stepper
from spec.language.terms import Term
from spec.log.quorum import is_f_majority
from spec.log.replication import is_exact_copyset
from spec.protocols.delivery import Copies, Heard, Mode, Recipient
from spec.protocols.delivery_forms import InTransit
from spec.protocols.sorts import Slot

REMEMBERED: Final = 1 << 16


class Group(NamedTuple):
    """A copyset as the text sees it.

    Attributes:
        recipients: its nodes, in the order in which they are asked.
        copies: which of them, by place, are enough to keep a record.
    """

    recipients: tuple[int, ...]
    copies: tuple[frozenset[int], ...]

    def place(self, node: int) -> int:
        """The element of the sort ``Recipient`` that stands for a node."""
        return self.recipients.index(node)

    def rows(self, nodes: Nodes) -> list[Row]:
        """Rows of a relation of recipients, for those of these nodes that are in the copyset."""
        return [(place,) for place, node in enumerate(self.recipients) if node in nodes]


class Groups:
    """The copysets of one cluster.

    Args:
        parameters: where its nodes are.
        replication: the replication property of every epoch.
        closeness: the priority of nodes that are close to readers.
        extras: whether copysets may have more members than copies, of which the last send, too.
    """

    def __init__(
        self,
        parameters: Parameters,
        replication: Mapping[str, int],
        closeness: Mapping[int, int] | None = None,
        *,
        extras: bool = False,
    ) -> None:
        self._parameters, self._replication, self._closeness = parameters, replication, closeness or {}
        self._copies = max(replication.values()) if extras else 0
        self.group = lru_cache(REMEMBERED)(self._group)
        self.is_f_majority = lru_cache(REMEMBERED)(self._is_f_majority)

    def _group(self, copyset: Nodes, near: bool) -> Group:  # noqa: FBT001 - one of two orders
        """A copyset in the order of its shuffle; ``near`` puts those first that are close to the reader.

        LogDevice, Single Copy Delivery, Primary recipient and Local SCD.
        """
        order = shuffled(sorted(copyset), FIXED_SEEDS)
        if near:
            order = tuple(sorted(order, key=lambda node: -self._closeness.get(node, 0)))
        enough = [one for one in self._sets(copyset) if self._is_exact(one)] or [copyset]
        return Group(order, tuple(frozenset(map(order.index, one)) for one in enough))

    def sends_along(self, copyset: Nodes, near: bool, node: int, listed: Nodes) -> bool:  # noqa: FBT001 - as above
        """Whether a node is one of the last of a copyset that has extras, and nobody close to the reader is to send."""
        stream = Stream(node, known_down=listed, replication=self._copies, closeness=self._closeness if near else {})
        order = shuffled(sorted(copyset), FIXED_SEEDS)
        return is_extra(stream, order) and closest_recipient(stream, order) is None

    def _sets(self, copyset: Nodes) -> list[Nodes]:
        return list(map(frozenset, combinations(sorted(copyset), max(self._replication.values()))))

    def _is_exact(self, copyset: Nodes) -> bool:
        return bool(is_exact_copyset.value(self._parameters, {"replication": self._replication, "copyset": copyset}))

    def _is_f_majority(self, heard: Nodes, nodeset: Nodes) -> bool:
        said = {"heard": heard, "nonempty": nodeset, "authoritative": nodeset, "replication": self._replication}
        return bool(is_f_majority.value(self._parameters, said))


@lru_cache(REMEMBERED)
def stepper_of(group: Group, heard: frozenset[int]) -> Stepper:
    """The text for one record of a copyset, with one f-majority: the places that were heard."""
    sizes = {Recipient: len(group.recipients), Slot: 1, Mode: len(Mode.constants)}
    return Stepper(World(InTransit, sizes=sizes, families={Copies: group.copies, Heard: (heard,)}))


@lru_cache(REMEMBERED)
def moved(group: Group, heard: frozenset[int], state: State, action: str, args: Row) -> State | None:
    """The state after a step of the text; None where it cannot take it."""
    return stepper_of(group, heard).after(state, Step(InTransit.clauses[action], args))


def failing(group: Group, heard: frozenset[int], state: State, action: str, args: Row) -> tuple[Term, ...]:
    """The guards of an action that do not hold."""
    world, guards = stepper_of(group, heard).world, InTransit.clauses[action].requires
    return tuple(guard for guard in guards if not true(guard, world, state, dict(enumerate(args))))
