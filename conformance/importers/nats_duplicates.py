"""Acknowledgements of what was stored before: a client tries again, and its second message is dropped.

Source: NATS documentation, JetStream, Message deduplication (``Nats-Msg-Id``): within a window, a message of a known
identity is not stored; its acknowledgement says so and names the sequence of the first. So the first append is
acknowledged, whatever its client had heard of it, and the second stored nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from conformance.importers.steps import WRITING, Did, Step
from conformance.trace.fields import DUPLICATE

Name: TypeAlias = tuple[str, object]
"""A client, and its own name of an append."""


def with_first_appends(steps: Sequence[Step]) -> list[Step]:
    """The steps, in which the first append of a message is the one that is acknowledged.

    Which was the first is seen by its payload: it was acknowledged at the same sequence, or nobody told its client how
    it ended. Where there is none, the acknowledgement stays as it is: the client's library tried again by itself.
    """
    ends = {_name(step): step for step in steps if step.did in WRITING and step.did is not Did.INVOKED}
    begun: dict[object, list[Name]] = defaultdict(list)
    told: list[Step] = []
    for step in steps:
        if step.did is Did.INVOKED:
            begun[step.log, step.payload].append(_name(step))
        elif DUPLICATE in step.more and (first := _first(step, begun[step.log, step.payload], ends)):
            if not _is_at(step, ends.get(first)):
                told.append(replace(step, name=first[1]))
                ends[first] = told[-1]
            ends[_name(step)] = replace(step, did=Did.REFUSED)
            told.append(ends[_name(step)])
            continue
        told.append(step)
    return [step for step in told if step.did is not Did.UNKNOWN or ends[_name(step)] is step]


def _first(step: Step, begun: Iterable[Name], ends: dict[Name, Step]) -> Name | None:
    """The append that stored what a duplicate was acknowledged for, as far as can be told."""
    others = [name for name in begun if name != _name(step)]
    stored = [name for name in others if _is_at(step, ends.get(name))]
    open_still = [
        name for name in others if name[0] == step.client and (name not in ends or ends[name].did is Did.UNKNOWN)
    ]
    return next(iter(stored + open_still), None)


def _is_at(step: Step, end: Step | None) -> bool:
    return end is not None and end.did is Did.ACKNOWLEDGED and end.offset == step.offset


def _name(step: Step) -> Name:
    return step.client, step.name
