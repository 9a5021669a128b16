"""The example of LogDevice, Recovery, as a trace: every rule holds, and what the document warns of breaks one.

Nodes 0 to 4 are N1 to N5, with three copies of each record. Of epoch 5, e5n4 is the last known good LSN, e5n6 was
acknowledged, e5n5 was stored nowhere, and e5n7 on N4 only; then the sequencer and N1 go down.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from spec.events import (
    BRIDGE,
    HOLE,
    RECORD,
    Ack,
    Append,
    Clean,
    Deliver,
    Gap,
    Invoke,
    Mutate,
    NewEpoch,
    Read,
    Release,
    Seal,
    Store,
)
from spec.log.topology import Topology
from spec.registry import RULES
from tests.support.tiny import at, outcomes

Event = dict[str, Any]
FIVE = Topology.flat(5).parameters()
LAST_ESN = (1 << 32) - 1
ALL, UP = frozenset(range(5)), (1, 2, 3, 4)
SEQUENCERS = {5: 0, 6: 1}


def new_epoch(epoch: int) -> Event:
    return at(NewEpoch, epoch, 0, sequencer=SEQUENCERS[epoch], nodeset=ALL, replication={"node": 3})


def appended(epoch: int, esn: int, *nodes: int, acked: bool = False) -> list[Event]:
    """An append, its copies, and its acknowledgement if there was one."""
    copyset = frozenset(nodes)
    copies = [
        at(Store, epoch, esn, node=node, wave=1, becomes=RECORD, recovery=0, copyset=copyset, digest=esn)
        for node in nodes
    ]
    ack = at(Ack, epoch, esn, writer=1, digest=esn, required=3, copyset=copyset)
    asked = at(Invoke, writer=1, digest=esn)
    return [asked, at(Append, epoch, esn, sequencer=SEQUENCERS[epoch], digest=esn), *copies, *([ack] if acked else [])]


def decided(esn: int, becomes: int, *nodes: int) -> list[Event]:
    """What the recovery of epoch 6 makes of an LSN of epoch 5, and where it stores it."""
    digest = esn if becomes == RECORD else 0
    copies = [
        at(Store, 5, esn, node=node, wave=1, becomes=becomes, recovery=6, copyset=frozenset(nodes), digest=digest)
        for node in nodes
    ]
    return [at(Mutate, 5, esn, becomes=becomes, recovery=6, digest=digest), *copies]


def before() -> list[Event]:
    """Until the sequencer and N1 go down, and another one takes appends in epoch 6."""
    old = [*appended(5, 4, 0, 1, 2, acked=True), at(Release, 5, 4), *appended(5, 5)]
    new = [new_epoch(6), *appended(6, 1, 1, 2, 3, acked=True)]
    return [new_epoch(5), *old, *appended(5, 6, 0, 1, 2, acked=True), *appended(5, 7, 3), *new]


def seals() -> list[Event]:
    return [at(Seal, 5, 0, node=node) for node in UP]


def outcome() -> list[Event]:
    """A hole, two records and the bridge, on three nodes that are up."""
    kinds = {5: HOLE, 6: RECORD, 7: RECORD, 8: BRIDGE}
    return [event for esn, becomes in kinds.items() for event in decided(esn, becomes, 1, 2, 3)]


def finished() -> list[Event]:
    return [at(Clean, 5, 8, recovery=6), at(Release, 6, 1)]


def delivered(epoch: int, esn: int, reader: int = 9) -> Event:
    return at(Deliver, epoch, esn, reader=reader, digest=esn)


def gap(esn: int, reason: int, upto: int) -> Event:
    return at(Gap, 5, esn, upto_esn=upto, reader=9, reason=reason, responders=None, statuses=None)


def reading() -> list[Event]:
    """A reader goes over the hole and the bridge into epoch 6."""
    over = [gap(5, HOLE, 5), delivered(5, 6), delivered(5, 7), gap(8, BRIDGE, LAST_ESN)]
    return [at(Read, 5, 4, reader=9), delivered(5, 4), *over, delivered(6, 1)]


def broken(events: Iterable[Event]) -> set[str]:
    """The rules that are violated. Whoever writes later is later."""
    timed = [event | {"seq": tick, "time_ns": tick} for tick, event in enumerate(events, start=1)]
    return {rule.id for rule in RULES if "violated" in outcomes(rule, *timed, parameters=FIVE)}


def test_the_example_keeps_every_rule() -> None:
    """From the normal state to the final one, and what a reader is given."""
    assert broken([*before(), *seals(), *outcome(), *finished(), *reading()]) == set()


def test_it_is_judged_by_the_rules_of_recovery() -> None:
    """So that their silence says something."""
    timed = [*before(), *seals(), *outcome(), *finished(), *reading()]
    judged = {rule.id for rule in RULES if "holds" in outcomes(rule, *timed, parameters=FIVE)}
    assert {found for found in judged if found.startswith(("log.recovery", "log.release"))} >= {
        "log.recovery.hole_is_benign",
        "log.recovery.keeps_acked",
        "log.recovery.bridge_is_last",
        "log.recovery.outcome_is_replicated",
        "log.recovery.before_release",
        "log.release.is_replicated",
        "log.release.before_delivery",
    }


@pytest.mark.parametrize(
    ("events", "rule"),
    [
        pytest.param(
            [*before(), at(Release, 6, 1), *seals(), *outcome(), at(Clean, 5, 8, recovery=6)],
            "log.recovery.before_release",
            id="the pointer is advanced at once",
        ),
        pytest.param(
            [*before(), at(Release, 5, 7)], "log.release.is_replicated", id="records of one copy are released"
        ),
        pytest.param(
            [*before(), *seals(), *appended(5, 5, 4)[2:], *outcome()],
            "log.seal.fences",
            id="an append in flight is stored after the seal",
        ),
        pytest.param(
            [*before(), *seals(), *outcome(), *finished(), delivered(5, 5, reader=8), *reading()],
            "log.read.repeatable_gaps",
            id="two readers have different views",
        ),
        pytest.param(
            [*before(), *seals(), *decided(6, HOLE, 1, 2, 3)],
            "log.recovery.hole_is_benign",
            id="an acknowledged record becomes a hole",
        ),
        pytest.param(
            [*before(), *seals(), *decided(6, BRIDGE, 1, 2, 3)],
            "log.recovery.bridge_is_last",
            id="the epoch ends below an acknowledged record",
        ),
        pytest.param(
            [*before(), *seals(), *decided(7, RECORD, 3), *finished()],
            "log.recovery.outcome_is_replicated",
            id="the outcome is stored on one node",
        ),
        pytest.param(
            [*before(), *seals(), *outcome(), *finished(), *reading()[:2], delivered(5, 6)],
            "log.read.covers_all",
            id="the hole is passed over without a word",
        ),
    ],
)
def test_what_the_document_warns_of_breaks_a_rule(events: list[Event], rule: str) -> None:
    """Recovery example: what could go wrong without each of its steps."""
    assert rule in broken(events)
