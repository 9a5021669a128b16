"""Observed state: what the events so far say of the cluster and of each log.

They are changed in place: a step must cost a few microseconds, and copies of a log's state at each of millions of
events do not. Nobody but ``TraceChecker.step`` changes them, after all guards agreed.
"""

from reference_impl.replay.observed.cluster import Cluster, Rebuilds
from reference_impl.replay.observed.epochs import Epoch, Recovering, Wave
from reference_impl.replay.observed.logs import ASKED, REFUSED, Log, Session
from reference_impl.replay.observed.shards import Held, Shard

__all__ = [
    "ASKED",
    "REFUSED",
    "Cluster",
    "Epoch",
    "Held",
    "Log",
    "Rebuilds",
    "Recovering",
    "Session",
    "Shard",
    "Wave",
]
