"""What readers may see: order, loss and repeatability, judged from what clients record.

Sources: LogDevice, Read path (records are delivered in order; acknowledged records are always delivered); the same
promises are made in Kafka's and BookKeeper's documentation.
"""

from __future__ import annotations

from spec.client.views import Payload
from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.log.views import Slot, Step


@rule(
    "client.read.in_order",
    cite="LogDevice, Read path, How reads happen: records are delivered in the order of their sequence numbers",
)
def delivered_in_order(step: Step) -> Bool:
    """A reader is given LSNs in strictly increasing order."""
    later = (step.seq_before < step.seq) & (step.upto_before < step.lsn)
    return (known(step.given) & known(step.upto_before)).implies(later)


@rule(
    "client.read.acked_is_delivered",
    cite="LogDevice, Recovery, Log recovery: acknowledged records must always be delivered to the reader",
)
def acknowledged_is_delivered(slot: Slot) -> Bool:
    """No reader passes over an acknowledged record that nobody was given."""
    passed_over = known(slot.passed_upto) & (slot.passed_upto >= slot.lsn)
    return slot.acked.implies(slot.delivered | ~passed_over)


@rule(
    "client.read.repeatable",
    cite="LogDevice, Recovery, Sequencer activation: the repeatable read consistency guarantee",
)
def reads_are_repeatable(slot: Slot) -> Bool:
    """All readers are given the same record at an LSN."""
    return slot.delivered.implies(alike(slot.delivered_least, slot.delivered_most))


@rule(
    "client.read.what_was_acked",
    cite="LogDevice, Recovery, Log recovery: acknowledged records are intact and delivered",
)
def delivered_is_what_was_acknowledged(slot: Slot) -> Bool:
    """The record that is delivered at an acknowledged LSN is the one that was acknowledged."""
    same = alike(slot.delivered_least, slot.delivered_most, slot.acked_least, slot.acked_most)
    return (slot.acked & slot.delivered).implies(same)


@rule(
    "client.read.nothing_invented",
    cite="LogDevice, Read path, How reads happen: nodes send the records that they have",
)
def delivered_was_appended(payload: Payload) -> Bool:
    """Every record that is delivered was appended by some client."""
    return payload.delivered.implies(payload.invoked)
