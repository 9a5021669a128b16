"""Control of a channel: one lock, as the document has it, or authorities, as is shipped.

Sources: Synnax, Segment Distribution, 5.1 Opening a Writer; RFC 14 and cesium/internal/control/controller.go.
"""

from __future__ import annotations

from spec.language.handles import Bool, known, one_of
from spec.language.rule import rule
from spec.segment.events import Asked, Cancelled, Closed, Joined, LockRefused, LockReleased
from spec.segment.events.values import FREE
from spec.segment.views.channels import Hold, Turn
from spec.segment.views.times import Segment

LOCK = "Synnax, Segment Distribution, 5.1 Opening a Writer"
AUTHORITY = "Synnax, RFC 14; cesium/internal/control/controller.go"


@rule("segment.lock.one_writer", cite=LOCK, promise="lock", variant="written", spares=(LockReleased, LockRefused))
def one_writer_holds_a_channel(turn: Turn) -> Bool:
    """A writer takes the lock of a channel only while nobody holds it."""
    free = ~known(turn.holder_before) | (turn.holder_before == FREE)
    return turn.taken.implies(free & (turn.holder == turn.session))


@rule("segment.lock.given_up_by_its_holder", cite=LOCK, promise="lock", variant="written", spares=(LockRefused,))
def locks_are_given_up_by_their_holder(turn: Turn) -> Bool:
    """Only the writer that holds a lock gives it up, and then nobody holds it."""
    held = known(turn.holder_before) & (turn.holder_before == turn.session)
    return turn.released.implies(held & (turn.holder == FREE))


@rule("segment.lock.refused_while_held", cite=LOCK, promise="lock", spares=(LockReleased,))
def locks_are_refused_only_while_held(turn: Turn) -> Bool:
    """A lock is refused only while another writer holds it: writers of other channels are not in the way."""
    held = known(turn.holder_before) & (turn.holder_before > FREE)
    return turn.refused.implies(held & (turn.holder_before == turn.holder))


@rule(
    "segment.lock.is_given_up",
    cite=LOCK,
    promise="quiet",
    strength="deadline",
    spares=(Asked, Cancelled, Closed, Joined, LockReleased),
)
def locks_are_given_up(hold: Hold) -> Bool:
    """A lock is given up once its writer is closed or cancelled, or its gateway is lost."""
    lost = known(hold.died) & known(hold.gateway) & (one_of(hold.gateway) <= hold.died)
    return (hold.taken & (hold.closed | hold.cancelled | lost)).implies(hold.released)


@rule(
    "segment.control.by_authority",
    cite=AUTHORITY,
    promise="authority",
    variant="shipped",
    spares=(LockReleased, LockRefused),
)
def the_highest_authority_holds(turn: Turn) -> Bool:
    """Another writer takes a channel over if it comes with more authority than the one that holds it, and not else."""
    other = turn.taken & ~known(turn.holder_before.when(turn.holder_before == turn.session))
    free = ~known(turn.holder_before) | (turn.holder_before == FREE)
    more = free | (turn.authority > turn.held_before_with)
    takes, leaves = more.implies(turn.holder == turn.session), more | (turn.holder == turn.holder_before)
    return other.implies(takes & leaves)


@rule("segment.control.only_holder_stores", cite=LOCK, spares=(LockReleased, LockRefused))
def only_the_holder_writes(segment: Segment) -> Bool:
    """A channel is written only by the writer that holds it at that moment."""
    return (known(segment.turn) & (segment.turn > 0)).implies(
        known(segment.holder) & (segment.holder == segment.session)
    )
