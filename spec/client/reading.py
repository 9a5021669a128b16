"""What readers may see: order, loss and repeatability, judged from what clients record.

Sources: LogDevice, Read path (records are delivered in order; acknowledged records are always delivered); the same
promises are made in Kafka's and BookKeeper's documentation.
"""

from __future__ import annotations

from spec.client.views import Payload
from spec.events import Gap, Passed, Read
from spec.language.handles import Bool, alike, known
from spec.language.rule import Census, rule
from spec.log.passing import is_answered_for, is_passed_over
from spec.log.views import Slot, Step


@rule(
    "client.read.in_order",
    cite="LogDevice, Read path, How reads happen: records are delivered in the order of their sequence numbers",
    spares=(Gap, Passed, Read),
)
def delivered_in_order(step: Step) -> Bool:
    """A read is given LSNs in strictly increasing order, and no gap ends before it begins."""
    return known(step.given).implies((step.since <= step.lsn) & (step.lsn <= step.upto))


@rule(
    "client.read.acked_is_delivered",
    cite="LogDevice, Recovery, Log recovery: acknowledged records must always be delivered to the reader",
    spares=(Gap, Passed, Read),
)
def acknowledged_is_delivered(slot: Slot) -> Bool:
    """No read passes over an acknowledged record."""
    return (slot.acked & is_answered_for(slot)).implies(~is_passed_over(slot))


@rule(
    "client.read.acked_is_asked_for",
    cite="LogDevice, Recovery, Log recovery: acknowledged records must always be delivered; reads show whether",
    census=Census(
        "acknowledged", "read or passed over", "not read yet", "record what readers are given (read, deliver, gap)"
    ),
)
def acknowledged_is_asked_for(slot: Slot) -> Bool:
    """Some read came as far as an acknowledged record; of the others nobody knows whether they are lost."""
    return slot.acked.implies(slot.lsn.when(is_answered_for(slot)) >= slot.lsn)


@rule(
    "client.read.repeatable",
    cite="LogDevice, Recovery, Sequencer activation: the repeatable read consistency guarantee",
)
def reads_are_repeatable(slot: Slot) -> Bool:
    """All readers are given the same record at an LSN."""
    return slot.delivered.implies(alike(slot.delivered_least, slot.delivered_most))


@rule(
    "client.read.given_to_all",
    cite="LogDevice, Recovery, Sequencer activation: delivering records as-is would violate repeatable reads",
    spares=(Gap, Passed, Read),
)
def what_one_was_given_no_other_passes_over(slot: Slot) -> Bool:
    """What one read was given, no other read passes over."""
    return slot.delivered.implies(~is_passed_over(slot))


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
    """Every record that is delivered was appended by some client, perhaps as a payload that nobody recorded."""
    some_append = payload.appends.when(~payload.may_be_unnamed) > 0
    return payload.delivered.implies(payload.invoked | some_append)


@rule(
    "client.read.after_its_append",
    cite="LogDevice, Read path, How reads happen: nodes send the records that they have",
)
def delivered_after_its_append_began(slot: Slot) -> Bool:
    """No record is delivered before the append that wrote it began."""
    return slot.delivered.implies(~slot.given_too_early)


@rule(
    "client.read.nothing_beyond_the_end",
    cite="LogDevice, Recovery, Log recovery: acknowledged records must always be delivered to the reader",
)
def nothing_acknowledged_lies_beyond_the_end(slot: Slot) -> Bool:
    """From where a reader is told that the log ends, nothing lies up to what was acknowledged before it asked."""
    surely, perhaps = slot.known_at_an_end < slot.lsn, slot.perhaps_known_at_an_end < slot.lsn
    ends_beyond_it = surely & (slot.known_at_an_end < slot.lsn.when(perhaps))
    return (slot.at_end | (slot.acked & known(slot.end_before))).implies(~slot.acked | ends_beyond_it)
