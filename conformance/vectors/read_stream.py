"""Cases of client read streams: scripts of what a stream is told, and what it is expected to have done since.

``config`` says what is read and from whom; ``steps`` are carried out in order: ``do`` tells the stream something,
``expect`` compares what it did since the last expectation of that kind, or a part of its state. What the scripts take
for granted: timers fire only when they are told to, a delivery that was refused counts as seen, and right after the
start all connections are as if every shard had answered.
"""

from __future__ import annotations

from conformance.vectors.cases import Case, part
from conformance.vectors.errors import DamagedVectors
from conformance.vectors.stream_scripts.doings import DOINGS
from conformance.vectors.stream_scripts.expectations import EXPECTATIONS
from conformance.vectors.stream_scripts.script import Script, begun


def seen(case: Case, where: str) -> tuple[str, ...]:
    """The first step at which the stream does otherwise than the case expects; nothing where it never does.

    Raises:
        DamagedVectors: the case is no script of a read stream.
    """
    script = begun(part(case, "config", dict, where), where)
    for number, entry in enumerate(part(case, "steps", list, where), start=1):
        at = f"{where}, step {number}"
        if not isinstance(entry, dict):
            raise DamagedVectors("a step is no object", repr(entry), "write do, expect or note", at)
        script, difference = _taken(script, entry, at)
        if difference:
            return (f"step {number}: {difference}",)
    return ()


def _taken(script: Script, entry: Case, where: str) -> tuple[Script, str]:
    """The script after one step, and how it differs from what is expected there."""
    if "do" in entry:
        name = part(entry, "do", str, where)
        if name not in DOINGS:
            raise DamagedVectors("nothing that a script can do", repr(name), f"one of {', '.join(DOINGS)}", where)
        return DOINGS[name](script, entry, where), ""
    if "expect" in entry:
        name = part(entry, "expect", str, where)
        if name not in EXPECTATIONS:
            why = f"one of {', '.join(EXPECTATIONS)}"
            raise DamagedVectors("nothing that a script can expect", repr(name), why, where)
        script, expected, found = EXPECTATIONS[name](script, entry, where)
        return script, "" if expected == found else f"expected {name} {expected}, seen {found}"
    if "note" in entry:
        return script, ""
    raise DamagedVectors("a step says nothing", repr(entry), "write do, expect or note", where)
