"""What happened to nodes, as recorders write it down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from conformance.importers.errors import UnknownRow
from conformance.importers.lines import Line
from spec.events import FAULTS

FAULT: Final = "fault"
"""The kind of a row that tells what happened to a node, among rows of clients."""

NODE_MAX: Final = (1 << 31) - 1
"""The greatest number by which recorders know a node."""

_WORDS: Final = FAULTS | {"kill -9": FAULTS["crash"]}


@dataclass(frozen=True, slots=True)
class Hurt:
    """A fault of one node."""

    time_ns: int
    what: int
    node: int


def fault_of(line: Line) -> int:
    """The number of the fault that a row tells.

    Raises:
        TraceError: one of its kinds, with the file and line, if it is none.
    """
    said = line.words("fault")
    if said not in _WORDS:
        raise line.refuse(UnknownRow(f"fault {said!r:.40}", f"known are {', '.join(_WORDS)}", "one of these"))
    return _WORDS[said]


def hurt_of(line: Line) -> Hurt:
    """The fault that a row among rows of clients tells.

    Raises:
        TraceError: one of its kinds, with the file and line, if it is none.
    """
    return Hurt(line.whole("time_ns"), fault_of(line), line.whole("node", 0, NODE_MAX))
