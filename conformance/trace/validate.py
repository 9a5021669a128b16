"""Validating a trace: its first faults, each with its line or row, where a reading ends at the first.

Every check is one of the readers'. In memory at any time: one line or one row group, and the names of two million
events; those of all others lie on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from conformance.trace.errors import NotReadable, TraceError
from conformance.trace.faults import END, Enough, Faults
from conformance.trace.faulty_lines import FaultyLines
from conformance.trace.faulty_rows import FaultyRows
from conformance.trace.open import JsonLines, Parquet, open_trace
from conformance.trace.register import Register

MOST: Final = 10
"""Faults that are named."""


@dataclass(frozen=True)
class Findings:
    """What was found in a trace.

    Attributes:
        events: how many events were looked at and are sound by themselves.
        faults: the first faults in the order of lines or rows, of each line or row one.
        unknown_fields: how many times each field occurs that this version does not know; empty if there are faults.
    """

    events: int
    faults: tuple[TraceError, ...]
    unknown_fields: Mapping[str, int] = field(default_factory=dict)


def validate(path: Path | str, most: int = MOST) -> Findings:
    """The first faults of a trace in any form; one in its header is the only one, for nothing can be read without it.

    Raises:
        NotReadable: there is no such file, or it cannot be opened.
    """
    try:
        trace = open_trace(path)
    except NotReadable:
        raise
    except TraceError as error:
        return Findings(0, (error,))
    with TemporaryDirectory() as folder:
        register, faults = Register(Path(folder)), Faults(most)
        look = _look_of(trace, register, faults)
        with suppress(Enough):
            try:
                look.look()
            except TraceError as error:
                faults.add(END, error)
        found = faults.first(register.repeated(list(trace.header.recorders), look.where))
    return Findings(register.events, found, {} if found else look.unknown_fields())


def _look_of(trace: JsonLines | Parquet, register: Register, faults: Faults) -> FaultyLines | FaultyRows:
    if isinstance(trace, Parquet):
        return FaultyRows(trace, register, faults)
    return FaultyLines(trace, register, faults)
