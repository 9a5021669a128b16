"""What a script tells its read stream: each ``do`` of a step becomes inputs of the state machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from conformance.vectors.fields import Fields
from conformance.vectors.stream_scripts.script import Script
from conformance.vectors.stream_scripts.values import attributes, copies_of_pair, epoch_of, settings_of
from conformance.vectors.stream_scripts.words import OF_SHARDS, kind_of_output, lacks_log, status_after, timer_of
from reference_impl.log.stream import inputs
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.surroundings import NOTHING, Metadata, Source
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status

FILTERED_MAX: Final = 1 << 20
"""No more records than that are filtered out at once: each of them is a gap of its own."""

Doing: TypeAlias = Callable[[Script, Fields], Script]

PLAIN_FLAGS: Final = frozenset(
    {"CHECKSUM", "CHECKSUM_64BIT", "CHECKSUM_PARITY", "BUFFERED_WRITER_BLOB", "INCLUDES_EXTRA_METADATA"}
    | {"INCLUDE_BYTE_OFFSET", "WRITTEN_BY_RECOVERY", "WRITTEN_BY_REBUILDING", "DIGEST", "DRAINED"}
)
"""Flags of a record that mean nothing to a read stream: LogDevice, common/protocol/RECORD_Message.h."""

FLAGS: Final = frozenset({"HOLE", "BRIDGE", "EPOCH_BEGIN", "UNDER_REPLICATED_REGION", "PAYLOAD_GROUP"})
"""Flags that mean something; this test's payload groups cannot be decoded."""


# ------------------------------------------------------------------------------------------ what shards send


def _by_each(script: Script, entry: Fields, usual: str, message: Callable[[int], inputs.Input]) -> Script:
    """The same message by, or about, each of the shards that a step names in its usual part, or in a like one."""
    name = next((name for name in (usual, "from", "shards", "shard") if name in entry), usual)
    script, shards = script.shards(entry, name)
    for shard in shards:
        script = script.receive(message(shard))
    return script


def _record(script: Script, entry: Fields) -> Script:
    lsn, flags = entry.lsn("lsn"), entry.every("flags", _flag, ())
    record = inputs.Record(
        0,
        lsn,
        hole="HOLE" in flags,
        bridge="BRIDGE" in flags,
        epoch_begin="EPOCH_BEGIN" in flags,
        under_replicated="UNDER_REPLICATED_REGION" in flags,
        damaged=entry.flag("bad_checksum", default=False) or "PAYLOAD_GROUP" in flags,
    )
    return _by_each(script, entry, "from", lambda shard: record._replace(shard=shard))


def _flag(entry: Fields, name: str) -> str:
    return entry.choice(name, {flag: flag for flag in sorted(FLAGS | PLAIN_FLAGS)})


def _gap(script: Script, entry: Fields) -> Script:
    first, upto, reason = entry.lsn("lo"), entry.lsn("hi"), entry.one_of("reason", inputs.GapReason)
    stream = script.stream
    told = min(upto, stream.window.high) - max(first, stream.cursor)
    if reason is inputs.GapReason.FILTERED_OUT and told >= FILTERED_MAX:
        raise entry.refuse("too much is filtered out", f"{told} LSNs, one gap each", f"fewer than {FILTERED_MAX}")
    return _by_each(script, entry, "from", lambda shard: inputs.Gap(shard, first, upto, reason))


def _started(script: Script, entry: Fields) -> Script:
    version, status = entry.number("filter_version"), entry.text("status")
    released = entry.lsn("last_released", NOTHING)
    return _by_each(script, entry, "from", lambda shard: inputs.Started(shard, version, status, released))


def _start_sent(script: Script, entry: Fields) -> Script:
    return _by_each(script, entry, "shard", lambda shard: inputs.StartSent(shard, entry.text("status")))


def _connection_closed(script: Script, entry: Fields) -> Script:
    return _by_each(script, entry, "shard", lambda shard: inputs.ConnectionClosed(shard, entry.text("status")))


# -------------------------------------------------------------------------------- epochs and configuration


def _epoch_metadata(script: Script, entry: Fields) -> Script:
    epoch, since, until = (epoch_of(entry, name) for name in ("epoch", "since", "until"))
    script, shards = script.shards(entry, "shards")
    metadata = Metadata(since, frozenset(shards), copies_of_pair(entry))
    return script.receive(inputs.EpochMetadata(epoch, until, metadata, entry.one_of("source", Source)))


