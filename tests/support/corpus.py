"""One corpus of runs for all judges: one of each mutant, and some forty of correct machines that cover all pairs.

The runs of correct machines are chosen so that any two of what a plan may have (a topology, who sends records, a
variant, a fault, a weather) come together in some run, and so do their absences. A run is simulated by whoever asks
first, and kept on disk for all others until a source that decides it changes.
"""

from __future__ import annotations

import os
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Any, Final, NamedTuple, TypeAlias

import pytest

from reference_impl.heading import recording_of
from reference_impl.kernel.faults import Rate
from reference_impl.kernel.weather import CALM, Weather
from reference_impl.log.context import DELIVERIES, PURGING, SHIPPED_PURGES, VARIANTS
from reference_impl.mutants import MUTANTS
from reference_impl.plan import EVERY_FAULT, FAULTS, MILLISECOND, REPLICATIONS, TOPOLOGIES, Faults, SimulationPlan
from reference_impl.simulate import directed
from spec.client.bookkeeping import kept
from tests.suite.reach import sources_of

HOME: Final = Path(__file__).parents[2] / "build" / "tests" / "corpus"

USUAL: Final = (0, 2000, 2)
"""Seed, events and logs of a mutant's run."""

SHOWN_BY: Final = {
    "epoch_given_twice": (11, 3500, 2),
    "lsn_given_twice": (8, 3500, 2),
    "preempted_takes_new_epoch": (0, 3500, 2),
    "copyset_outside_nodeset": (10, 3500, 2),
    "block_is_spread": (3, 2000, 2),
    "payload_changed_on_one_copy": (5, 3500, 2),
    "ack_before_stored": (1, 2000, 2),
    "ack_one_copy_early": (11, 3500, 2),
    "retry_appended_twice": (1, 3500, 2),
    "retry_with_new_number": (2, 2000, 2),
    "refused_after_append": (1, 2000, 2),
    "release_before_recovery": (3, 2000, 2),
    "release_beyond_last_known_good": (7, 2000, 2),
    "extras_deleted_early": (7, 2000, 2),
    "one_copy_too_many_deleted": (0, 3500, 2),
    "leader_deleted": (0, 2000, 13),
    "stream_acked_when_stored": (2, 2000, 2),
    "stream_heard_in_any_order": (1, 2000, 2),
    "copies_do_not_name_their_stream": (2, 2000, 2),
    "recovery_forgets_streams": (2, 2000, 2),
    "seal_forgotten_in_crash": (5, 2000, 2),
    "unreleased_shown": (1, 2000, 2),
    "copies_not_purged": (9, 2000, 2),
    "purges_without_knowing": (1, 2000, 2),
    "latest_seal_obeyed": (4, 2000, 2),
    "clean_epoch_written": (7, 2000, 2),
    "digest_of_too_few_nodes": (5, 5000, 4),
    "rack_heard_after_one_answer": (3, 3500, 2),
    "lone_copy_dropped": (2, 2000, 2),
    "hole_stored_for_record": (4, 2000, 2),
    "clean_epochs_not_told": (12, 2000, 2),
    "last_recovery_says_the_end": (8, 2000, 2),
    "forgets_new_nodeset": (0, 3500, 2),
    "metadata_begin_early": (6, 2000, 2),
    "range_one_epoch_too_long": (1, 3500, 2),
    "keeps_metadata_one_epoch_longer": (4, 2000, 2),
    "hole_reported_without_plug": (4, 2000, 2),
    "hole_told_as_a_loss": (1, 2000, 2),
    "sends_latest_first": (10, 2000, 2),
    "sends_beyond_the_window": (2, 2000, 2),
    "concludes_as_if_all_had_sent": (1, 2000, 2),
    "down_nodes_need_not_answer": (10, 2000, 2),
    "reads_the_old_nodeset": (0, 3500, 2),
    "lists_a_whole_copyset": (2, 2000, 2),
    "never_forgives": (4, 3500, 2),
    "forgives_whoever_sends": (0, 3500, 2),
    "keeps_its_list_to_itself": (0, 5000, 4),
    "asks_slow_nodes_to_send": (0, 3500, 2),
    "lenient_with_repeaters": (3, 5000, 4),
    "hard_on_repeaters": (3, 5000, 4),
    "forgets_what_it_lost": (4, 2000, 2),
    "takes_damaged_for_nothing": (0, 3500, 2),
    "trims_without_a_word": (5, 2000, 2),
    "trimmed_told_as_lost": (2, 2000, 2),
    "versions_swapped": (1, 2000, 2),
    "loss_not_told": (4, 2000, 2),
    "back_without_a_word": (1, 2000, 2),
    "donor_may_be_gone": (4, 2000, 2),
    "rebuilds_unreleased": (2, 3500, 2),
    "rebuilds_what_was_overruled": (6, 5000, 4),
    "rebuilt_copy_differs": (1, 2000, 2),
    "rebuilt_anywhere": (5, 2000, 2),
    "amend_forgets_new_node": (1, 3500, 2),
    "disk_lost_in_crash": (11, 2000, 2),
}
"""The same for mutants that another run shows better."""

