"""The greylist: nodes that send much slower than their peers, so that others send in their place for a while.

LogDevice, Read path, SCD greylisting; common/client_read_stream/ClientReadStreamFailureDetector.cpp. Measured is the
time from a slide of the window to the moment at which a node is past its end. Who stays behind may become an outlier:
it is on probation for a term, then reinstated and measured anew; the term doubles each time, and shrinks with every
window that the node completes in time. The detection itself grows less eager with each outlier that it finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, inf
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.log.copies import Nodes
from reference_impl.log.delivery.adaptive import Adaptive, grown, shrunk
from reference_impl.log.delivery.latency import Latencies, average_ms, with_sample
from reference_impl.log.delivery.outliers import Detection, Sample, find_outliers
from reference_impl.log.delivery.shipping import NOBODY

FIRST_TERM: Final = Adaptive(60_000, least=60_000, most=1_800_000, factor=2, decay_per_s=250)
"""How long an outlier is passed over, in ms: reader-slow-shards-detection-outlier-duration and its decrease rate."""

FIRST_MARGIN: Final = Adaptive(10, least=10, most=inf, factor=2, decay_per_s=0.25)
"""By how many times the mean an outlier is slower: reader-slow-shards-detection-required-margin, and its rate."""

RETRY_MS: Final = 10
"""How long after the threshold the detection is tried again."""


class Watched(NamedTuple):
    """What is known of one node.

    Attributes:
        next_lsn: it has sent everything below this.
        latencies: how long it took for past windows.
        term: how long it is passed over once it is an outlier, in ms.
        until_ms: if it is an outlier, when it is reinstated.
        latency_ms: if it is an outlier, what made it one.
    """

    next_lsn: int = 1
    latencies: Latencies = ()
    term: Adaptive = FIRST_TERM
    until_ms: float = inf
    latency_ms: float = 0


class Window(NamedTuple):
    """A slide of the window: up to which LSN, and when."""

    high_lsn: int
    since_ms: int


class Greylist(NamedTuple):
    """The detector of one read stream.

    Attributes:
        nodes: the nodes that are measured.
        candidates: those of them that may be outliers.
        limit: how many outliers there may be.
        outliers: the outliers.
        windows: the last two slides, or fewer.
        version: the filter version of the windows.
        margin: by how many times the mean an outlier is slower.
    """

    nodes: Mapping[int, Watched]
    candidates: Nodes = NOBODY
    limit: int = 0
    outliers: Nodes = NOBODY
    windows: tuple[Window, ...] = ()
    version: int = 0
    margin: Adaptive = FIRST_MARGIN

    def behind(self, window: Window) -> Nodes:
        """The candidates that have not sent all of a window."""
        return frozenset(node for node in self.candidates if self.nodes[node].next_lsn <= window.high_lsn)


@decision
def outlier_limit(replication: int, down: int) -> int:
    """Outliers and nodes that are down and not empty are together fewer than the copies of a record.

    LogDevice, common/client_read_stream/ClientReadStreamScd.cpp: so that some node of each copyset is left to send.
    """
    return max(0, replication - 1 - down)


def with_nodes(greylist: Greylist, nodes: Nodes, candidates: Nodes, limit: int) -> Greylist:
    """Measure these nodes, of which the candidates may be outliers; nodes that stay keep what is known of them."""
    known = {node: greylist.nodes.get(node, Watched()) for node in sorted(nodes)}
    candidates &= nodes
    return greylist._replace(nodes=known, candidates=candidates, limit=limit, outliers=greylist.outliers & candidates)


def on_slide(greylist: Greylist, window: Window, version: int, spread: float = 0.0) -> Greylist:
    """The window slides; after a rewind everything is measured anew."""
    if version != greylist.version:
        nodes = {node: watched._replace(next_lsn=1) for node, watched in greylist.nodes.items()}
        greylist = greylist._replace(nodes=nodes, windows=(), version=version)
    windows = (*greylist.windows, window)[-2:]
    return greylist._replace(windows=windows, margin=shrunk(greylist.margin, window.since_ms, spread))


def on_progress(greylist: Greylist, node: int, next_lsn: int, now_ms: int, spread: float = 0.0) -> Greylist:
    """A node sent something: each window that it completes is a sample, and good news for its term."""
    watched = greylist.nodes.get(node)
    if watched is None or next_lsn <= watched.next_lsn:
        return greylist
    completed = [window for window in greylist.windows if watched.next_lsn <= window.high_lsn < next_lsn]
    watched = watched._replace(next_lsn=next_lsn)
    for window in completed:
        watched = watched._replace(latencies=with_sample(watched.latencies, now_ms, now_ms - window.since_ms))
        if node not in greylist.outliers:
            watched = watched._replace(term=shrunk(watched.term, now_ms, spread))
    return greylist._replace(nodes={**greylist.nodes, node: watched})


@decision
def detect(greylist: Greylist, now_ms: int, spread: float = 0.0) -> tuple[Greylist, int | None]:
    """If few enough candidates are behind in the last window, those much slower than the rest become outliers.

    To be asked when a node completes the last window, and again after the time that is given, if one is: the ms until
    those behind would reach the threshold.
    """
    if not greylist.windows:
        return greylist, None
    window = greylist.windows[-1]
    behind = greylist.behind(window)
    if not 0 < len(behind) <= greylist.limit:
        return greylist, None
    found = _slow(greylist, window, behind, now_ms)
    if any(sample.key not in greylist.outliers for sample in found.outliers):
        return _with_outliers(greylist, found, now_ms, spread), None
    wait_ms = found.threshold - (now_ms - window.since_ms)
    return greylist, ceil(wait_ms) + RETRY_MS if 0 < wait_ms < inf else None


@decision
def reinstate(greylist: Greylist, now_ms: int, spread: float = 0.0) -> Greylist:
    """An outlier whose term is over is one no longer, and what was measured of it is forgotten."""
    back = {node for node in greylist.outliers if greylist.nodes[node].until_ms <= now_ms}
    nodes = {
        node: watched._replace(latencies=(), until_ms=inf, term=shrunk(watched.term, now_ms, spread))
        if node in back
        else watched
        for node, watched in greylist.nodes.items()
    }
    return greylist._replace(nodes=nodes, outliers=greylist.outliers - back)


def _slow(greylist: Greylist, window: Window, behind: Nodes, now_ms: int) -> Detection[int]:
    """Compare how long those behind take so far with what the others took, and outliers when they became ones."""
    samples = []
    for node, watched in greylist.nodes.items():
        if node in greylist.outliers:
            samples.append(Sample(node, watched.latency_ms))
        elif node in behind:
            samples.append(Sample(node, now_ms - window.since_ms))
        elif node in greylist.candidates:
            average = average_ms(watched.latencies, now_ms)
            samples += [Sample(node, average)] if average is not None else []
    return find_outliers(
        samples, len(behind), margin=greylist.margin.value, may_be=(behind | greylist.outliers).__contains__
    )


def _with_outliers(greylist: Greylist, found: Detection[int], now_ms: int, spread: float) -> Greylist:
    nodes = dict(greylist.nodes)
    for node, latency_ms in found.outliers:
        if node not in greylist.outliers:
            watched = nodes[node]
            nodes[node] = watched._replace(
                until_ms=now_ms + watched.term.value, latency_ms=latency_ms, term=grown(watched.term, spread)
            )
    outliers = frozenset(sample.key for sample in found.outliers)
    return greylist._replace(nodes=nodes, outliers=outliers, margin=grown(greylist.margin, spread))
