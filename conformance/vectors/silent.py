"""Silent parts: what cases say beside the question and the answer, and no runner has to read.

Every other part that nobody reads makes its case not applicable, by its name: to agree with a case without having read
all of it would be a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Final

ABOUT: Final = (
    "id",
    "source_file",
    "source_test",
    "provenance",
    "certain",
    "uncertain",
    "derived",
    "title",
    "cause",
    "reason",
    "rule",
    "sign",
    "reason",
    "verdict",
    "setup",
    "model_*",
    "assertions_not_converted",
)
"""Where a case is from, how sure it is, and what decides it."""

OF_KIND: Final[Mapping[str, tuple[str, ...]]] = {
    "f-majority": (
        "shards.*.shard",  # part of the shard's name
        "authoritative_status",  # says nothing of where copies may lie
        "expected",  # compared by whoever runs the case
    ),
    "client read stream": (
        "steps[].replication",  # of an update of the configuration: streams use what epochs say
        "steps[].alive",  # what the cluster thinks has no effect on a stream
        "steps[].node",
        "steps[].shards",  # of a remark alone
    ),
    "epoch recovery": (
        # worked out beside the test, which does not assert it
        "epochs[].fmajority",
        "epochs[].participants",
        "epochs[].model_*",
        "epochs[].mutation_set",
        "epochs[].consensus_lng",
        "digested_nodes",
        # said again by other parts
        "records_by_node.*[].lsn",
        "seal_epoch",
        "replication",
        "epoch",
        "digest_start_esn",
        "digest_stream_end",
        "digest.*",  # of shards that do not take part
        "sealed[].node",
        "sealed[].last_timestamp_or_esn_field",
    ),
    "reader helpers": ("ops[].arg",),
    "recovery helpers": ("epoch", "erm", "erm.last_digest_esn"),
    "single copy delivery": ("node_locations",),  # says nothing where no client has a location
    "availability": ("input.groups",),  # said again by the bytes
    "distribution schedule": (
        "input",
        "input.*",
    ),  # a table is about all inputs; sizes that cannot be are refused first
    "placement": ("marks[].ledger", "marks[].closed"),
    "replicas check": (
        "bookie_answers.*",  # of bookies in no ensemble
        "ledger.last_entry_id",  # of ledgers that are not closed
    ),
    "segment iterator": (
        "channels*",
        "layout*",
        "open",
        "steps[].agrees",
        "steps[].observed.view",
        "steps[].observed.series[].*",
    ),
    "merged acknowledgements": ("op",),
    "traces": ("system", "defect", "model"),  # of a track record: what went wrong, and where a model shows it
}
"""What cases of a kind say besides, by the kind's name."""

_PLACE: Final = re.compile(r"\[\d+\]")


def unread(kind: str, paths: Iterable[str], *, disagrees: bool = False) -> list[str]:
    """The paths, of some that nobody has read, that a runner of a kind would have to read.

    Args:
        kind: the kind's name.
        paths: what nobody has read.
        disagrees: the case is found to disagree: what else it expects does not matter any more.
    """
    silent = (*ABOUT, *OF_KIND.get(kind, ()), *(("*expected*", "*observed*") if disagrees else ()))
    return [path for path in paths if not any(_matches(path, pattern) for pattern in silent)]


def _matches(path: str, pattern: str) -> bool:
    return fnmatchcase(_PLACE.sub("{}", path), pattern.replace("[]", "{}"))
