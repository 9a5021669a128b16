"""Watching: how a reader keeps its greylist while it reads.

LogDevice, Read path, SCD greylisting; common/client_read_stream/ClientReadStreamScd.cpp, onOutliersChanged and
updateFailureDetectorWorkingSet. The detector is told of each slide of the window, and of each node that gets on; when
its outliers change, the read stream is told, which rewinds. Its clock is the reader's, on the scale of ``Timing``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, inf
from typing import Final, NamedTuple

from reference_impl.kernel.step import After, Effect, Note
from reference_impl.log import trace_events
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.delivery.greylist import (
    FIRST_MARGIN,
    Greylist,
    Window,
    detect,
    on_progress,
    on_slide,
    outlier_limit,
    reinstate,
    with_nodes,
)
from reference_impl.log.reading_messages import LookAgain
from reference_impl.log.stream.inputs import OutliersChanged
from reference_impl.log.stream.state import Mode, Stream
from spec.events import ALL_SEND, HAS_LEFT, IS_DOWN, OTHERS_ARE_SLOWER, TERM_IS_OVER
from spec.log.status import Status

MARGIN: Final = FIRST_MARGIN._replace(value=1, least=1)
"""An outlier is twice as slow as the others, not eleven times: LogDevice leaves that to a setting,
reader-slow-shards-detection-required-margin, and its own tests of the detector choose this."""


class Listed(NamedTuple):
    """What a reader remembers of its listing of a node.

    Attributes:
        times: how often it listed the node before.
        term_ns: for how long it did so last.
    """

    times: int
    term_ns: int


class Watch(NamedTuple):
    """The greylist of one reader, and when to look at it again.

    Attributes:
        detector: what is known of how long nodes take.
        listed: the nodes that it has listed, now or before.
        look_ns: when those that are behind may be called slow, by the reader's clock.
        due_ns: when the reader looks again.
        looks: how many such times were set.
    """

    detector: Greylist = Greylist({}, margin=MARGIN)
    listed: Mapping[int, Listed] = {}
    look_ns: float = inf
    due_ns: float = inf
    looks: int = 0


class World(NamedTuple):
    """When something happens, and by which rules.

    Attributes:
        now_ns: the reader's clock.
        context: its decisions and its timing.
    """

    now_ns: int
    context: LogContext

    @property
    def ticks(self) -> int:
        """The reader's clock as the detector reads it."""
        return self.now_ns // self.context.timing.detector_tick_ns


def slow(stream: Stream) -> Nodes:
    """The nodes that the stream lists as slow, from its next rewind on at the latest."""
    return stream.single_copy.lists.new_slow - stream.single_copy.lists.new_down


def down(stream: Stream) -> Nodes:
    """The nodes that it takes to be down, and not empty."""
    senders, lists = stream.senders, stream.single_copy.lists
    return frozenset(node for node in lists.down | lists.new_down if _has_data(senders[node].status))


def _has_data(status: Status) -> bool:
    return status is not Status.AUTHORITATIVE_EMPTY


# --------------------------------------------------------------------------------------------- what is seen


def watched(watch: Watch, before: Stream, after: Stream, world: World) -> tuple[Watch, list[OutliersChanged]]:
    """What a step of the stream says of its nodes; where the outliers change, what the stream is to be told.

    While a rewind is due nobody is called slow: LogDevice rewinds at once, and then measures anew.
    """
    known = _with_nodes(watch.detector, after, world.context)
    detector = with_progress(known, before, after, world.ticks)
    ended = any(detector.behind(window) < known.behind(window) for window in detector.windows[-1:])
    watch = watch._replace(detector=detector, listed=_remembered(watch.listed, detector))
    watch, news = looked(watch, world) if ended and not after.rewinding else (watch, [])
    return watch._replace(detector=with_slide(watch.detector, before, after, world.ticks)), news


def _with_nodes(detector: Greylist, stream: Stream, context: LogContext) -> Greylist:
    """Nodes that are down or empty are no candidates, nor is anybody where all send.

    LogDevice goes on to measure then, and lists nobody; and it waits for a rewind with nodes that are to be down.
    """
    metadata, copies = stream.known.metadata, stream.single_copy
    if metadata is None:
        return detector
    tracked = frozenset(node for node, sender in stream.senders.items() if _has_data(sender.status))
    one_sends = copies.active and copies.planned is not Mode.ALL_SEND_ALL
    candidates = tracked - copies.lists.down - copies.lists.new_down if one_sends else frozenset()
    limit = context.decides(outlier_limit)(max(metadata.replication.values()), len(down(stream)))
    if (tracked, candidates, limit) == (frozenset(detector.nodes), detector.candidates, detector.limit):
        return detector
    return with_nodes(detector, tracked, candidates, limit)


