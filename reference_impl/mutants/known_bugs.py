"""Mutants that are known bugs of replicated logs: each lacks the guard that closes one."""

from __future__ import annotations

from typing import Final

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.pages import Pages
from reference_impl.log.node_log import NodeLog
from reference_impl.log.storage import after_crash
from reference_impl.log.stream import inputs
from reference_impl.log.stream.inputs import Input
from reference_impl.log.stream.machine import Did, step
from reference_impl.log.stream.progress import make_progress
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.timers import Timer
from reference_impl.mutants.registry import mutant, setting
from reference_impl.plan import MILLISECOND, TOPOLOGIES, Faults

DRAINED: Final = setting(
    "single copies on three nodes, of which one after the other is drained, and readers that cannot hear all of them",
    topology=TOPOLOGIES["flat3"],
    replication={"node": 1},
    seed=68,
    logs=1,
    readers=6,
    clients=3,
    faults=Faults(
        rates={"drain": Rate(MILLISECOND), "one_way": Rate(MILLISECOND, 2 * MILLISECOND, 8 * MILLISECOND)}, corrupt=0.0
    ),
)
"""Where records move behind the backs of those who wait for their old homes."""


@mutant(after_crash)
def disk_lost_in_crash(here: NodeLog) -> NodeLog:
    """A node that crashes comes back without its copies, and answers as if it had never had any.

    LogDevice, Read path, Authoritative Status: a node that lost its data counts as underreplicated.
    """
    return after_crash(here)._replace(copies=Pages())


@mutant(step, where=DRAINED)
def empty_without_rewind(stream: Stream, message: Input) -> Did:
    """A reader that learns that a node is empty goes on with the answers that it has.

    LogDevice, common/client_read_stream/ClientReadStream.cpp: AUTHORITATIVE_EMPTY forces a rewind.
    """
    after, said = step(stream, message)
    if not isinstance(message, inputs.StatusesChanged) or stream.rewinding or not after.rewinding:
        return after, said
    after = make_progress(after.not_waiting(Timer.REWIND))
    return after._replace(said=()), (*said, *after.said)
