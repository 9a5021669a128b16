"""What must be recorded of a log, so that it can be followed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reference_impl.following.claims import CannotFollow, EventRow
from spec.events import (
    Ack,
    Append,
    Clean,
    Digest,
    Erase,
    Fault,
    Mutate,
    NewEpoch,
    Planned,
    Rebuilt,
    Seal,
    StatusTable,
    Store,
    Trimmed,
)

NEEDED: Final = (
    NewEpoch,
    Append,
    Store,
    Seal,
    Planned,
    Mutate,
    Clean,
    Erase,
    Trimmed,
    Rebuilt,
    StatusTable,
    Fault,
)
"""The events of which all must be recorded."""

ASKED: Final[Mapping[int | None, tuple[str, ...]]] = {
    NewEpoch.kind: ("nodes", "replication"),
    Append.kind: ("digest",),
    Store.kind: ("digest", "version"),
    Ack.kind: ("digest",),
    Digest.kind: ("digest", "version"),
    Planned.kind: ("version", "arg"),
    Mutate.kind: ("digest", "version"),
    Clean.kind: ("version",),
    Rebuilt.kind: ("digest", "actor"),
    StatusTable.kind: ("nodes_b", "nodes_c"),
}
"""The columns that a recorder may leave open, and that texts ask for, by kind of event."""


def demand_known(event: EventRow) -> None:
    """Whoever recorded an event knew what texts ask of it.

    Raises:
        CannotFollow: some column is open.
    """
    for column in ASKED.get(event["kind"], ()):
        if event[column] is None:
            raise CannotFollow(f"nobody knows the {column} of an event")