def with_progress(detector: Greylist, before: Stream, after: Stream, now: int) -> Greylist:
    """Nodes that have sent more than before."""
    if after.senders is not before.senders:
        for node, sender in after.senders.items():
            if sender is not before.senders.get(node):
                detector = on_progress(detector, node, sender.next_lsn, now)
    return detector


def with_slide(detector: Greylist, before: Stream, after: Stream, now: int) -> Greylist:
    """The window slid, or there is one to measure for the first time."""
    begins = before.known.metadata is None and after.known.metadata is not None
    if not begins and after.window.high == before.window.high:
        return detector
    return on_slide(detector, Window(after.window.high, now), after.version)


# ------------------------------------------------------------------------------------------- what is concluded


def looked(watch: Watch, world: World) -> tuple[Watch, list[OutliersChanged]]:
    """Look for nodes that are much slower than the others."""
    before, tick_ns = watch.detector, world.context.timing.detector_tick_ns
    detector, wait = world.context.decides(detect)(before, world.ticks)
    listed = dict(watch.listed)
    for node in sorted(detector.outliers - before.outliers):
        times = listed[node].times + 1 if node in listed else 0
        until_ns = ceil(detector.nodes[node].until_ms) * tick_ns
        listed[node] = Listed(times, until_ns - world.now_ns)
    look_ns = inf if wait is None else (world.ticks + wait) * tick_ns
    return _concluded(watch._replace(listed=listed, look_ns=look_ns), detector)


def looked_again(watch: Watch, world: World, *, rewinding: bool) -> tuple[Watch, list[OutliersChanged]]:
    """It is time: nodes whose term is over come back, and those behind may be called slow."""
    watch, back = _concluded(watch, world.context.decides(reinstate)(watch.detector, world.ticks))
    if watch.look_ns > world.now_ns:
        return watch, back
    watch = watch._replace(look_ns=inf)
    watch, found = (watch, []) if rewinding else looked(watch, world)
    return watch, [*back, *found]


def _concluded(watch: Watch, detector: Greylist) -> tuple[Watch, list[OutliersChanged]]:
    news = [OutliersChanged(detector.outliers)] if detector.outliers != watch.detector.outliers else []
    return watch._replace(detector=detector), news


def _remembered(listed: Mapping[int, Listed], detector: Greylist) -> Mapping[int, Listed]:
    """Of a node that left, or lost its data, nothing is remembered."""
    if listed.keys() <= detector.nodes.keys():
        return listed
    return {node: one for node, one in listed.items() if node in detector.nodes}


# ------------------------------------------------------------------------------------------------ what is done


def alarm(watch: Watch, world: World) -> tuple[Watch, tuple[Effect, ...]]:
    """Look again when the first term is over, or when those behind may be called slow."""
    tick_ns = world.context.timing.detector_tick_ns
    ends = (ceil(watch.detector.nodes[node].until_ms) * tick_ns for node in watch.detector.outliers)
    due_ns = min(end for end in (inf, watch.look_ns, *ends) if end > world.now_ns)
    if due_ns == watch.due_ns:
        return watch, ()
    looks = watch.looks + (due_ns < inf)
    effects = (After(int(due_ns) - world.now_ns, LookAgain(looks)),) if due_ns < inf else ()
    return watch._replace(due_ns=due_ns, looks=looks), effects


def changes(reader: tuple[int, int], at: int, watch: Watch, before: Stream, after: Stream) -> Iterator[Note]:
    """What is recorded of the list: who leaves it and why, and who comes onto it.

    Args:
        reader: its log and number.
        at: the next LSN that it is to be given.
        watch: what it knew of slow nodes.
        before: its stream before the list changed.
        after: the same afterwards.
    """
    was, is_now = slow(before), slow(after)
    if was == is_now:
        return
    on_list, found = was, bool(is_now - was)
    for node in sorted(was - is_now):
        on_list -= {node}
        said, by = (on_list, why(node, after, found=found)), (before.version, watch.listed[node].term_ns)
        yield trace_events.reinstated(reader, at, node, said, by)
    for node in sorted(is_now - was):
        on_list |= {node}
        listed, by = (on_list, down(after), watch.listed[node].times), (before.version, watch.listed[node].term_ns)
        yield trace_events.greylisted(reader, at, node, listed, by)


def why(node: int, stream: Stream, *, found: bool) -> int:
    """Why a node is no longer listed as slow; where others were found to be slow, it may look like the rest."""
    if not stream.single_copy.active:
        return ALL_SEND
    if node not in stream.senders:
        return HAS_LEFT
    if node in stream.single_copy.lists.new_down:
        return IS_DOWN
    return OTHERS_ARE_SLOWER if found else TERM_IS_OVER
