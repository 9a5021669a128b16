"""Drawings: lines and bars as SVG. The same figures give the same file to the byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from matplotlib import style
from matplotlib.figure import Figure

LOOK: Final[dict[str, Any]] = {
    "svg.hashsalt": "quorate",  # else names inside the file differ each time
    "svg.fonttype": "none",  # text stays text, which can be found and read aloud
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
}

INCHES: Final = (8.0, 4.5)
MARKS: Final = "osD^v<>pP*"
"""Each line has a mark of its own, for those who do not tell colours apart."""


class Line(NamedTuple):
    """One line of a drawing: its name, and its points from left to right."""

    name: str
    points: Sequence[tuple[float, float]]


def draw_lines(path: Path, lines: Sequence[Line], across: str, up: str) -> None:
    """Draw lines over two logarithmic axes; the axes are called ``across`` and ``up``."""
    with _drawing(path) as figure:
        axes = figure.subplots()
        for line, mark in zip(lines, MARKS * (1 + len(lines) // len(MARKS)), strict=False):
            axes.plot(*zip(*line.points, strict=True), marker=mark, label=line.name)
        axes.set(xscale="log", yscale="log", xlabel=across, ylabel=up)
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)


def draw_bars(path: Path, lengths: Mapping[str, float], along: str) -> None:
    """Draw a bar for each name, the first one uppermost; the axis is called ``along``."""
    with _drawing(path) as figure:
        axes = figure.subplots()
        drawn = axes.barh([*lengths], [*lengths.values()], height=0.6)
        axes.bar_label(drawn, [f" {length:,.0f}" for length in lengths.values()])
        axes.margins(x=0.15)
        axes.invert_yaxis()
        axes.set(xlabel=along)
        axes.xaxis.set_major_formatter("{x:,.0f}")


@contextmanager
def _drawing(path: Path) -> Iterator[Figure]:
    """An empty drawing, which is written when all is in it."""
    with style.context(LOOK):
        figure = Figure(figsize=INCHES, layout="constrained")
        yield figure
        figure.savefig(path, format="svg", metadata={"Date": None})
