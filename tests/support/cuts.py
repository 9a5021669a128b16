"""Cutting and merging: the same trace judged whole by the reference evaluator, and in pieces by the columns reading."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final

from spec.columns.blocks import check_block, merge
from spec.columns.column import Raw
from spec.columns.dimensions import Tables, dimensions_of, gather_piece, join_gathered
from spec.language.outcomes import Judgement
from spec.language.parameters import Parameters
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule
from tests.support.probe_rules import PROBE_RULES
from tests.support.random_traces import parameters_for, random_events, raw_of

NODES: Final = (5, 70)
ALONE: Final = 24
"""How many rules one seed judges alone: a rule must not live on rows that another rule keeps."""


def piece_of(raw: Raw, first: int, last: int) -> Raw:
    """The events from one up to another."""
    return {name: column.take(slice(first, last)) for name, column in raw.items()}


def gathered_in_pieces(raw: Raw, cuts: Sequence[int], parameters: Parameters, rng: Random) -> Tables:
    """The dimensions of the probes, gathered from pieces in any order."""
    dimensions = dimensions_of(PROBE_RULES)
    pieces = [piece_of(raw, first, last) for first, last in pairwise(cuts)]
    gathered = [gather_piece(dimensions, piece, parameters) for piece in rng.sample(pieces, len(pieces))]
    return join_gathered(dimensions, gathered, parameters)


def judged_in_pieces(
    rules: Sequence[Rule], raw: Raw, cuts: Sequence[int], parameters: Parameters, tables: Tables, rng: Random
) -> Judgement:
    """Blocks between the cuts, merged with their neighbours in a random tree."""
    begins = rng.random() < 0.5
    parts = [
        check_block(
            rules,
            piece_of(raw, first, last),
            parameters,
            tables,
            begins=begins and first == 0,
            together=rng.choice((0, 0, 3)),
        )
        for first, last in pairwise(cuts)
    ]
    while len(parts) > 1:
        first = rng.randrange(len(parts) - 1)
        some = slice(first, first + rng.choice((2, 2, 3)))
        parts[some] = [merge(rules, parts[some], parameters, tables)]
    return merge(rules, parts, parameters, tables, close=True).judgement


def random_cuts(rng: Random, events: int) -> list[int]:
    """Where a trace of so many events is cut: nowhere, in a few places, or after every event."""
    many = rng.choice((0, 1, 3, 10, events))
    return sorted({0, events, *(range(events) if many == events else (rng.randint(0, events) for _ in range(many)))})


def differences(rules: Sequence[Rule], want: Judgement, got: Judgement) -> list[str]:
    """What two judgements of these rules do not agree on."""
    ids = {rule.id for rule in rules}
    keys = [key for key in want.counts.keys() | got.counts.keys() if key[0] in ids]
    counts = [
        f"{rule} {outcome.name}: {got.counts[rule, outcome]}, not {want.counts[rule, outcome]}"
        for rule, outcome in keys
        if got.counts[rule, outcome] != want.counts[rule, outcome]
    ]
    missed = [f"missed {one}" for one in want.violations - got.violations if one.rule in ids]
    return sorted(counts + missed + [f"invented {one}" for one in got.violations - want.violations])


def drawn(seed: int) -> tuple[list[dict[str, Any]], Parameters, Random]:
    """The trace of a seed, its parameters, and the generator that draws the cuts."""
    rng = Random(seed)
    nodes = NODES[seed % len(NODES)]
    events = random_events(rng, rng.choice((40, 80, 120)), nodes=nodes, logs=rng.choice((1, 2, 3)))
    return events, parameters_for(nodes), rng


def cut_and_compare(seed: int, meant: Judgement | None = None) -> list[str]:
    """What the reference and the columns reading do not agree on for this seed's trace, cut and merged at random.

    Args:
        seed: it draws the trace and the cuts.
        meant: what the reference evaluator says of the whole trace, where that is known.
    """
    events, parameters, rng = drawn(seed)
    raw, want = raw_of(events, parameters), meant or ReferenceEvaluator(events, parameters).judge(PROBE_RULES)
    tables = gathered_in_pieces(raw, random_cuts(rng, len(events)), parameters, rng)
    for rules in (PROBE_RULES, *([rule] for rule in rng.sample(PROBE_RULES, ALONE))):
        cuts = random_cuts(rng, len(events))
        if found := differences(rules, want, judged_in_pieces(rules, raw, cuts, parameters, tables, rng)):
            return [f"seed {seed}, {len(rules)} rules, cuts {cuts}", *found]
    return []
