"""Telling of statuses: nodes that go down, lose their data and come back, and the table that the text's reader uses.

Texts let a reader learn of one node at a time. Each time it does, the table that it then has is told as a version of
its own: it is what the reader uses, and need never have been the table of the whole cluster.
"""

from __future__ import annotations

from typing import Final

from reference_impl.telling.teller import Teller
from spec.events import CRASH, RESTART, WIPE, Fault, StatusTable
from spec.protocols.parts import Status

TABLES: Final = tuple(Status.constants)


class StatusesTold(Teller):
    """Nodes with statuses, and one reader that learns them.

    Attributes:
        tables: how many tables were told.
        version: of the table that the reader uses.
    """

    tables = version = 0

    def begin(self) -> None:
        """Nobody is known to be anything but fully authoritative."""
        self.version = self.tell_table("known")

    def go_down(self, node: int) -> None:
        """A node goes down with what it has."""
        self.chronicle.write("controller", Fault, node=node, what=CRASH)

    def come_back(self, node: int) -> None:
        """A node that was down returns."""
        self.chronicle.write("controller", Fault, node=node, what=RESTART)

    def lose(self, node: int) -> None:
        """A node loses all that it had."""
        self.chronicle.write("controller", Fault, node=node, what=WIPE)
        self.erase(node)

    def mark_empty(self, node: int) -> None:
        """A node's data lies elsewhere; if it was merely down, what it had does not count any more."""
        self.chronicle.write("controller", Fault, node=node, what=WIPE)
        self.erase(node)

    def learn(self, *_: int) -> None:
        """The reader uses another table."""
        self.version = self.tell_table("known")

    def rejoin(self, node: int) -> None:
        """An empty node serves again; of that the reader knows if its table changes."""
        self.chronicle.write("controller", Fault, node=node, what=RESTART)
        if self.before["known"] != self.after["known"]:
            self.version = self.tell_table("known")

    def erase(self, node: int, /) -> None:
        """What a node had is gone."""
        raise NotImplementedError

    def tell_table(self, relation: str) -> int:
        """Tell the table of statuses that the cluster or its reader has now; gives its version."""
        self.tables += 1
        told = {
            name: frozenset(node for node, status in self.after[relation] if status == number)
            for number, name in enumerate(TABLES)
        }
        self.chronicle.write("controller", StatusTable, version=self.tables, **told)
        return self.tables
