"""Simulated runs: a plan in, its events out, as they happen, in the columns of the recording vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from reference_impl.environment.director import Director
from reference_impl.heading import header_of
from reference_impl.log.context import NEAREST, LogContext
from reference_impl.log.delivery.local import closeness_of, is_in_region, shared_scopes
from reference_impl.log.quorums import quorums_of
from reference_impl.log.stream.surroundings import place_at
from reference_impl.mutants import MUTANTS, mutant_named
from reference_impl.plan import SimulationPlan

__all__ = ["MUTANTS", "SimulationPlan", "context_for", "directed", "header_of", "simulate"]

READERS_AT = 0
"""The node beside which all readers are."""


def context_for(plan: SimulationPlan) -> LogContext:
    """The protocol of a run, correct or with the plan's mutant.

    Raises:
        UnknownMutant: there is no such mutant.
    """
    changes = mutant_named(plan.mutant).changes if plan.mutant else ()
    locations = dict(enumerate(plan.topology.locations))
    return LogContext(
        quorums_of(plan.topology.parameters(), plan.replication),
        plan.replication,
        plan.clients,
        places={node: place_at(location) for node, location in locations.items()},
        closeness=closeness_of(
            locations[READERS_AT], locations, shared_scopes if NEAREST in plan.variants else is_in_region
        ),
        delivery=plan.delivery,
        trusts_at_once=plan.trusts_at_once,
        on_the_wire=plan.on_the_wire,
        variants=frozenset(plan.variants),
        extras=plan.extras,
        changes=dict(changes),
    )


def simulate(plan: SimulationPlan) -> Iterator[dict[str, Any]]:
    """The events of a run, in the order in which they happen; at most as many as the plan says.

    Each has the columns of its kind (sets as frozensets, the replication property as a mapping), ``kind`` as a number,
    ``recorder``, ``seq`` rising for each recorder, and ``time_ns`` of the one virtual clock.

    Raises:
        UnknownMutant: there is no such mutant.
    """
    return directed(plan)[1]


def directed(plan: SimulationPlan) -> tuple[Director, Iterator[dict[str, Any]]]:
    """The same events, and who steers the run: it knows how often each fault has struck so far.

    Raises:
        UnknownMutant: there is no such mutant.
    """
    director = Director(plan, context_for(plan))
    return director, islice(director.run(), plan.events)
