"""Tally: answers counted as they come, for whoever asks many nodes about many LSNs.

``spec.log.quorum`` says what an f-majority is; this only counts faster. A node is *hidden* while it may hold a record
and no answer of its own counts. At each scope, as many domains as a copyset needs must not have a hidden node: so it is
enough to keep, for each domain, how many of its nodes are hidden. An answer or a new status costs one step a scope, and
so does the question how far the answers may be trusted.

Source: LogDevice, common/FailureDomainNodeSet.h, which counts in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from spec.language.handles import Factors
from spec.language.meaning import Evaluator
from spec.language.parameters import Parameters
from spec.language.scopes import SCOPES
from spec.language.terms import Col
from spec.log.quorum import Authority, authority
from spec.log.replication import LOCATED, is_kept
from spec.log.status import Status

REMEMBERED: Final = 1 << 8
"""Layouts that are remembered at most."""

_REPLICATION = Factors(Col("replication", "factors"))


@dataclass(frozen=True)
class Need:
    """What a record needs at one scope.

    Attributes:
        scope: the scope.
        copies: in how many domains of it a copyset must lie.
        domain_of: the number of each node's domain, -1 for a node without a location at this scope.
    """

    scope: str
    copies: int
    domain_of: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """What stays the same while answers come in: where nodes are, and in how many domains a record must lie.

    Attributes:
        nodes: how many nodes the topology has.
        needs: one for each scope that counts, from the largest to the shard.
    """

    nodes: int
    needs: tuple[Need, ...]

    @staticmethod
    def of(parameters: Parameters, replication: Mapping[str, int]) -> Layout:
        """The layout of a topology under a replication property; which scopes count, ``is_kept`` says."""
        return _layout(parameters, frozenset(replication.items()))


@lru_cache(REMEMBERED)
def _layout(parameters: Parameters, factors: frozenset[tuple[str, int]]) -> Layout:
    replication = dict(factors)
    evaluator = Evaluator({"replication": replication}, parameters, {})
    kept = [scope for scope in reversed(LOCATED) if evaluator.value(is_kept(_REPLICATION, scope).term)]
    located = [Need(scope, replication[scope], _places(parameters, scope)) for scope in kept]
    copies = max(replication.values(), default=0)
    return Layout(parameters.size, (*located, Need(SCOPES[0], copies, tuple(range(parameters.size)))))


def _places(parameters: Parameters, scope: str) -> tuple[int, ...]:
    where = {node: number for number, domain in enumerate(parameters.domains_of(scope)) for node in domain}
    return tuple(where.get(node, -1) for node in range(parameters.size))


class Tally:
    """The answers of a nodeset to one question.

    Args:
        layout: where nodes are and what a record needs.
        nodeset: the nodes that are asked; answers of others are passed over.
        statuses: the nodes that are not FULLY_AUTHORITATIVE.

    Attributes:
        status: the status of each node of the nodeset.
        heard: the nodes that answered.
        silent: how many nodes whose answers count have not answered.
        hidden_in: for each need, how many nodes of each domain are hidden.
        touched: for each need, how many domains have a hidden node.
    """

    def __init__(self, layout: Layout, nodeset: Iterable[int], statuses: Mapping[int, Status] | None = None) -> None:
        self.layout = layout
        self.status = dict.fromkeys(nodeset, Status.FULLY_AUTHORITATIVE)
        self.status.update({node: status for node, status in (statuses or {}).items() if node in self.status})
        self.heard: set[int] = set()
        self.silent = sum(status.counts for status in self.status.values())
        hidden = [node for node, status in self.status.items() if status.may_hold]
        self.hidden_in = [Counter(need.domain_of[node] for node in hidden) for need in layout.needs]
        for counts in self.hidden_in:
            counts.pop(-1, None)
        self.touched = [len(counts) for counts in self.hidden_in]

    def copy(self) -> Tally:
        """The same tally, to be continued in another way; the layout is shared."""
        twin = Tally.__new__(Tally)
        twin.layout, twin.status, twin.heard = self.layout, dict(self.status), set(self.heard)
        twin.silent, twin.touched = self.silent, list(self.touched)
        twin.hidden_in = [counts.copy() for counts in self.hidden_in]
        return twin

    def hear(self, node: int) -> None:
        """The node answered. One step for each scope."""
        if node in self.status and node not in self.heard:
            self._leave(node)
            self.heard.add(node)
            self._enter(node)

    def unhear(self, node: int) -> None:
        """The answer counts no more: a reader asks again. One step for each scope."""
        if node in self.heard:
            self._leave(node)
            self.heard.remove(node)
            self._enter(node)

    def mark(self, node: int, status: Status) -> None:
        """The node has a new status. One step for each scope."""
        if node in self.status:
            self._leave(node)
            self.status[node] = status
            self._enter(node)

    def is_f_majority(self) -> bool:
        """What ``quorum.is_f_majority`` says of the nodes heard. One step for each scope."""
        return any(touched < need.copies for touched, need in zip(self.touched, self.layout.needs, strict=True))

    def is_complete(self) -> bool:
        """What ``quorum.is_complete`` says of the nodes heard. One step."""
        return self.silent == 0

    def authority(self) -> Authority:
        """How far the answers may be trusted. One step for each scope."""
        return authority(f_majority=self.is_f_majority(), complete=self.is_complete())

    def is_hidden(self, node: int) -> bool:
        """The node may hold a record without anybody knowing."""
        status = self.status[node]
        return status.may_hold and not (status.counts and node in self.heard)

    def hidden(self) -> frozenset[int]:
        """All hidden nodes. One step for each node."""
        return frozenset(node for node in self.status if self.is_hidden(node))

    def _leave(self, node: int) -> None:
        self.silent -= self.status[node].counts and node not in self.heard
        for counts, number, domain in self._domains(node):
            counts[domain] -= 1
            self.touched[number] -= counts[domain] == 0

    def _enter(self, node: int) -> None:
        self.silent += self.status[node].counts and node not in self.heard
        for counts, number, domain in self._domains(node):
            self.touched[number] += counts[domain] == 0
            counts[domain] += 1

    def _domains(self, node: int) -> Iterator[tuple[Counter[int], int, int]]:
        """The counts that the node is part of while it is hidden."""
        if self.is_hidden(node):
            for number, need in enumerate(self.layout.needs):
                if (domain := need.domain_of[node]) >= 0:
                    yield self.hidden_in[number], number, domain
