"""Cases of client read streams: scripts of what a stream is told, and what it is expected to have done since.

``config`` says what is read and from whom; ``steps`` are carried out in order: ``do`` tells the stream something,
``expect`` compares what it did since the last expectation of that kind, or a part of its state. What the scripts take
for granted: timers fire only when they are told to, a delivery that was refused counts as seen, and right after the
start all connections are as if every shard had answered.
"""

from __future__ import annotations

from conformance.vectors.differences import alike
from conformance.vectors.fields import Fields
from conformance.vectors.stream_scripts.doings import DOINGS
from conformance.vectors.stream_scripts.expectations import EXPECTATIONS
from conformance.vectors.stream_scripts.script import Script, Unending, begun


def seen(case: Fields) -> tuple[str, ...]:
    """The first step at which the stream does otherwise than the case expects; nothing where it never does.

    Raises:
        DamagedVectors: the case is no script of a read stream.
    """
    script = begun(case.below("config"))
    for number, entry in enumerate(case.every("steps", Fields.below), start=1):
        script, difference = _taken(script, entry)
        if difference:
            case.raw("steps")  # what would have come after it does not matter
            return (f"step {number}: {difference}",)
    return ()


def _taken(script: Script, entry: Fields) -> tuple[Script, str]:
    """The script after one step, and how it differs from what is expected there."""
    if "do" in entry:
        try:
            return entry.choice("do", DOINGS)(script, entry), ""
        except Unending as error:
            why = "the read set is empty, and no answer about epochs ever makes it another"
            raise entry.refuse(
                "the stream asks without end", why, "shards, or default_epoch_metadata: false"
            ) from error
    if "expect" in entry:
        script, expected, found = entry.choice("expect", EXPECTATIONS)(script, entry)
        name = entry.text("expect")
        return script, "" if alike(expected, found) else f"expected {name} {expected}, seen {found}"
    if "note" in entry:
        return script, ""
    raise entry.refuse("a step says nothing", f"it has {', '.join(entry) or 'no parts'}", "do, expect or note")
