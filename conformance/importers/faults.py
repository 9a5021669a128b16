"""What befell nodes, as recorders write it down."""

from __future__ import annotations

from typing import Final

from conformance.importers.errors import UnknownRow
from conformance.importers.lines import Line
from spec.events import FAULTS

_WORDS: Final = FAULTS | {"kill -9": FAULTS["crash"]}


def fault_of(line: Line) -> int:
    """The number of the fault that a row tells.

    Raises:
        TraceError: one of its kinds, with the file and line, if it is none.
    """
    said = line.words("fault")
    if said not in _WORDS:
        raise line.refuse(UnknownRow(f"fault {said!r:.40}", f"known are {', '.join(_WORDS)}", "one of these"))
    return _WORDS[said]
