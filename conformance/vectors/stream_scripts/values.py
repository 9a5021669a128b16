"""Values of a script: numbers of copies, attributes of the log, settings, and what is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance.vectors.fields import Fields
from conformance.vectors.shards import replication_of
from reference_impl.log.stream.surroundings import EPOCH_LAST, LogAttributes, Options, Settings

COUNT_MAX: Final = (1 << 31) - 1
"""Settings that count have 31 bits; less than nothing stands for never."""


def epoch_of(fields: Fields, name: str) -> int:
    """An epoch, up to the one of the largest LSN."""
    return fields.number(name, most=EPOCH_LAST)


def copies_of_pair(fields: Fields) -> Mapping[str, int]:
    """A property by scope, or the older pair: a number of copies, and a scope that they must lie in two domains of.

    LogDevice, common/configuration/ReplicationProperty.h.

    Raises:
        DamagedVectors: it is neither.
    """
    if isinstance(fields.raw("replication"), dict):
        return replication_of(fields)
    copies, scope = fields.number("replication"), fields.text("scope", "NODE")
    across = {} if scope == "NODE" or copies == 1 else {scope: 2}
    return replication_of(Fields({"replication": {"NODE": copies} | across}, fields.where))


def attributes(fields: Fields) -> LogAttributes:
    """The log's attributes."""
    return LogAttributes(
        fields.number("sequencer_window_size"),
        fields.flag("scd_enabled"),
        fields.flag("local_scd_enabled", default=False),
    )


def settings_of(said: Fields, before: Settings) -> Settings:
    """The settings that the rules depend on; what others say, as how long timers take, does not matter to a script."""
    now = before
    for name in said:
        match name.replace("-", "_"):
            case "grace_counter_limit":
                now = now._replace(grace_counter_limit=said.number(name, least=-COUNT_MAX, most=COUNT_MAX))
            case "read_stream_guaranteed_delivery_efficiency":
                now = now._replace(efficiency=said.flag(name))
            case other if other.endswith("gap_grace_period"):
                now = now._replace(grace_period=_is_some(said.raw(name)))
    return now


def _is_some(duration: Any) -> bool:
    """Whether a duration, such as 100, "100ms" or "0s", is more than none."""
    return any(digit in "123456789" for digit in str(duration)) if isinstance(duration, str) else bool(duration)


def options(config: Fields) -> Options:
    """What is read, and how.

    Raises:
        DamagedVectors: nothing can be read in this way.
    """
    start, until = config.lsn("start_lsn"), config.lsn("until_lsn")
    if start > until:
        raise config.refuse_part("nothing can be read", "start_lsn", "a start before the end")
    return Options(
        start,
        until,
        config.number("buffer_size", least=1),
        config.fraction("flow_control_threshold", most=1),
        require_full_read_set=config.flag("require_full_read_set", default=False),
        ignore_released_status=config.flag("ignore_released_status", default=False),
        skip_trimmed=not config.flag("do_not_skip_partially_trimmed", default=False),
        ship_corrupted=config.flag("ship_corrupted_records", default=False),
        wait_for_all_copies=config.flag("wait_for_all_copies", default=False),
    )
