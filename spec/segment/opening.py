"""Opening an iterator or a writer: validate, resolve, lock, open the parts, and have them acknowledged.

Source: Synnax, Segment Distribution, 4.2 Opening an Iterator and 5.1 Opening a Writer.
"""

from __future__ import annotations

from spec.language.handles import Bool, known, one_of
from spec.language.rule import rule
from spec.segment.events import Joined, Opened, Refused
from spec.segment.orders import leaseholder_in
from spec.segment.parts import are_freed
from spec.segment.views.channels import Hold, Resolution
from spec.segment.views.sessions import Call, Session

OPENING = "Synnax, Segment Distribution, 4.2 Opening an Iterator"
WRITER = "Synnax, Segment Distribution, 5.1 Opening a Writer"


@rule("segment.open.knows_its_channels", cite=OPENING)
def channels_are_known(resolution: Resolution) -> Bool:
    """An iterator or writer is opened only for channels that its gateway knows of by then."""
    before = resolution.learnt_at.not_after(resolution.opened_at)
    return known(resolution.gateway).implies(known(resolution.learnt) & before)


@rule("segment.open.resolves", cite=OPENING)
def channels_are_resolved(resolution: Resolution) -> Bool:
    """Each channel belongs to the group of the leaseholder that its key names."""
    return resolution.leaseholder == leaseholder_in(resolution.channel)


@rule("segment.open.where_channels_are", cite=OPENING)
def parts_are_where_channels_are(session: Session) -> Bool:
    """The nodes that have a part are the leaseholders of its channels: the gateway only if it is one of them."""
    return session.opened.implies((session.nodes <= session.leaseholders) & (session.leaseholders <= session.nodes))


@rule("segment.open.acknowledged", cite=OPENING)
def opening_is_acknowledged(call: Call) -> Bool:
    """It is given to its caller only after each of its nodes acknowledged that its part is open."""
    return call.opened.implies((call.nodes <= call.acked) & call.acked_at.not_after(call.opened_at))


@rule("segment.open.locks_first", cite=WRITER, promise="lock", variant="written")
def locks_come_first(session: Session) -> Bool:
    """All locks are taken before any part of a writer is opened."""
    return (known(session.locked_at) & known(session.part_opened_at)).implies(
        session.locked_at.not_after(session.part_opened_at)
    )


@rule("segment.open.ends", cite=WRITER, promise="quiet", strength="deadline", spares=(Opened, Refused, Joined))
def opening_ends(session: Session) -> Bool:
    """Whoever asks a gateway that lives for an iterator or writer is given it or refused, whoever else asks."""
    lost = known(session.died) & (one_of(session.asked_of) <= session.died)
    return (session.asked & ~lost).implies(session.opened | session.refused)


@rule("segment.open.refusal_leaves_nothing", cite=OPENING, promise="quiet", strength="deadline", spares=(Joined,))
def refusals_leave_nothing(session: Session) -> Bool:
    """What is refused leaves no part behind on any node that lives."""
    return session.refused.implies(are_freed(session.parts_opened, session.parts_closed, session.died))


@rule("segment.open.refusal_frees_locks", cite=WRITER, promise="quiet", strength="deadline")
def refusals_free_locks(hold: Hold) -> Bool:
    """A writer that is refused gives up every lock that it took."""
    return (hold.taken & hold.refused).implies(hold.released)