def _epoch_metadata_error(script: Script, entry: Fields) -> Script:
    """The epoch that was asked for last cannot be read, where the step names none."""
    epoch = epoch_of(entry, "epoch") if "epoch" in entry else script.stream.known.asked or 0
    return script.receive(inputs.EpochMetadataFailed(epoch, entry.text("status", entry.text("error", "FAILED"))))


def _change_log_config(script: Script, entry: Fields) -> Script:
    return replace(script, changes={**script.changes, entry.text("name"): entry.raw("value")})


def _update_config(script: Script, entry: Fields) -> Script:
    """What the step does not say stays as it was, but for what ``change_log_config`` said before."""
    log = script.stream.around.log
    before = log and {
        "scd_enabled": log.single_copy,
        "local_scd_enabled": log.local,
        "sequencer_window_size": log.sequencer_window,
    }
    now = None if lacks_log(entry) else attributes(entry.over({**(before or {}), **script.changes}))
    shards = list(script.stream.around.shards)
    if "shards" in entry:
        script, shards = script.shards(entry, "shards")
    return replace(script.receive(inputs.ConfigurationSet(frozenset(shards), now)), changes={})


def _shard_status_event(script: Script, entry: Fields) -> Script:
    """The event is of one shard, or with a star of all that the event log calls less than fully authoritative."""
    status = status_after(entry)
    before = script.stream.around.statuses or {}
    shards = [shard for shard, said in before.items() if said is not Status.FULLY_AUTHORITATIVE]
    if entry.raw("shard") != "*":
        script, shards = script.shards(entry, "shard")
    return script.receive(inputs.StatusesChanged({**before, **dict.fromkeys(shards, status)}))


def _set_setting(script: Script, entry: Fields) -> Script:
    said = Fields({entry.text("name"): entry.raw("value")}, entry.where)
    return script.receive(inputs.SettingsSet(settings_of(said, script.stream.around.settings)))


# ------------------------------------------------------------------------------------------- what tests do


def _start(script: Script, entry: Fields) -> Script:
    """The stream starts, and all its connections are as if the shards had answered."""
    if lacks_log(entry):
        script = script.receive(inputs.ConfigurationSet(script.stream.around.shards, None))
    script = script.receive(inputs.Start())
    for shard in sorted(script.stream.senders):
        script = script.receive(inputs.ConnectionSet(shard, Connection.READING))
    return script


def _fire_timer(script: Script, entry: Fields) -> Script:
    timer = timer_of(entry)
    if timer not in OF_SHARDS:
        return script.receive(inputs.Fired(timer))
    return _by_each(script, entry, "shard", lambda shard: inputs.Fired(timer, shard))


def _run_scheduled_rewind(script: Script, _: Fields) -> Script:
    return script.receive(inputs.Fired(Timer.REWIND)) if script.stream.rewinding else script


def _set_connection_state(script: Script, entry: Fields) -> Script:
    state = entry.one_of("state", Connection)
    return _by_each(script, entry, "shards", lambda shard: inputs.ConnectionSet(shard, state))


def _connection_health(script: Script, entry: Fields) -> Script:
    return _by_each(script, entry, "shard", lambda shard: inputs.HealthSet(shard, entry.flag("healthy")))


def _set_send_start_error(script: Script, entry: Fields) -> Script:
    error = entry.text("error")
    return _by_each(script, entry, "shard", lambda shard: inputs.StartError(shard, None if error == "OK" else error))


def _set_callbacks_accepting(script: Script, entry: Fields) -> Script:
    return script.receive(inputs.Accepting(entry.flag("value")))


def _set_memory_pressure(script: Script, entry: Fields) -> Script:
    return script.receive(inputs.MemoryPressure(entry.flag("value", default=True)))


def _ignore_released_status(script: Script, entry: Fields) -> Script:
    options = script.stream.options._replace(ignore_released_status=entry.flag("value", default=True))
    return replace(script, stream=script.stream._replace(options=options))


def _discard_output(script: Script, entry: Fields) -> Script:
    kind = kind_of_output(entry)
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
    "note_config_changed": lambda script, _: script.receive(inputs.ConfigurationChanged()),
    "cluster_state": lambda script, _: script,
    "connection_health": _connection_health,
    "ignore_released_status": _ignore_released_status,
    "discard_output": _discard_output,
    "destroy_stream": lambda script, _: script.receive(inputs.Destroyed()),
}
"""What a step may do: the cluster's state is known to have no effect on a stream."""
