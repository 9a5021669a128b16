"""Values of a script: LSNs, numbers of copies, attributes of the log, settings, and what is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance.vectors.cases import Case, part
from conformance.vectors.errors import DamagedVectors
from conformance.vectors.parts import NODE_MAX, flag, lsn_in, whole
from reference_impl.log.stream.surroundings import EPOCH_LAST, LSN_MAX, NOTHING, LogAttributes, Options, Settings
from spec.language.vocabulary import SCOPES

BUFFER_MAX: Final = 1 << 20
"""No more LSNs than that are buffered: a script is small."""

_NAMED_LSNS: Final = {"LSN_MAX": LSN_MAX, "LSN_INVALID": NOTHING, "LSN_OLDEST": 1}


def lsn(text: Any, where: str) -> int:
    """An LSN written as e1n2, or by its name.

    Raises:
        DamagedVectors: it is no LSN.
    """
    if isinstance(text, str) and text in _NAMED_LSNS:
        return _NAMED_LSNS[text]
    found = lsn_in(text)
    if found is not None:
        return found
    raise DamagedVectors("no LSN", repr(text), f"e1n2, or one of {', '.join(_NAMED_LSNS)}", where)


def epoch_number(entry: Case, name: str, where: str) -> int:
    """An epoch, up to the one of the largest LSN.

    Raises:
        DamagedVectors: it is none.
    """
    return whole(entry.get(name), name, where, most=EPOCH_LAST)


def copies(said: Any, where: str) -> Mapping[str, int]:
    """A replication property: how many domains of each scope a record must lie in.

    Raises:
        DamagedVectors: it names no scope, or no number of copies.
    """
    if not isinstance(said, dict) or not said or not all(scope.lower() in SCOPES for scope in said):
        raise DamagedVectors("no replication property", repr(said), f"scopes {', '.join(SCOPES)}", where)
    return {scope.lower(): whole(number, scope, where, most=NODE_MAX) for scope, number in said.items()}


def copies_of_pair(entry: Case, where: str) -> Mapping[str, int]:
    """A property by scope, or the older pair: a number of copies, and a scope that they must lie in two domains of.

    LogDevice, common/configuration/ReplicationProperty.h.

    Raises:
        DamagedVectors: it is neither.
    """
    said, scope = entry.get("replication"), entry.get("scope") or "NODE"
    if isinstance(said, dict) or said == 1:
        return copies(said if isinstance(said, dict) else {"NODE": 1}, where)
    across = {} if scope == "NODE" else {str(scope): 2}
    return copies({"NODE": said} | across, where)


def attributes(entry: Case, where: str) -> LogAttributes:
    """The log's attributes.

    Raises:
        DamagedVectors: one is missing.
    """
    window = whole(entry.get("sequencer_window_size"), "sequencer_window_size", where)
    return LogAttributes(window, part(entry, "scd_enabled", bool, where), flag(entry, "local_scd_enabled", where))


def settings(said: Any, where: str, before: Settings) -> Settings:
    """The settings that the rules depend on; what others say, as how long timers take, does not matter to a script.

    Raises:
        DamagedVectors: one has a value that it cannot have.
    """
    if not isinstance(said, dict):
        raise DamagedVectors("no settings", repr(said), "an object of names and values", where)
    known = {name.replace("-", "_"): value for name, value in said.items()}
    limit = known.get("grace_counter_limit", before.grace_counter_limit)
    efficiency = known.get("read_stream_guaranteed_delivery_efficiency", before.efficiency)
    if isinstance(limit, bool) or not isinstance(limit, int) or not isinstance(efficiency, bool):
        raise DamagedVectors("a setting has no such value", repr(said), "see LogDevice, docs/settings.md", where)
    grace = next((bool(known[name]) for name in known if name.endswith("gap_grace_period")), before.grace_period)
    return Settings(efficiency, limit, grace)


def options(config: Case, where: str) -> Options:
    """What is read, and how.

    Raises:
        DamagedVectors: nothing can be read in this way.
    """
    start, until = lsn(config.get("start_lsn"), where), lsn(config.get("until_lsn"), where)
    capacity = whole(config.get("buffer_size"), "buffer_size", where, least=1, most=BUFFER_MAX)
    threshold = config.get("flow_control_threshold")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise DamagedVectors("no such threshold", repr(threshold), "a number from 0 to 1", where)
    if start > until:
        raise DamagedVectors("nothing can be read", f"{start} to {until}", "a start before the end", where)
    return Options(
        start,
        until,
        capacity,
        threshold,
        require_full_read_set=flag(config, "require_full_read_set", where),
        ignore_released_status=flag(config, "ignore_released_status", where),
        skip_trimmed=not flag(config, "do_not_skip_partially_trimmed", where),
        ship_corrupted=flag(config, "ship_corrupted_records", where),
        wait_for_all_copies=flag(config, "wait_for_all_copies", where),
    )
