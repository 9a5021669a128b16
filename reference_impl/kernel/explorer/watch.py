"""The clock of a search: it ends budgets and reports progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from reference_impl.kernel.explorer.engine import Stopped
from reference_impl.kernel.explorer.result import Progress, estimate

REPORT_S: Final = 0.5
"""Progress is reported at most so often."""


class Watch:
    """Looks at the time and at the counts of a search.

    Args:
        budget_s: how many CPU seconds this run may take; None for no limit.
        states: how many states may be found; looked at between levels.
        report: is told the progress, at most every half second; None for nobody.
        spent_s: CPU seconds of earlier runs of the same search.
    """

    def __init__(
        self,
        budget_s: float | None = None,
        states: int | None = None,
        report: Callable[[Progress], None] | None = None,
        spent_s: float = 0,
    ) -> None:
        self.budget_s, self.states, self.report, self.spent_s = budget_s, states, report, spent_s
        self.begin()
        self._levels: list[int] = []
        self._transitions = 0

    def begin(self) -> None:
        """The work begins now: what was compiled before is not counted."""
        self._begun_s = time.process_time()
        self._reported_s = time.monotonic()

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the search, earlier runs included."""
        return self.spent_s + self._run_s

    @property
    def _run_s(self) -> float:
        return time.process_time() - self._begun_s

    def level(self, levels: list[int], transitions: int) -> None:
        """A level begins.

        Raises:
            Stopped: enough states were found, or the time is over.
        """
        self._levels, self._transitions = levels, transitions
        if self.states is not None and sum(levels) >= self.states:
            raise Stopped
        self.tick(0, 0)

    def tick(self, expanded: int, transitions: int) -> None:
        """So many states of the level are done, with so many transitions.

        Raises:
            Stopped: the time is over.
        """
        if self.budget_s is not None and self._run_s >= self.budget_s:
            raise Stopped
        now_s = time.monotonic()
        if self.report is None or now_s - self._reported_s < REPORT_S:
            return
        self._reported_s = now_s
        levels = self._levels
        done = self._transitions + transitions
        self.report(Progress(sum(levels), done, len(levels) - 1, levels[-1], expanded, self.cpu_s, estimate(levels)))
