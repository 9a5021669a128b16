"""What can be wrong with recording: each error says what, where, why, and what to try."""

from __future__ import annotations

from conformance.trace.errors import TraceError


class BadLsn(TraceError):
    """A position in a log is neither a whole number nor an epoch and a number."""


class RecorderClosed(TraceError):
    """Something was to be recorded after the recorder was closed, or before it was opened."""


class RecorderFailed(TraceError):
    """The file cannot be written: what was recorded before stands in it."""


class UnfinishedTrace(TraceError):
    """A recorder that ended too early has left its file behind, which another one would overwrite."""
