"""What can be wrong with a foreign recording beyond what can be wrong with any file."""

from __future__ import annotations

from conformance.trace.errors import TraceError


class UnknownRow(TraceError):
    """A row of a foreign recording says something that its importer has no word for."""


class Contradiction(TraceError):
    """Two statements of a recording, or of its user, cannot both be true."""
