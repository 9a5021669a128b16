"""Appender stages: a copyset with more members than copies, of which the left-most are to have the record.

LogDevice, Single Copy Delivery, Appender stages. A variant: LogDevice has since given up extras and sync leaders, and
waits for the whole copyset of one wave, which has as many members as copies; without extras the stages are that.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from reference_impl.log.copies import Nodes


class Stage(IntEnum):
    """What an append waits for."""

    REPLICATION = 1
    """Any as many members as copies are asked for."""
    SYNC_LEADERS = 2
    """The left-most members that must have it before it is released."""
    LEADER_REDUNDANCY = 3
    """The left-most members that should have it before the append is over."""
    DONE = 4


class Appender(NamedTuple):
    """One append on its way.

    Attributes:
        copyset: its members, in the order in which readers are served.
        replication: how many copies are asked for.
        sync_leaders: num-sync-leaders: how many left-most members must have it before it is released.
        leaders: num-leaders: how many left-most members are to have it in the end.
        stored: the members that have it.
        deleted: the members that were told to delete it.
    """

    copyset: tuple[int, ...]
    replication: int
    sync_leaders: int
    leaders: int
    stored: Nodes = frozenset()
    deleted: Nodes = frozenset()

    @property
    def extras(self) -> int:
        """How many members will in the end not have the record."""
        return len(self.copyset) - self.replication

    @property
    def stage(self) -> Stage:
        """The first stage that is not over."""
        if len(self.stored) < self.replication:
            return Stage.REPLICATION
        if not self._has_left_most(self.sync_leaders):
            return Stage.SYNC_LEADERS
        return Stage.DONE if self._has_left_most(self.leaders) else Stage.LEADER_REDUNDANCY

    @property
    def is_acknowledged(self) -> bool:
        """Any R copies are enough for the writer: availability of writes comes before leaders."""
        return self.stage > Stage.REPLICATION

    @property
    def is_released(self) -> bool:
        """Readers may have it once the sync leaders do."""
        return self.stage > Stage.SYNC_LEADERS

    @property
    def holders(self) -> Nodes:
        """The members that have it and were not told to delete it."""
        return self.stored - self.deleted

    def _has_left_most(self, members: int) -> bool:
        return self.stored.issuperset(self.copyset[:members])


def appender_of(
    copyset: tuple[int, ...], replication: int, sync_leaders: int = 1, leaders: int | None = None
) -> Appender:
    """An append that nobody has stored yet; there are as many leaders as copies, unless it is said otherwise.

    LogDevice, Single Copy Delivery, Sync-leader stage and Leader redundancy stage, for the defaults.

    Raises:
        ValueError: the copyset has too few members, or fewer leaders than sync leaders, or more than copies.
    """
    leaders = replication if leaders is None else leaders
    if not (1 <= replication <= len(copyset) and 0 <= sync_leaders <= leaders <= replication):
        asked = f"{replication} copies, {sync_leaders} sync leaders and {leaders} leaders of {len(copyset)} members"
        raise ValueError(f"{asked}: sync leaders may be as many as leaders, leaders as copies, and copies as members")
    return Appender(copyset, replication, sync_leaders, leaders)


def on_stored(appender: Appender, node: int) -> tuple[Appender, Nodes]:
    """A member has stored it. Who has it and stands right of as many others that do is told to delete it.

    LogDevice, Single Copy Delivery, Sync-leader stage and Leader redundancy stage; says who is to delete it now.
    """
    if node not in appender.copyset or node in appender.stored:
        return appender, frozenset()
    appender = appender._replace(stored=appender.stored | {node})
    having = [member for member in appender.copyset if member in appender.stored]
    to_delete = frozenset(having[appender.replication :]) - appender.deleted
    return appender._replace(deleted=appender.deleted | to_delete), to_delete
