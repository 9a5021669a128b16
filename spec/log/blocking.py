"""Which nodes still have to answer, and where a record could hide until they do.

Both are exact and take one pass over the nodes for each scope. An f-majority at a scope means that fewer domains than
a copyset needs have a hidden node, so the cheapest way to get one completes the domains with the fewest hidden nodes.
In the other direction, a copyset is found by taking one node from each domain that is still needed, from the largest
scope to the smallest; that no choice is wasted are the theorems ``ROOM`` and
``WIDER`` of ``spec.proof.quorum.copysets``.

Source: LogDevice, Read path, Gap detection algorithm: a set of nodes that intersects every possible copyset.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from spec.log.tally import Layout, Need, Tally


def still_needed(tally: Tally) -> frozenset[int] | None:
    """The fewest further nodes whose answers make an f-majority; empty if there is one; None if no answers could.

    Nodes whose data is gone stay hidden whatever they answer, so their domains cannot be completed.
    """
    hidden = tally.hidden()
    ways = [_to_complete(need, hidden, tally) for need in tally.layout.needs]
    return min((way for way in ways if way is not None), key=len, default=None)


def _to_complete(need: Need, hidden: frozenset[int], tally: Tally) -> frozenset[int] | None:
    """The fewest nodes that leave too few domains of one scope with a hidden node; None if that cannot be."""
    by_domain: dict[int, list[int]] = defaultdict(list)
    for node in sorted(hidden):
        if need.domain_of[node] >= 0:
            by_domain[need.domain_of[node]].append(node)
    too_many = len(by_domain) - need.copies + 1
    if need.copies == 0 or too_many <= 0:
        return frozenset() if need.copies else None
    can_answer = [nodes for nodes in by_domain.values() if all(tally.status[node].counts for node in nodes)]
    if len(can_answer) < too_many:
        return None
    cheapest = sorted(can_answer, key=len)[:too_many]
    return frozenset(node for nodes in cheapest for node in nodes)


def hiding_place(layout: Layout, nodes: Iterable[int]) -> frozenset[int] | None:
    """Some of the nodes, enough and spread well enough to hold a whole record; None if they cannot hold one.

    Where all nodes have a location at every scope that counts, the set has no more members than copies are asked for.
    """
    candidates = sorted(set(nodes))
    chosen: set[int] = set()
    for need in layout.needs:
        taken = {need.domain_of[node] for node in chosen} - {-1}
        for node in candidates:
            domain = need.domain_of[node]
            if len(taken) < need.copies and domain >= 0 and domain not in taken:
                taken.add(domain)
                chosen.add(node)
        if len(taken) < need.copies:
            return None
    return frozenset(chosen)
