"""The configuration changes while a stream reads: shards come and go, single copy delivery is switched on and off.

LogDevice, common/client_read_stream/ClientReadStream.cpp, noteConfigurationChanged and updateScdStatusContinuation.
"""

from __future__ import annotations

from reference_impl.log.stream import single_copy
from reference_impl.log.stream.delivery import dispose_if_done, remove
from reference_impl.log.stream.health import reckoned
from reference_impl.log.stream.inputs import ConfigurationChanged
from reference_impl.log.stream.progress import make_progress
from reference_impl.log.stream.read_set import update_read_set
from reference_impl.log.stream.state import Mode, Stream


def configuration_changed(stream: Stream, _: ConfigurationChanged) -> Stream:
    """The read set and the mode follow the configuration."""
    if stream.denied:
        return stream
    if stream.known.last_epoch:
        stream = make_progress(reckoned(update_read_set(stream)))
    return dispose_if_done(stream if stream.done else follow_attributes(stream))


def follow_attributes(stream: Stream) -> Stream:
    """Switched off, single copy delivery ends with the next rewind; switched on, it begins with it.

    All send all that came of a failover ends with the window, as ever.
    """
    before, now = stream.known.log, stream.around.log
    if before is None:
        return stream
    if now is None:
        return remove(stream)
    stream = stream.knowing(log=now)
    if stream.single_copy.active and not now.single_copy:
        return single_copy.plan(stream, Mode.ALL_SEND_ALL)
    switched_on = not stream.single_copy.active and now.single_copy and not before.single_copy
    return single_copy.plan(stream, single_copy.wanted_mode(stream)) if switched_on else stream
