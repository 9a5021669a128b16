"""What restatectl prints, made for tests: the layout of Restate's own recordings, with any content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def chain(
    log: int,
    sequencers: Sequence[int],
    *,
    shown: int | None = None,
    replication: str = "{node: 2}",
    sealed: bool = False,
) -> str:
    """``logs describe``: a segment for each sequencer, and the marker of a sealed chain."""
    rows = [
        f"  {index}    {index + 1}         replicated  {log}_{index}        {replication}    N{node}:1  [N1, N2, N3]"
        for index, node in enumerate(sequencers)
    ]
    if sealed:
        note = "At 2026-11-28T15:39:09.978Z source=find-tail, node=N2:2"
        rows.append(f"  {max(len(rows) - 1, 0)}    {len(rows) + 8}         sealed{' ' * 76}3 seconds ago  {note}")
    rows[-1] = f"▶︎ {rows[-1].lstrip()}"
    heading = (
        f"Log Id: {log} (v4)\n  IDX  FROM-LSN  KIND        LOGLET-ID  REPLICATION  SEQUENCER  EFF-NODESET   CREATED-AT"
    )
    return "\n".join([heading, *rows, "---", f"{shown or len(rows)}/{len(rows)} segments shown.", ""])


def digest(
    marks: Mapping[int, str],
    *,
    tail: int,
    place: tuple[int, int] = (0, 0),
    states: str = "   ",
    trimmed: str = "000",
    sequencer: int = 1,
) -> str:
    """``replicated-loglet digest``: three nodes, one mark each for every offset; states are S, E or a space."""
    log, index = place
    names = "  ".join(f"N{node}({state})" if state != " " else f"N{node}   " for node, state in enumerate(states, 1))
    rows = [
        f" {offset}   {'    '.join(said)}    {'U' if said.count('X') < 2 else ''}" for offset, said in marks.items()
    ]
    tails = "    ".join("?" if state == "E" else str(tail) for state in states)
    return "\n".join(
        [
            f" OFFSET    {names}    ISSUES ",
            *rows,
            "",
            " ═════    ════    ════    ════ ",
            f" LOCAL TAIL    {tails} ",
            f" GLOBAL TAIL    {tails} ",
            f" TRIM POINT    {'    '.join(trimmed)} ",
            "",
            f" Loglet Id:             {log}_{index} (raw=0) ",
            f" Used in:               LogId={log} at Segment={index} ",
            f" Sequencer:             N{sequencer}:1 ",
            " Replication:           {node: 2} ",
            " Nodeset:               [N1, N2, N3] ",
            f" Observed Global Tail:  {tail} ",
            "",
        ]
    )


def answer(second: int, command: str, text: str, rc: int = 0) -> dict[str, Any]:
    """One row of the operator's recording."""
    return {"time_ns": second * 1_000_000_000, "command": command, "rc": rc, "stdout": text, "stderr": ""}


def described(second: int, text: str) -> dict[str, Any]:
    """The operator described a log."""
    return answer(second, "logs describe 0", text)


def digested(second: int, text: str) -> dict[str, Any]:
    """The operator asked for a digest."""
    return answer(second, "replicated-loglet digest 0_0", text)


def call(second: int, kind: str, operation: int, *, value: str | None = None, client: int = 0) -> dict[str, Any]:
    """One row of a caller; each adds to a counter of its own."""
    row = {"time_ns": second * 1_000_000_000, "client": client, "op": operation, "kind": kind, "key": f"k{client}"}
    return row if value is None else {**row, "value": value, "status": 200}
