"""Ensembles that a placement policy does not allow: each different one is held to it once."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from spark_checks.audit.cluster import Cluster
from spark_checks.audit.findings import of_one_category
from spark_checks.audit.ledgers import Ledgers
from spec.ledger.placement.adherence import Adherence, anywhere
from spec.ledger.schedule import Quorums
from spec.ledger.violations import Category

Array: TypeAlias = "np.ndarray[Any, Any]"


def misplaced(ledgers: Ledgers, chosen: Array, cluster: Cluster, names: Any) -> Any:
    """The segments of some ledgers whose ensembles the policy does not allow.

    BookKeeper, BP-34, High Level Logic: the ensemble of each segment is in agreement with the placement policy.

    Args:
        ledgers: the metadata of all.
        chosen: the rows of those to look at.
        cluster: whose policy it is.
        names: what bookies are called, as an array of Arrow.
    """
    of = ledgers.of_segment
    segments = np.flatnonzero(np.isin(of, chosen)) if cluster.policy is not anywhere else np.zeros(0, int)
    sizes = ledgers.ensemble[of[segments]]
    wrong = [_disallowed(ledgers, segments[sizes == size], int(size), cluster) for size in np.unique(sizes)]
    segment = np.sort(np.concatenate([np.zeros(0, int), *wrong]))
    count = ledgers.ensemble[of[segment]]
    begins = np.concatenate(([0], np.cumsum(count)))
    bookies = ledgers.bookies[np.repeat(ledgers.member[segment] - begins[:-1], count) + np.arange(begins[-1])]
    lists = pa.ListArray.from_arrays(pa.array(begins, pa.int32()), names.take(pa.array(bookies)))
    return of_one_category(Category.MISPLACED, ledgers.number[of[segment]], lists, segment=ledgers.first[segment])


def _disallowed(ledgers: Ledgers, segments: Array, size: int, cluster: Cluster) -> Array:
    """The segments, all with ensembles of one size, that the policy does not allow."""
    ledger = ledgers.of_segment[segments]
    members = ledgers.bookies[ledgers.member[segments, None] + np.arange(size)]
    kinds, kind = np.unique(
        np.column_stack((ledgers.write[ledger], ledgers.ack[ledger], members)), axis=0, return_inverse=True
    )
    fails = np.fromiter((_fails(cluster, size, *row) for row in kinds.tolist()), bool, len(kinds))
    wrong: Array = segments[fails[kind.reshape(-1)]]
    return wrong


def _fails(cluster: Cluster, size: int, write: int, ack: int, *members: int) -> bool:
    ensemble = [cluster.bookies[member].name for member in members]
    return cluster.policy(ensemble, Quorums(size, write, ack)) is Adherence.FAIL
