"""Placing: the blocks of appends that a sequencer places on one copyset.

Sources: LogDevice, Read path, Sticky copysets; common/CopySetManager.cpp. A trace that does not record where appends
are to go first has no instances of these rules.
"""

from __future__ import annotations

from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.log.replication import can_replicate
from spec.log.views import Choice


@rule(
    "log.place.block_has_one_copyset",
    cite="LogDevice, Read path, Sticky copysets: it effectively groups records in large variable size blocks",
    promise="placement",
)
def blocks_have_one_copyset(choice: Choice) -> Bool:
    """An append goes where the append before it went, if both are of one block."""
    same = (choice.copyset <= choice.copyset_before) & (choice.copyset_before <= choice.copyset)
    return (known(choice.block_before) & (choice.block == choice.block_before)).implies(same)


@rule(
    "log.place.block_ends_for_a_reason",
    cite="LogDevice, Read path, Sticky copysets: the same copyset, as long as the writes on it complete successfully",
    promise="whole_blocks",
)
def blocks_end_for_a_reason(choice: Choice) -> Bool:
    """A block ends when it is full, or when one of its nodes is to be avoided.

    A sequencer may go on with a copyset, but need not: one whose blocks end by bytes or by time does not promise this.
    """
    is_full = choice.esn >= choice.block_before + choice.room
    has_failed = ~(choice.copyset_before & choice.avoided).is_empty()
    ends = known(choice.block_before) & (choice.block != choice.block_before)
    return ends.implies((choice.block == choice.esn) & (is_full | has_failed))


@rule(
    "log.place.avoids_who_failed",
    cite="LogDevice, Read path, Copyset: the sequencer changes the copyset if a node fails to store",
    promise="placement",
)
def failed_nodes_are_avoided(choice: Choice) -> Bool:
    """An append goes to none of the nodes that are to be avoided, if the others of its epoch can hold it."""
    others_can = can_replicate(choice.nodeset - choice.avoided, choice.replication)
    return (known(choice.block) & others_can).implies((choice.copyset & choice.avoided).is_empty())
