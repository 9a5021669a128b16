"""What writers may see: one place for each append, in the order of their appends.

Sources: Kafka's documentation of producer acknowledgements and idempotence; LogDevice, Read path.
"""

from __future__ import annotations

from spec.client.views import Acknowledgement, Appended, Payload
from spec.events import Deliver, Invoke, Refused
from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.log.views import Slot


@rule(
    "client.append.one_per_lsn",
    cite="LogDevice, Read path, How reads happen: a sequence number stands for one record",
)
def one_acknowledgement_per_lsn(slot: Slot) -> Bool:
    """No two appends are acknowledged at one LSN."""
    one_payload = alike(slot.acked_least, slot.acked_most)
    one_recorder = alike(slot.acked_invoker_least, slot.acked_invoker_most)
    one_invocation = alike(slot.acked_invoked_least, slot.acked_invoked_most)
    return slot.acked.implies(one_payload & one_recorder & one_invocation)


@rule(
    "client.append.one_lsn",
    cite="LogDevice, Read path, How reads happen: a record has a sequence number, which the append is answered with",
    spares=(Refused, Invoke),
)
def one_lsn_per_append(append: Appended) -> Bool:
    """An append is acknowledged at one LSN only, and never if it was refused for certain or did not begin."""
    return append.acked.implies(alike(append.lsn_least, append.lsn_most) & ~append.refused & ~append.never_began)


@rule(
    "client.append.once",
    cite="Kafka, Producer configuration, enable.idempotence: exactly one copy of each message is written",
)
def appended_once(slot: Slot) -> Bool:
    """A payload is delivered at no more LSNs than it has appends that were not refused and are not elsewhere."""
    return slot.delivered.implies(~slot.of_no_append)


@rule(
    "client.append.refused_is_absent",
    cite="LogDevice, Write path; Kafka, Producer: an append that failed for certain did not happen",
)
def refused_is_never_delivered(payload: Payload) -> Bool:
    """A payload is not delivered if all its appends were refused for certain."""
    some_other = payload.refused < payload.appends.when(~payload.may_be_unnamed)
    return (payload.refused > 0).implies(~payload.delivered | some_other)


@rule(
    "client.append.in_order",
    cite="LogDevice, common/Sequencer.h: LSNs of a log increase with the order of its appends",
    spares=(Deliver,),
)
def later_append_has_greater_lsn(slot: Slot) -> Bool:
    """An append that began after its client saw another acknowledged gets the greater LSN of the two.

    Where real-time order is promised, it does not matter whose the other one was.
    """
    surely, perhaps = slot.after < slot.lsn, slot.perhaps_after < slot.lsn
    return slot.shown.implies(surely & (slot.after < slot.lsn.when(perhaps)))


@rule(
    "client.append.client_order",
    cite="Kafka, Producer configuration, max.in.flight.requests.per.connection: with idempotence, order is kept",
    promise="client_order",
)
def appends_keep_their_clients_order(ack: Acknowledgement) -> Bool:
    """Of two appends of one client that are acknowledged and that one recorder saw, the first has the smaller LSN."""
    return (known(ack.invoker_before) & (ack.invoker_before == ack.invoker)).implies(ack.invoked_before <= ack.invoked)
