"""Windows share a sort only where its order keeps what they look at together (``spec.language.sql.windows``)."""

from __future__ import annotations

import re

from spec.events import Ack, OfWriter
from spec.events.positions import epoch
from spec.language.declare import View, along, any_of, min_of
from spec.language.handles import Bool, known
from spec.language.parameters import Parameters
from spec.language.rule import Rule, rule
from spec.language.sql.dialects import SPARK
from spec.language.sql.plan import statement


class Apart(View, one_per=(OfWriter.log, OfWriter.writer, OfWriter.lsn)):
    """LSNs of clients: in the order of the key, other clients stand between those of one epoch."""

    in_log, in_epoch = along(OfWriter.log), along(OfWriter.log, epoch(OfWriter.lsn))
    of_client = along(OfWriter.log, OfWriter.writer)
    in_its_epoch = along(OfWriter.log, OfWriter.writer, epoch(OfWriter.lsn))
    acked = any_of(Ack)
    seq = min_of(Ack.seq)
    last_in_log, last_in_epoch = in_log.latest(seq), in_epoch.latest(seq)
    last_of_client, last_in_its_epoch = of_client.latest(seq), in_its_epoch.latest(seq)


@rule("windows.apart", cite="none: a probe of windows")
def in_the_log_and_the_epoch(row: Apart) -> Bool:
    """An acknowledgement stands before, in the log and in the epoch."""
    return row.acked.implies(known(row.last_in_log) & known(row.last_in_epoch))


@rule("windows.together", cite="none: a probe of windows")
def of_the_client_and_in_its_epoch(row: Apart) -> Bool:
    """An acknowledgement of the client stands before, in the log and in the epoch."""
    return row.acked.implies(known(row.last_of_client) & known(row.last_in_its_epoch))


def partitions(probe: Rule) -> set[int]:
    """Of how many parts the windows of a rule make partitions."""
    text = statement([probe], "trace", SPARK, Parameters(size=3))
    return {len(parts.split(", ")) for parts in re.findall(r"PARTITION BY (.*?) ORDER BY", text)}


def test_a_sort_is_shared_only_where_the_order_keeps_parts_together() -> None:
    """Else the last value of the wider partition may be another part's, though this part has one of its own."""
    assert partitions(in_the_log_and_the_epoch) == {1, 2}
    assert partitions(of_the_client_and_in_its_epoch) == {2}
