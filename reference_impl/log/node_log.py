"""What one storage node holds of one log: copies, seals, and how far it may answer readers.

LogDevice, Read path (How reads happen) and Recovery (Recovery example); server/read_path/LogStorageState.h.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reference_impl.kernel.pages import Pages
from reference_impl.log.copies import Cleaned, Copy
from reference_impl.log.serving.sending import Serving


class NodeLog(NamedTuple):
    """A node's part of a log.

    Attributes:
        seal: no appends of this epoch and those before it are taken; survives a crash.
        clean: up to this epoch, copies agree with what recovery decided; survives a crash.
        copies: what the node holds, by LSN; survives a crash.
        released: readers are answered up to this LSN; forgotten in a crash.
        known_good: the last known good ESN of each epoch, as far as the node was told; forgotten in a crash.
        serving: who reads the log from this node.
        promised: the last recovery that was told what the node holds, and in which round; survives a crash.
        cleaned: what became of epochs, as far as the node was told; survives a crash.
        soft: no appends of this epoch and those before it are taken, for one after it was stored; survives a crash.
        trimmed: everything up to this LSN is deleted, because the log's owner wants it no more; survives a crash.
        lent: donors count on what is here up to this LSN: it is not deleted as if unneeded any more; survives a crash.
    """

    log: int
    node: int
    seal: int = 0
    clean: int = 0
    copies: Pages[Copy] = Pages()
    released: int = 0
    known_good: Mapping[int, int] = {}
    serving: Serving = Serving()
    promised: tuple[int, int] = (0, 0)
    cleaned: Mapping[int, Cleaned] = {}
    soft: int = 0
    trimmed: int = 0
    lent: int = 0

    @property
    def bar(self) -> int:
        """No appends of this epoch and those before it are taken, by whichever seal."""
        return max(self.seal, self.soft)
