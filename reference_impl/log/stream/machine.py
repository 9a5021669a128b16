"""The read stream as a state machine: a stream and an input give the next stream and what is to be done.

LogDevice, common/client_read_stream/ClientReadStream.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from reference_impl.kernel.decision import decision
from reference_impl.log.stream import inputs
from reference_impl.log.stream.batches import on_batch
from reference_impl.log.stream.beginning import destroy, start
from reference_impl.log.stream.configuration import configuration_changed
from reference_impl.log.stream.epochs import learn_metadata, metadata_failed
from reference_impl.log.stream.firing import fire
from reference_impl.log.stream.handshake import on_closed, on_start_sent, on_started
from reference_impl.log.stream.noticing import see, see_start_error, see_statuses, set_connection, set_health
from reference_impl.log.stream.outputs import Output
from reference_impl.log.stream.receiving import on_gap, on_record
from reference_impl.log.stream.single_copy import see_outliers
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import Options, Surroundings
from reference_impl.log.stream.window import first_window

Did: TypeAlias = tuple[Stream, tuple[Output, ...]]
"""The next stream, and what is to be done."""


def stream_of(options: Options, around: Surroundings) -> Stream:
    """A stream that is not started yet."""
    return Stream(options, around, options.start, first_window(options))


@decision
def step(stream: Stream, message: inputs.Input) -> Did:
    """The next stream, and what is to be done; a stream that is disposed of does nothing more."""
    if stream.disposed:
        return stream, ()
    stream = HANDLERS[type(message)](stream, message)
    return (stream._replace(said=()), stream.said) if stream.said else (stream, ())


HANDLERS: Final[Mapping[type, Callable[[Stream, Any], Stream]]] = {
    inputs.Start: start,
    inputs.Record: on_record,
    inputs.Gap: on_gap,
    inputs.Batch: on_batch,
    inputs.Started: on_started,
    inputs.StartSent: on_start_sent,
    inputs.ConnectionClosed: on_closed,
    inputs.EpochMetadata: learn_metadata,
    inputs.EpochMetadataFailed: metadata_failed,
    inputs.StatusesChanged: see_statuses,
    inputs.ConfigurationSet: lambda stream, message: see(stream, shards=message.shards, log=message.log),
    inputs.ConfigurationChanged: configuration_changed,
    inputs.SettingsSet: lambda stream, message: see(stream, settings=message.settings),
    inputs.Accepting: lambda stream, message: see(stream, accepting=message.value),
    inputs.MemoryPressure: lambda stream, message: see(stream, memory_pressure=message.value),
    inputs.StartError: see_start_error,
    inputs.Fired: fire,
    inputs.ConnectionSet: set_connection,
    inputs.HealthSet: set_health,
    inputs.OutliersChanged: see_outliers,
    inputs.Destroyed: destroy,
}
"""What a stream does with each kind of input."""
