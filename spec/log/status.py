"""Authoritative status: what is known of a node's data, and so what its answers are worth.

Sources: LogDevice, Read path (Authoritative Status); common/AuthoritativeStatus.h and common/FailureDomainNodeSet-inl.h
for what counts in which sum. In ``spec.log.quorum``, ``nonempty`` are the nodes that may hold records, and
``authoritative`` those whose answers count.
"""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """The status of one node, as the event log records it: LogDevice, Read path, Authoritative Status."""

    FULLY_AUTHORITATIVE = "FULLY_AUTHORITATIVE"
    """It has its data."""
    UNAVAILABLE = "UNAVAILABLE"
    """It is down, with its data."""
    UNDERREPLICATION = "UNDERREPLICATION"
    """Its data is gone and not yet copied elsewhere."""
    AUTHORITATIVE_EMPTY = "AUTHORITATIVE_EMPTY"
    """Its data is gone, and was copied elsewhere."""

    @property
    def may_hold(self) -> bool:
        """Whether records may lie on such a node: the effective nodeset leaves out what is empty."""
        return self is not Status.AUTHORITATIVE_EMPTY

    @property
    def counts(self) -> bool:
        """Whether an answer of such a node says something; a node whose data is gone knows of no record.

        LogDevice, common/FailureDomainNodeSet-inl.h: FULLY_AUTHORITATIVE or UNAVAILABLE.
        """
        return self in (Status.FULLY_AUTHORITATIVE, Status.UNAVAILABLE)
