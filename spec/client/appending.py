"""What writers may see: one place for each append, in the order of their appends.

Sources: Kafka's documentation of producer acknowledgements and idempotence; LogDevice, Read path.
"""

from __future__ import annotations

from spec.client.views import Acknowledgement, Payload
from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.log.views import Slot


@rule(
    "client.append.one_per_lsn",
    cite="LogDevice, Read path, How reads happen: a sequence number stands for one record",
)
def one_acknowledgement_per_lsn(slot: Slot) -> Bool:
    """No two payloads are acknowledged at one LSN."""
    return slot.acked.implies(alike(slot.acked_least, slot.acked_most))


@rule(
    "client.append.once",
    cite="Kafka, Producer configuration, enable.idempotence: exactly one copy of each message is written",
)
def appended_once(payload: Payload) -> Bool:
    """A payload that was appended is delivered at one LSN only."""
    return payload.delivered.implies(alike(payload.delivered_least, payload.delivered_most))


@rule(
    "client.append.refused_is_absent",
    cite="LogDevice, Write path; Kafka, Producer: an append that failed for certain did not happen",
)
def refused_is_never_delivered(payload: Payload) -> Bool:
    """An append that was refused for certain is never delivered."""
    return payload.refused.implies(~payload.delivered)


@rule(
    "client.append.in_order",
    cite="LogDevice, common/Sequencer.h: LSNs of a log increase with the order of its appends",
)
def later_append_has_greater_lsn(ack: Acknowledgement) -> Bool:
    """An append that a client began after it saw another acknowledged gets the greater LSN of the two."""
    return known(ack.lsn_before).implies(ack.invoked_before < ack.seq)
