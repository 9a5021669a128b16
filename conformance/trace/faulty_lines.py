"""The faults of the lines of JSON lines."""

from __future__ import annotations

from collections import Counter

from conformance.trace import jsonl
from conformance.trace.errors import TraceError
from conformance.trace.faults import Faults
from conformance.trace.open import JsonLines
from conformance.trace.register import Register
from conformance.trace.statistics import Statistics
from conformance.trace.watch import Watch


class FaultyLines:
    """Looks for the faults of all lines of a trace.

    Args:
        trace: plain or zstd.
        register: where sound events are entered.
        faults: where faults are noted.
    """

    def __init__(self, trace: JsonLines, register: Register, faults: Faults) -> None:
        self.trace, self.register, self.faults = trace, register, faults
        self.statistics = Statistics(trace.header.shapes)

    def look(self) -> None:
        """Look at every line.

        Raises:
            Enough: as many faults were found as are to be named.
            TraceError: one of its kinds, if nothing more can be read.
        """
        codes = {name: code for code, name in enumerate(self.trace.header.recorders)}
        watch = Watch(self.statistics, self.trace.header.sorted_by, in_order=self.trace.sorted, unique=False)
        for line, event in jsonl.read_lines(self.trace.path, watch, self._note):
            self.register.add(codes[event["recorder"]], event["seq"], line)

    def where(self, line: int) -> str:
        """File and line."""
        return f"{self.trace.path}, line {line}"

    def unknown_fields(self) -> Counter[str]:
        """How many times each field occurred that this version does not know."""
        return self.statistics.unknown_fields + Counter(self.trace.header.unknown_fields())

    def _note(self, line: int, error: TraceError) -> None:
        self.faults.add(line, error.at(self.trace.path))
