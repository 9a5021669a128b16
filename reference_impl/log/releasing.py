"""Releasing: how far nodes may answer readers.

LogDevice, Read path (How reads happen): records up to the last known good pointer; common/Sequencer.cpp.
"""

from __future__ import annotations

from typing import Final

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Effect, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import PURGING, LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.lsn import lsn_of
from reference_impl.log.sequencer import Sequencer
from reference_impl.log.storage_messages import Release

REPEAT_EVERY: Final = 4
"""Ticks after which a sequencer repeats its release, for nodes that missed it."""


@decision
def releasable(sequencer: Sequencer) -> int | None:
    """Records up to the last known good ESN may be read, once all earlier epochs are clean: Recovery."""
    return None if sequencer.cleaned is None else sequencer.known_good


def release(sequencer: Sequencer, context: LogContext, effects: tuple[Effect, ...]) -> Stepped[Sequencer]:
    """Tell all nodes how far they may answer readers, when that is news and from time to time."""
    esn = context.decides(releasable)(sequencer)
    if esn is None or (esn <= sequencer.released and sequencer.ticks % REPEAT_EVERY):
        return sequencer, effects
    lsn = lsn_of(sequencer.epoch, esn)
    news = (trace_events.release(sequencer.log, lsn),) if esn > sequencer.released else ()
    everyone = sorted(Nodes().union(*sequencer.nodesets.values()))
    message = Release(lsn, {} if PURGING in context.variants else sequencer.cleaned or {})
    sends = tuple(Send(addresses.storage(sequencer.log, node), message) for node in everyone)
    return sequencer._replace(released=max(esn, sequencer.released)), (*effects, *news, *sends)
