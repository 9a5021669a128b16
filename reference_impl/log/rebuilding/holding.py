"""What a storage node does for rebuilding: it lends what it has to the donor beside it, and holds what donors bring.

LogDevice, docs/Rebuilding.md; common/protocol/STORE_Message.h, flags REBUILDING and AMEND.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from typing import Final

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import EXTRAS, SHIPPED_PURGES, LogContext
from reference_impl.log.copies import Copy
from reference_impl.log.lsn import lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.rebuilding.messages import Amend, Amended, ComeBack, Held, Hold, Lend, Lent

# --------------------------------------------------------------------------------------------- decisions


def settled_upto(here: NodeLog) -> int:
    """Up to this LSN a node has purged, or knows that everything is released."""
    return max(here.released, lsn_of(here.clean + 1, 0))


@decision
def may_lend(here: NodeLog, until: int) -> bool:
    """Rebuilding waits for what it rebuilds to be released, so that it does not race recovery: docs/Rebuilding.md."""
    return until <= settled_upto(here)


@decision
def may_hold(here: NodeLog, lsn: int) -> bool:
    """Rebuilding stores only what is released; a node that has not heard so has not purged yet either."""
    return lsn <= settled_upto(here)


@decision
def lent(found: list[tuple[int, Copy]]) -> list[tuple[int, Copy]]:
    """A node lends what it has, and nothing else: docs/Rebuilding.md."""
    return found


@decision
def rebuilt_as(copy: Copy) -> Copy:
    """A rebuilt copy is what the lent one is."""
    return copy


# ------------------------------------------------------------------------------------------------ steps


def lend(here: NodeLog, message: Lend, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Lend all copies whose copyset names the shard, and all that a recovery wrote: those may count on it unnamed."""
    if not context.decides(may_lend)(here, message.until):
        return None
    copies = [
        (lsn, copy)
        for lsn, copy in here.copies.between(0, message.until)
        if (message.shard in copy.copyset or copy.recovery) and not copy.damaged
    ]
    answer = Lent(message.began, tuple(context.decides(lent)(copies)))
    return _counted_on(here, message.until, context), (Send(addresses.donor(here.log, here.node), answer),)


def _counted_on(here: NodeLog, upto: int, context: LogContext) -> NodeLog:
    """What donors know to be here is not deleted any more, though it were an extra copy, or a purge did not need it."""
    is_asked = {EXTRAS, SHIPPED_PURGES} & context.variants
    return here._replace(lent=max(here.lent, upto)) if is_asked else here


def hold(here: NodeLog, message: Hold, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Hold copies that were lost elsewhere; what is held already stays as it is."""
    if here.node in context.read_only or not all(context.decides(may_hold)(here, lsn) for lsn, _ in message.copies):
        return None
    copies, effects = here.copies, list[Effect]()
    for lsn, copy in message.copies:
        old = copies.get(lsn)
        if old is None or old.damaged:
            held = context.decides(rebuilt_as)(copy)
            copies = copies.with_(lsn, held)
            effects.append(trace_events.rebuilt(here.log, lsn, here.node, held, (message.began, message.donor)))
    effects.append(Send(addresses.donor(here.log, message.donor), Held(message.began, message.planned_ns, here.node)))
    upto = max((lsn for lsn, _ in message.copies), default=0)
    return _counted_on(here._replace(copies=copies), upto, context), tuple(effects)


def amend(here: NodeLog, message: Amend, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Change copysets of what is held; a copy so changed counts as a later wave, which late stores do not undo."""
    copies, effects = here.copies, list[Effect]()
    for lsn, copyset in message.copysets:
        old = copies.get(lsn)
        if old is not None and old.copyset != copyset:
            copies = copies.with_(lsn, old._replace(copyset=copyset, wave=old.wave + 1))
            effects.append(
                trace_events.copyset_changed(here.log, lsn, here.node, copyset, (message.began, message.donor))
            )
    effects.append(
        Send(addresses.donor(here.log, message.donor), Amended(message.began, message.planned_ns, here.node))
    )
    return here._replace(copies=copies), tuple(effects)


def come_back(here: NodeLog, message: ComeBack, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Begin anew with nothing; what may have been sealed or trimmed here before stays so."""
    said: list[Effect] = [trace_events.seal(here.log, message.seal, here.node)] if message.seal else []
    said += [trace_events.trimmed(here.log, message.trimmed, here.node)] if message.trimmed else []
    after = NodeLog(here.log, here.node, seal=message.seal, serving=here.serving, trimmed=message.trimmed)
    return after, tuple(said)


HANDLERS: Final[Handlers] = {Lend: lend, Hold: hold, Amend: amend, ComeBack: come_back}
