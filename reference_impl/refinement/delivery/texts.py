"""Texts: where the text of delivery is, for every record of a log and everyone who reads it.

The text has one copyset and, here, one slot. So there is a text for each reader, LSN and copyset that copies at this
LSN name: waves, recoveries and rebuilding give new ones. A text is made when its reader first hears of it, by the steps
that lead there, and forgotten when the reader is past it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from reference_impl.kernel.pages import Pages
from reference_impl.log.copies import Nodes
from spec.language.protocol.states import State
from spec.protocols.delivery_forms import InTransit

START: Final = State.of(dict.fromkeys(InTransit.relations, ()))

SLOT: Final = 0
"""The only slot of a text."""

EVERYONE: Final = 0
"""The only element of the sort ``Mode``."""


class Held(NamedTuple):
    """Copies of a record that name one copyset.

    Attributes:
        copyset: the nodes that they name.
        copy: the nodes that have one since before the record was released.
        loose: the nodes that may have one.
    """

    copyset: Nodes
    copy: Nodes = Nodes()
    loose: Nodes = Nodes()


Open: TypeAlias = tuple[tuple[Nodes, State], ...]
"""The texts of one LSN, by copyset."""


class View(NamedTuple):
    """What a reader asks, and who obeys.

    Attributes:
        version: the filter version of its newest START; 0 before any.
        everyone: whether it asks all nodes to send.
        listed: its known down list, as its newest START says.
        current: the nodes that answered the newest START.
        down: the nodes whose connection was closed, and that have not answered since.
        heard: up to which LSN each node went since the newest START.
        cursor: everything before it was given.
        open: the texts of the LSNs of which it has heard.
    """

    version: int = 0
    everyone: bool = False
    listed: Nodes = Nodes()
    current: Nodes = Nodes()
    down: Nodes = Nodes()
    heard: tuple[tuple[int, int], ...] = ()
    cursor: int = 0
    open: Pages[Open] = Pages()

    def gone_past(self, lsn: int) -> Nodes:
        """The nodes that went past an LSN."""
        return frozenset(node for node, upto in self.heard if upto >= lsn)

    def with_heard(self, node: int, upto: int) -> View:
        """The view after a node went up to an LSN."""
        return self._replace(heard=tuple(sorted({**dict(self.heard), node: upto}.items())))

    def since(self, lsn: int) -> View:
        """The view of a reader that is past everything before an LSN."""
        old = [at for at, _ in self.open.between(self.cursor, lsn - 1)] if lsn > self.cursor else []
        return self._replace(cursor=lsn, open=self.open.without(old) if old else self.open)


class LogDelivery(NamedTuple):
    """Where the texts of one log are.

    Attributes:
        near: whether nodes near the readers come first.
        released: up to where readers may be answered.
        nodesets: the nodeset of each epoch that was given out, that of epoch 1 first.
        held: the copies at each LSN.
        readers: what each reader asks, by its number.
    """

    near: bool = False
    released: int = 0
    nodesets: tuple[Nodes, ...] = ()
    held: Pages[tuple[Held, ...]] = Pages()
    readers: tuple[tuple[int, View], ...] = ()

    def view(self, reader: int) -> View:
        """What a reader asks."""
        return dict(self.readers).get(reader, View())

    def with_views(self, views: Mapping[int, View]) -> LogDelivery:
        """The log with other views of some readers."""
        return self._replace(readers=tuple(sorted({**dict(self.readers), **views}.items())))
