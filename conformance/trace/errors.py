"""What can be wrong with a trace: one class for each fault, each saying what, where, why, and what to try."""

from __future__ import annotations

from pathlib import Path
from typing import Self


class TraceError(Exception):
    """A trace cannot be read or written.

    Attributes:
        what: the fault, in one clause.
        why: what is wrong with it.
        advice: what to try.
        where: the file, and the line, row group or row in it; empty until that is known.
    """

    def __init__(self, what: str, why: str, advice: str, where: str = "") -> None:
        super().__init__(what, why, advice, where)
        self.what, self.why, self.advice, self.where = what, why, advice, where

    def at(self, where: str | Path) -> Self:
        """The same error with its place in front of the places already known."""
        self.where = f"{where}, {self.where}" if self.where else str(where)
        return self

    def __str__(self) -> str:
        return f"{self.where or 'trace'}: {self.what}: {self.why}. Try: {self.advice}."


class NotReadable(TraceError):
    """The file cannot be opened: it is absent, or may not be read."""


class NotWritable(TraceError):
    """The target cannot be written; nothing was left behind."""


class NotATrace(TraceError):
    """The file is no trace in any form known here."""


class UnknownVersion(TraceError):
    """The trace is written in a major version of the format that this reader does not know."""


class Truncated(TraceError):
    """The end of the trace is missing."""


class Damaged(TraceError):
    """The bytes are not those that were written: a checksum or an encoding is broken."""


class Empty(TraceError):
    """The trace has a header and no event, so there is nothing to judge."""


class Mistyped(TraceError):
    """A value or a column is of another type than its field."""


class MissingField(TraceError):
    """A required field or column is absent."""


class NullValue(TraceError):
    """A required value is NULL. Only optional fields may be unknown."""


class Oversized(TraceError):
    """A value, a line or a document is larger than its field or the format allows."""


class Duplicated(TraceError):
    """Something that must stand once stands twice: an event, a header, a name, a member."""


class Inconsistent(TraceError):
    """The fields of one event contradict each other."""


class UnknownKind(TraceError):
    """An event of a kind that the vocabulary does not have."""


class UnknownFamily(TraceError):
    """The header names a family that no installed package declares."""


class UnknownRecorder(TraceError):
    """An event of a recorder that the header does not declare."""


class UnknownRole(TraceError):
    """The header gives a recorder a role that the format does not have."""


class UnknownPartition(TraceError):
    """An event of a partition that the header, which names some, does not name."""


class UnknownPromise(TraceError):
    """The header makes a promise that the specification does not have."""


class NotSorted(TraceError):
    """A trace that says it is sorted by partition, position and sequence number is not."""


class HeadersDiffer(TraceError):
    """The files of one folder do not share one header."""
