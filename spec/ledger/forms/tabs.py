"""Metadata in lines with tabs between their parts: version 1, which knows neither ack quorums nor passwords.

BookKeeper, meta/LedgerMetadataSerDe.java, serializeVersion1 and parseVersion1Config.
"""

from __future__ import annotations

import re
from typing import Final

from spec.ledger.errors import CannotCarry, Malformed, Truncated
from spec.ledger.metadata import Metadata, Segment, State
from spec.ledger.schedule import Quorums

CLOSED: Final = "CLOSED"
IN_RECOVERY: Final = -102
"""The last entry of a ledger that is not closed but in recovery."""

SIZES: Final = ("write quorum", "ensemble size", "length")
"""What the first three lines have."""

_NUMBER: Final = re.compile(r"-?\d{1,19}", re.ASCII)


def read(text: str, where: str) -> Metadata:
    """Sizes and length, a line for each segment, and one that says that it is closed, or in recovery.

    BookKeeper, meta/LedgerMetadataSerDe.java, parseVersion1Config.

    Raises:
        Truncated: the first three lines are not all there.
        Malformed: a line has no number, or no bookie, where one is.
    """
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < len(SIZES):
        raise Truncated("it ends early", f"{where}, line {len(lines) + 2}", f"no {SIZES[len(lines)]}", "all lines")
    write, ensemble, length = (_number(line, number, where) for number, line in enumerate(lines[: len(SIZES)], 2))
    segments, state, last = list[Segment](), State.OPEN, None
    for number, line in enumerate(lines[len(SIZES) :], len(SIZES) + 2):
        first, *rest = line.split("\t")
        if state is not State.OPEN or not all(rest) or not rest:
            raise Malformed(
                "no such line", f"{where}, line {number}", f"{line[:40]!r}", "an entry and bookies, tabs between"
            )
        if rest == [CLOSED]:
            last = _number(first, number, where)
            state = State.IN_RECOVERY if last == IN_RECOVERY else State.CLOSED
        else:
            segments.append(Segment(_number(first, number, where), tuple(rest)))
    end = (last, length) if state is State.CLOSED else (None, None)
    return Metadata(Quorums(ensemble, write, write), tuple(segments), state, *end)


def write(metadata: Metadata, where: str) -> str:
    """The lines of metadata that has nothing for which there is no line.

    BookKeeper, meta/LedgerMetadataSerDe.java, serializeVersion1, which leaves out what has no line.

    Raises:
        CannotCarry: it has an ack quorum of its own, a password, or other things that came later.
    """
    kept = Metadata(
        metadata.quorums._replace(ack=metadata.quorums.write),
        metadata.segments,
        metadata.state,
        metadata.last_entry,
        metadata.length_bytes,
    )
    if kept != metadata:
        raise CannotCarry("version 1 has no place for it", where, "more than sizes, segments and an end", "version 3")
    lines = [metadata.quorums.write, metadata.quorums.ensemble, metadata.length_bytes or 0]
    segments = ["\t".join([str(segment.first_entry), *segment.ensemble]) for segment in metadata.segments]
    last = IN_RECOVERY if metadata.state is State.IN_RECOVERY else metadata.last_entry
    end = [] if last is None else [f"{last}\t{CLOSED}"]
    return "\n".join([*map(str, lines), *segments, *end, *([] if end else [""])])


def _number(text: str, line: int, where: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise Malformed("no number", f"{where}, line {line}", f"{text[:40]!r}", "a whole number")
    return int(text)