LOGS: Final = 4
"""Of a run of a correct machine."""

LOGS_MAX: Final = 16
"""No run has more, so that any may stand side by side in one trace."""

EVENTS: Final = 5000
"""Of a run of a correct machine."""

WEATHERS: Final = {"calm": CALM, "rough": EVERY_FAULT.weather, "storm": Weather(slow=0.2, drop=0.2, duplicate=0.2)}

REFINED: Final = tuple(name for name in VARIANTS if name != SHIPPED_PURGES)
"""Variants of which every step is one of the texts: in those, a purge leaves alone what recovery kept."""

CHOICES: Final[Mapping[str, tuple[object, ...]]] = {
    "topology": tuple(TOPOLOGIES),
    "weather": tuple(WEATHERS),
    **dict.fromkeys((*DELIVERIES, *REFINED, *FAULTS), (False, True)),
    "on_the_wire": (False, True),
    "trims": (False, True),
    "trusts_at_once": (True, False),
    "extras": (1, 2),
}
"""What a run of a correct machine may be, by what decides it."""

RUNS: Final = 44
"""A multiple of the number of topologies, which covers all pairs."""

CANDIDATES: Final = 40
"""So many random choices are compared for each run; that with most new pairs is taken."""

Row: TypeAlias = dict[str, object]
Pair: TypeAlias = frozenset[tuple[str, object]]


class Run(NamedTuple):
    """A run that is over.

    Attributes:
        events: what was recorded, in the order in which it happened.
        steps: how many steps entities of each role took.
        struck: how often each fault struck.
    """

    events: list[dict[str, Any]]
    steps: Counter[str]
    struck: Counter[str]


def pairs(row: Row) -> Iterator[Pair]:
    """Any two choices that come together in a row."""
    return map(frozenset, combinations(row.items(), 2))


@cache
def rows() -> tuple[Row, ...]:
    """Choices for each run, so that all pairs come together in some: greedily, each topology equally often."""
    rng, chosen, covered = Random(0), list[Row](), set[Pair]()
    for number in range(RUNS):
        topology = list(TOPOLOGIES)[number % len(TOPOLOGIES)]
        candidates = [drawn(rng) | {"topology": topology} for _ in range(CANDIDATES)]
        best = max(candidates, key=lambda row: len(set(pairs(row)) - covered))
        chosen.append(best)
        covered.update(pairs(best))
    return tuple(chosen)


def drawn(rng: Random) -> Row:
    """Random choices, with somebody who sends records."""
    row: Row = {name: rng.choice(values) for name, values in CHOICES.items()}
    if not any(row[name] for name in DELIVERIES):
        row[rng.choice(DELIVERIES)] = True
    return row


