"""What a script tells its read stream: each ``do`` of a step becomes inputs of the state machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from conformance.vectors.cases import Case, part
from conformance.vectors.parts import each, flag, one_of, whole
from conformance.vectors.stream_scripts.script import Script
from conformance.vectors.stream_scripts.values import (
    attributes,
    copies_of_pair,
    epoch_number,
    lsn,
    settings,
)
from conformance.vectors.stream_scripts.words import OF_SHARDS, kind_of_output, lacks_log, status_after, timer_of
from reference_impl.log.stream import inputs
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.surroundings import Metadata, Source
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status

Doing: TypeAlias = Callable[[Script, Case, str], Script]


# ------------------------------------------------------------------------------------------ what shards send


def _record(script: Script, entry: Case, where: str) -> Script:
    script, shard = script.shard(entry.get("from"), where)
    flags = each(entry, "flags", where, lambda value, _, __: value) if "flags" in entry else ()
    return script.told(
        inputs.Record(
            shard,
            lsn(entry.get("lsn"), where),
            hole="HOLE" in flags,
            bridge="BRIDGE" in flags,
            epoch_begin="EPOCH_BEGIN" in flags,
            under_replicated="UNDER_REPLICATED_REGION" in flags,
            damaged=flag(entry, "bad_checksum", where) or "PAYLOAD_GROUP" in flags,
        )
    )


def _gap(script: Script, entry: Case, where: str) -> Script:
    script, shard = script.shard(entry.get("from"), where)
    reason = one_of(inputs.GapReason, entry.get("reason"), where)
    return script.told(inputs.Gap(shard, lsn(entry.get("lo"), where), lsn(entry.get("hi"), where), reason))


def _started(script: Script, entry: Case, where: str) -> Script:
    version, status = whole(entry.get("filter_version"), "filter_version", where), part(entry, "status", str, where)
    released = lsn(entry.get("last_released") or "LSN_INVALID", where)
    script, shards = script.shards(entry.get("from"), where)
    for shard in shards:
        script = script.told(inputs.Started(shard, version, status, released))
    return script


def _start_sent(script: Script, entry: Case, where: str) -> Script:
    script, shard = script.shard(entry.get("shard"), where)
    return script.told(inputs.StartSent(shard, part(entry, "status", str, where)))


def _connection_closed(script: Script, entry: Case, where: str) -> Script:
    script, shard = script.shard(entry.get("shard"), where)
    return script.told(inputs.ConnectionClosed(shard, part(entry, "status", str, where)))


# -------------------------------------------------------------------------------- epochs and configuration


def _epoch_metadata(script: Script, entry: Case, where: str) -> Script:
    epoch, since, until = (epoch_number(entry, name, where) for name in ("epoch", "since", "until"))
    script, shards = script.shards(part(entry, "shards", list, where), where)
    metadata = Metadata(since, frozenset(shards), copies_of_pair(entry, where))
    return script.told(inputs.EpochMetadata(epoch, until, metadata, one_of(Source, entry.get("source"), where)))


def _epoch_metadata_error(script: Script, entry: Case, where: str) -> Script:
    """The epoch that was asked for last cannot be read, where the step names none."""
    epoch = epoch_number(entry, "epoch", where) if "epoch" in entry else script.stream.known.asked or 0
    return script.told(inputs.EpochMetadataFailed(epoch, str(entry.get("status", entry.get("error", "FAILED")))))


def _change_log_config(script: Script, entry: Case, where: str) -> Script:
    return replace(script, changes={**script.changes, part(entry, "name", str, where): entry.get("value")})


def _update_config(script: Script, entry: Case, where: str) -> Script:
    """What the step does not say stays as it was, but for what ``change_log_config`` said before."""
    log = script.stream.around.log
    before = {"scd_enabled": log.single_copy, "sequencer_window_size": log.sequencer_window} if log else {}
    now = None if lacks_log(entry) else attributes({**before, **script.changes, **entry}, where)
    shards = list(script.stream.around.shards)
    if "shards" in entry:
        script, shards = script.shards(part(entry, "shards", list, where), where)
    return replace(script.told(inputs.ConfigurationSet(frozenset(shards), now)), changes={})


def _shard_status_event(script: Script, entry: Case, where: str) -> Script:
    """The event is of one shard, or with a star of all that the event log calls less than fully authoritative."""
    status = status_after(part(entry, "event", str, where), where)
    before = script.stream.around.statuses or {}
    shards = [shard for shard, said in before.items() if said is not Status.FULLY_AUTHORITATIVE]
    if entry.get("shard") != "*":
        script, shards = script.shards(entry.get("shard"), where)
    return script.told(inputs.StatusesChanged({**before, **dict.fromkeys(shards, status)}))


def _set_setting(script: Script, entry: Case, where: str) -> Script:
    said = {part(entry, "name", str, where): entry.get("value")}
    return script.told(inputs.SettingsSet(settings(said, where, script.stream.around.settings)))


# ------------------------------------------------------------------------------------------- what tests do


def _start(script: Script, entry: Case, _: str) -> Script:
    """The stream starts, and all its connections are as if the shards had answered."""
    if lacks_log(entry):
        script = script.told(inputs.ConfigurationSet(script.stream.around.shards, None))
    script = script.told(inputs.Start())
    for shard in sorted(script.stream.senders):
        script = script.told(inputs.ConnectionSet(shard, Connection.READING))
    return script


def _fire_timer(script: Script, entry: Case, where: str) -> Script:
    timer = timer_of(entry.get("timer"), where)
    if timer not in OF_SHARDS:
        return script.told(inputs.Fired(timer))
    script, shard = script.shard(entry.get("shard"), where)
    return script.told(inputs.Fired(timer, shard))


def _run_scheduled_rewind(script: Script, _: Case, __: str) -> Script:
    return script.told(inputs.Fired(Timer.REWIND)) if script.stream.rewinding else script


def _set_connection_state(script: Script, entry: Case, where: str) -> Script:
    state = one_of(Connection, entry.get("state"), where)
    script, shards = script.shards(entry.get("shards"), where)
    for shard in shards:
        script = script.told(inputs.ConnectionSet(shard, state))
    return script


def _connection_health(script: Script, entry: Case, where: str) -> Script:
    script, shard = script.shard(entry.get("shard"), where)
    return script.told(inputs.HealthSet(shard, part(entry, "healthy", bool, where)))


def _set_send_start_error(script: Script, entry: Case, where: str) -> Script:
    script, shard = script.shard(entry.get("shard"), where)
    error = part(entry, "error", str, where)
    return script.told(inputs.StartError(shard, None if error == "OK" else error))


def _set_callbacks_accepting(script: Script, entry: Case, where: str) -> Script:
    return script.told(inputs.Accepting(part(entry, "value", bool, where)))


def _set_memory_pressure(script: Script, entry: Case, where: str) -> Script:
    return script.told(inputs.MemoryPressure(part(entry, "value", bool, where)))


def _ignore_released_status(script: Script, _: Case, __: str) -> Script:
    options = script.stream.options._replace(ignore_released_status=True)
    return replace(script, stream=script.stream._replace(options=options))


def _discard_output(script: Script, entry: Case, where: str) -> Script:
    kind = kind_of_output(part(entry, "what", str, where), where)
    return replace(script, did=tuple(one for one in script.did if not isinstance(one, kind)))


DOINGS: Final[dict[str, Doing]] = {
    "start": _start,
    "record": _record,
    "gap": _gap,
    "started": _started,
    "fire_timer": _fire_timer,
    "run_scheduled_rewind": _run_scheduled_rewind,
    "epoch_metadata": _epoch_metadata,
    "epoch_metadata_error": _epoch_metadata_error,
    "set_connection_state": _set_connection_state,
    "set_send_start_error": _set_send_start_error,
    "start_sent": _start_sent,
    "connection_closed": _connection_closed,
    "shard_status_event": _shard_status_event,
    "set_callbacks_accepting": _set_callbacks_accepting,
    "set_memory_pressure": _set_memory_pressure,
    "set_setting": _set_setting,
    "change_log_config": _change_log_config,
    "update_config": _update_config,
    "note_config_changed": lambda script, _, __: script.told(inputs.ConfigurationChanged()),
    "cluster_state": lambda script, _, __: script,
    "connection_health": _connection_health,
    "ignore_released_status": _ignore_released_status,
    "discard_output": _discard_output,
    "destroy_stream": lambda script, _, __: script.told(inputs.Destroyed()),
}
"""What a step may do: the cluster's state is known to have no effect on a stream."""
