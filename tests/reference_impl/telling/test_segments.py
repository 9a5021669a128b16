"""Runs of the text ``leaseholder``, told as traces of segment layers and judged by all rules on these.

What the text allows is not called broken, and a run of each wrong form is. The text's goals are proved for any number
of nodes, channels and writers (``spec.proof.inductive``).
"""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from conformance.check.checking import verdict_of_events
from conformance.trace.header import Header, Member, Recorder, System
from reference_impl.kernel.explorer.result import Trace
from reference_impl.telling.runs import as_trace, at_random, through_every_step
from reference_impl.telling.segments import BY_CALLERS, BY_NODES, SegmentTeller
from reference_impl.telling.wrong import way_from
from spec.language.outcomes import Verdict
from spec.language.protocol.running import PackedWorld
from spec.protocols.registry import TEXTS
from spec.segment.channel_numbers import LOCAL_BITS
from spec.segment.events.universes import NODES
from spec.segment.family import SEGMENT

RUNS, LENGTH = 40, 30

STRICTER = "segment.write.in_order_sent"
"""The document implies that a node stores a writer's segments in the order sent; the text lets it store any of them."""

NOTICED = {
    "stale_writers_store": (
        "create 1 0, acquire 0 1 0, send 0 0 0, cancel 0, store 1 0 0 0",
        "segment.control.only_holder_stores",
    ),
    "gateways_store": (
        "create 1 0, gossip 1 0 0, acquire 0 0 0, send 0 0 0, store 0 0 0 0",
        "segment.store.at_leaseholder",
    ),
    "close_does_not_wait": (
        "create 1 0, acquire 0 1 0, send 0 0 0, ask_to_close 0, close 0",
        "segment.write.accepted_is_stored",
    ),
    "samples_overlap": (
        "create 1 0, acquire 0 1 0, send 0 0 0, send 0 0 1, store 1 0 0 0, store 1 0 0 1",
        "segment.store.disjoint",
    ),
}
"""A run of each wrong form of the text that a trace can show, and a rule that notices."""

WAITS = {"overlaps_are_not_answered"}
"""What waits for ever leaves no event."""


def machine(form: str = "", **bounds: int) -> PackedWorld:
    """The text in a small world."""
    return PackedWorld(TEXTS["leaseholder"].small(form, **bounds))


def broken(text: PackedWorld, run: Trace) -> set[str]:
    """The rules that are violated by a run, told as a trace."""
    rows = SegmentTeller(text, run).tell()
    recorders = dict.fromkeys(str(row["recorder"]) for row in rows)
    by_node = Recorder("node", {event.word: "complete" for event in BY_NODES})
    by_caller = Recorder("client", {event.word: "complete" for event in BY_CALLERS})
    header = Header(
        family=SEGMENT,
        system=System("leaseholder"),
        members={NODES.section: tuple(Member(f"n{number}") for number in range(4))},
        recorders={name: by_node if name.startswith("node") else by_caller for name in recorders},
        clock_bound_ns=0,
        low_bits=LOCAL_BITS,
        promises={"quiet": True, "lock": True},
    )
    return {one.rule.id for one in verdict_of_events(header, rows).rules if one.verdict is Verdict.VIOLATED}


def test_random_runs_are_not_called_broken() -> None:
    text = machine(channels=2, instants=3)
    found = [broken(text, at_random(text, Random(seed), LENGTH)) for seed in range(RUNS)]
    assert set().union(*found) <= {STRICTER}


def test_steps_of_the_smallest_world_are_not_called_broken() -> None:
    """Every four-hundredth run of those that take each step."""
    text = machine()
    assert set().union(*(broken(text, run) for run in islice(through_every_step(text), 0, 20_000, 400))) <= {STRICTER}


@pytest.mark.thorough
def test_every_step_of_the_smallest_world_is_not_called_broken() -> None:
    text = machine()
    assert set().union(*(broken(text, run) for run in islice(through_every_step(text), 20_000))) <= {STRICTER}


@pytest.mark.parametrize("form", sorted(set(TEXTS["leaseholder"].variants) - WAITS))
def test_a_wrong_form_is_noticed(form: str) -> None:
    run, rule = NOTICED[form]
    text = machine(form)
    assert rule in broken(text, as_trace(text, text.pack(text.world.start), way_from(text, run)))


def test_one_rule_forbids_more_than_the_text() -> None:
    """If it no longer does, it is asked of runs like all others."""
    text = machine()
    run = way_from(text, "create 1 0, acquire 0 1 0, send 0 0 0, send 0 0 2, store 1 0 0 2, store 1 0 0 0")
    assert broken(text, as_trace(text, text.pack(text.world.start), run)) == {STRICTER}


def test_a_run_is_told_from_its_first_step_on() -> None:
    """Nothing is told of no step."""
    text = machine()
    assert SegmentTeller(text, as_trace(text, text.pack(text.world.start), ())).tell() == []