def plan_of(row: Row, seed: int) -> SimulationPlan:
    """The plan of a row of choices."""
    topology = str(row["topology"])
    rates = {name: rate for name, rate in EVERY_FAULT.rates.items() if row[name]}
    return SimulationPlan(
        seed=seed,
        topology=TOPOLOGIES[topology],
        replication=REPLICATIONS[topology],
        events=EVENTS,
        logs=LOGS,
        faults=Faults(WEATHERS[str(row["weather"])], rates),
        delivery=tuple(name for name in DELIVERIES if row[name]),
        variants=tuple(name for name in REFINED if row[name]),
        on_the_wire=bool(row["on_the_wire"]),
        trims=Rate(2 * MILLISECOND) if row["trims"] else None,
        trusts_at_once=bool(row["trusts_at_once"]),
        extras=2 if row["extras"] == 2 else 1,
    )


def beside(mutant: str) -> SimulationPlan:
    """The run of a correct machine in the setting in which a mutant shows: it is the mutant that is refused."""
    return replace(MUTANTS[mutant].plan(SimulationPlan(events=EVENTS, logs=LOGS)), mutant="", seed=6)


BESIDE: Final = "beside_"
RIGHT: Final = {
    **{f"right{number:02}": plan_of(row, number) for number, row in enumerate(rows())},
    **{f"{BESIDE}{name}": beside(name) for name in {repr(beside(name)): name for name in reversed(MUTANTS)}.values()},
}
"""The plans of correct machines: some for all pairs, and one for each setting in which mutants show."""


def wrong_plan(mutant: str) -> SimulationPlan:
    """A run in which the mutant's rule is broken, its guard refuses an event, and its step is none of the text."""
    seed, events, logs = SHOWN_BY.get(mutant, USUAL)
    return MUTANTS[mutant].plan(SimulationPlan(seed=seed, events=events, logs=logs))


SHIPPED: Final = {
    "purges_as_shipped": replace(RIGHT["beside_purges_without_knowing"], seed=0, variants=(PURGING, SHIPPED_PURGES)),
}
"""The plans of machines that do as LogDevice does where the texts do otherwise."""

PLANS: Final = {**{name: wrong_plan(name) for name in MUTANTS}, **RIGHT, **SHIPPED}
"""The plan of each run, by the name of its mutant, or that of a run of the correct machine."""


def dear(names: Iterable[str]) -> list[Any]:
    """Names of runs for a dear test: all mutants, and of correct machines the first, which have most pairs."""
    rest = list(RIGHT)[RUNS // 2 :]
    return [pytest.param(name, marks=pytest.mark.thorough) if name in rest else name for name in names]


def run_of(name: str) -> Run:
    """A run of the corpus, simulated by whoever asks first and kept on disk for all others.

    Raises:
        KeyError: there is no run of that name.
    """
    folder, plan = folder_of_runs(), PLANS[name]
    path = folder / f"{name}-{sha256(repr(plan).encode()).hexdigest()[:16]}.pickle"
    if path.exists():
        return Run(*pickle.loads(path.read_bytes()))  # noqa: S301 - our own file
    run = made(plan)
    there = path.with_name(f"{path.name}.{os.getpid()}")
    there.write_bytes(pickle.dumps(tuple(run)))
    there.replace(path)
    return run


def made(plan: SimulationPlan) -> Run:
    """The run of a plan, with what the director counts."""
    director, events = directed(plan)
    steps = Counter[str]()
    director.world.simulator.observer = lambda taken: steps.update([taken.to[0]])
    return Run(list(events), steps, director.nemesis.struck)


def folder_of_runs() -> Path:
    """Where the runs of today's sources are kept; of other sources none is."""
    name = fingerprint("reference_impl.simulate")
    for other in HOME.glob("*"):
        if other.name != name:
            rmtree(other, ignore_errors=True)
    folder = HOME / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def fingerprint(module: str) -> str:
    """Of all sources that decide what a module does."""
    text = b"".join(path.read_bytes() for path in sources_of(module))
    return sha256(text).hexdigest()[:16]


def events_of_run(name: str) -> list[dict[str, Any]]:
    """The events of a run in trace order, with what the books of its clients say."""
    return kept(run_of(name).events, recording_of(PLANS[name]))
