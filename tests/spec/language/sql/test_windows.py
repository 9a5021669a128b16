"""Windows share a sort where the last value of a wider partition tells another (``spec.language.sql.windows``)."""

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


class Together(View, one_per=(OfWriter.log, OfWriter.writer, OfWriter.lsn)):
    """LSNs of clients: in the order of the key, those of one epoch stand together."""

    of_client = along(OfWriter.log, OfWriter.writer)
    in_its_epoch = along(OfWriter.log, OfWriter.writer, epoch(OfWriter.lsn))
    acked = any_of(Ack)
    seq = min_of(Ack.seq)
    last_of_client, last_in_its_epoch = of_client.latest(seq), in_its_epoch.latest(seq)
    most_in_its_epoch = in_its_epoch.highest(seq)


@rule("windows.together", cite="none: a probe of windows")
def of_the_client_and_in_its_epoch(row: Together) -> Bool:
    """An acknowledgement of the client stands before, in the log and in the epoch."""
    return row.acked.implies(known(row.last_of_client) & known(row.last_in_its_epoch))


@rule("windows.apart", cite="none: a probe of windows")
def the_client_and_the_highest_in_its_epoch(row: Together) -> Bool:
    """An acknowledgement of the client stands before, and there is a highest one in its epoch."""
    return row.acked.implies(known(row.last_of_client) & known(row.most_in_its_epoch))


def partitions(probe: Rule) -> set[int]:
    """Of how many parts the windows of a rule make partitions."""
    text = statement([probe], "trace", SPARK, Parameters(size=3))
    return {len(parts.split(", ")) for parts in re.findall(r"PARTITION BY (.*?) ORDER BY", text)}


def test_the_last_value_of_a_narrower_partition_is_looked_for_in_the_wider_one() -> None:
    """Rows of a partition stand together: it is the narrower one's if it comes from there. The greatest need not be."""
    assert partitions(of_the_client_and_in_its_epoch) == {2}
    assert partitions(the_client_and_the_highest_in_its_epoch) == {2, 3}
