"""Mutants of greylists: nodes that are much slower than the others, and are passed over for a while."""

from __future__ import annotations

from typing import Final

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.weather import CALM
from reference_impl.log.context import GREYLIST
from reference_impl.log.delivery.adaptive import Adaptive
from reference_impl.log.delivery.greylist import Greylist, detect, outlier_limit, reinstate
from reference_impl.log.stream.inputs import Batch, Input, OutliersChanged
from reference_impl.log.stream.machine import Did, step
from reference_impl.log.stream.outputs import SendStart
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.timers import Timer
from reference_impl.mutants.registry import mutant, setting
from reference_impl.plan import MILLISECOND, TOPOLOGIES, Faults

SLOWNESS: Final = Faults(
    CALM,
    {
        "slow": Rate(4 * MILLISECOND, 3 * MILLISECOND, 15 * MILLISECOND),
        "crash": Rate(40 * MILLISECOND, 2 * MILLISECOND, 7 * MILLISECOND),
    },
)
"""Nodes are slow now and then, or down."""

WATCHED: Final = setting(
    "one node sends each record, and readers pass over nodes that are slow, as five nodes are now and then; what they "
    "ask of nodes, and what these send, is recorded, too",
    delivery=("single_copy",),
    on_the_wire=True,
    variants=(GREYLIST,),
    faults=SLOWNESS,
    topology=TOPOLOGIES["flat5"],
    replication={"node": 3},
    logs=2,
)

Found = tuple[Greylist, int | None]
"""Who is slow, and when to look again."""


@mutant(outlier_limit, where=WATCHED)
def lists_a_whole_copyset(replication: int, down: int) -> int:
    """A reader does not mind how many nodes are down when it calls others slow.

    LogDevice, common/client_read_stream/ClientReadStreamScd.cpp: some node of each copyset is to be left to send.
    """
    return replication + down


@mutant(reinstate, where=WATCHED)
def never_forgives(greylist: Greylist, now_ms: int, spread: float = 0.0) -> Greylist:  # noqa: ARG001 - as the decision
    """A node that was slow once is passed over for ever.

    LogDevice, Read path, SCD greylisting: nodes are reinstated after a probation period, and measured again.
    """
    return greylist


@mutant(step, where=WATCHED)
def forgives_whoever_sends(stream: Stream, message: Input) -> Did:
    """A reader takes a slow node back as soon as it sends something, as it does with nodes that were down.

    LogDevice, Read path, SCD greylisting: only after a probation period.
    """
    stream, said = step(stream, message)
    lists = stream.single_copy.lists
    if isinstance(message, Batch) and message.shard in lists.slow & lists.new_slow:
        stream = stream.with_single_copy(lists=lists._replace(new_slow=lists.new_slow - {message.shard}))
        stream = stream.waiting(Timer.REWIND)
    return stream, said


@mutant(step, where=WATCHED)
def keeps_its_list_to_itself(stream: Stream, message: Input) -> Did:
    """A reader that calls a node slow goes on by its old filters.

    LogDevice, Read path, SCD greylisting: others send in its place once the stream was rewound.
    """
    after, said = step(stream, message)
    is_news = isinstance(message, OutliersChanged) and not stream.rewinding
    return after.not_waiting(Timer.REWIND) if is_news else after, said


@mutant(step, where=WATCHED)
def asks_slow_nodes_to_send(stream: Stream, message: Input) -> Did:
    """A reader rewinds when it calls a node slow, but names only nodes that are down.

    LogDevice, common/client_read_stream/ClientReadStreamScd.cpp, FilteredOut: both lists go to the storage nodes.
    """
    stream, said = step(stream, message)
    down = stream.single_copy.lists.down
    return stream, tuple(one._replace(filtered_out=down) if isinstance(one, SendStart) else one for one in said)


def _with_next_terms(before: Greylist, found: Found, factor: float) -> Found:
    """The same, but whoever was found to be slow has another term the next time."""
    greylist, look = found
    nodes = dict(greylist.nodes)
    for node in greylist.outliers - before.outliers:
        value = before.nodes[node].term.value * factor
        nodes[node] = nodes[node]._replace(term=Adaptive(value, min(value, 60_000), 10 * value, 2, 250))
    return greylist._replace(nodes=nodes), look


@mutant(detect, where=WATCHED)
def lenient_with_repeaters(greylist: Greylist, now_ms: int, spread: float = 0.0) -> Found:
    """A node that is slow again is passed over for a fifth of the time only.

    LogDevice, common/ExponentialBackoffAdaptiveVariable.cpp: bad news double it.
    """
    return _with_next_terms(greylist, detect(greylist, now_ms, spread), 0.2)


@mutant(detect, where=WATCHED)
def hard_on_repeaters(greylist: Greylist, now_ms: int, spread: float = 0.0) -> Found:
    """A node that is slow again is passed over for eight times as long.

    LogDevice, common/ExponentialBackoffAdaptiveVariable.cpp: bad news double it.
    """
    return _with_next_terms(greylist, detect(greylist, now_ms, spread), 8)
