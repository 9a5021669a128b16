"""What can be wrong with a store, or with what it is to take in."""

from __future__ import annotations

from conformance.trace.errors import TraceError


class OtherTrace(TraceError):
    """The store keeps another trace: its header differs."""


class Altered(TraceError):
    """A file that was read before is no longer what it was."""


class NoStore(TraceError):
    """The folder holds something else, a store of another version, or one that is damaged."""


class InUse(TraceError):
    """Another process works on the store."""
