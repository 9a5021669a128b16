"""The filtered-out list: the nodes that a reader takes to be down, and those that it takes to be slow.

LogDevice, Single Copy Delivery, Known down list; Read path, SCD greylisting;
common/client_read_stream/ClientReadStreamScd.cpp, FilteredOut. Both lists go to the storage nodes as one. What changes
is scheduled, and takes effect with the next rewind, when the nodes hear of it.
"""

from __future__ import annotations

from typing import NamedTuple

from reference_impl.log.copies import Nodes
from reference_impl.log.delivery.shipping import NOBODY


class FilteredOut(NamedTuple):
    """The lists that the storage nodes have, and those that they are to get.

    Attributes:
        down: nodes that are taken to be down.
        slow: nodes that are taken to be slow, and not to be down.
        new_down: as ``down``, from the next rewind on.
        new_slow: as ``slow``, from the next rewind on; a node may be in both new lists.
    """

    down: Nodes = NOBODY
    slow: Nodes = NOBODY
    new_down: Nodes = NOBODY
    new_slow: Nodes = NOBODY

    @property
    def everyone(self) -> Nodes:
        """All nodes that the storage nodes pass over now."""
        return self.down | self.slow


def add_down(lists: FilteredOut, node: int) -> tuple[FilteredOut, bool]:
    """A node that is to be listed as down is no longer to be listed as slow; says whether that is news."""
    if node in lists.new_down:
        return lists, False
    return lists._replace(new_down=lists.new_down | {node}, new_slow=lists.new_slow - {node}), True


def remove_down(lists: FilteredOut, node: int) -> tuple[FilteredOut, bool]:
    """A node that sends records again is no longer to be listed as down; says whether that is news."""
    return lists._replace(new_down=lists.new_down - {node}), node in lists.new_down


def change_slow(lists: FilteredOut, nodes: Nodes) -> tuple[FilteredOut, bool]:
    """These nodes, and no others, are to be listed as slow; says whether that is news."""
    return lists._replace(new_slow=nodes), nodes != lists.new_slow


def apply(lists: FilteredOut) -> tuple[FilteredOut, bool]:
    """What was scheduled takes effect, and a node that is both slow and down counts as down.

    Says whether the storage nodes have to hear of it.
    """
    applied = lists._replace(down=lists.new_down, slow=lists.new_slow - lists.new_down)
    return applied, applied != lists


def erase(lists: FilteredOut, node: int) -> tuple[FilteredOut, bool]:
    """A node that left the read set leaves all lists at once; says whether the storage nodes had it in theirs."""
    return FilteredOut(*(nodes - {node} for nodes in lists)), node in lists.everyone


def clear(_: FilteredOut) -> FilteredOut:
    """In all send all mode nobody is filtered out, nor scheduled to be."""
    return FilteredOut()
