"""Reading the metadata log: all of its nodes are asked, and so many must answer that no record can hide.

LogDevice, common/MetaDataLogReader.h. A storage node that purges an epoch has a finder, which reads for it; read
streams do so themselves.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Address, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.messages import Nodeset, WhereLies
from reference_impl.log.metadata_log import Range, found_in, ranges
from reference_impl.log.metadata_messages import MetadataRead, ReadMetadata
from reference_impl.log.statuses import Statuses
from reference_impl.log.stream.surroundings import Metadata

NOBODY_GONE: Final = Statuses()
"""The metadata log has a shard of its own on each node, of which the event log says nothing."""


class Reading(NamedTuple):
    """One question to the metadata log.

    Attributes:
        epoch: the epoch whose metadata are looked for.
        ticket: tells it from earlier questions, which may have been answered before the epoch began.
        heard: what nodes answered.
        is_over: the metadata are found.
    """

    epoch: int = 0
    ticket: int = 0
    heard: Mapping[int, tuple[Metadata, ...]] = {}
    is_over: bool = False


@decision
def is_known(context: LogContext, heard: Nodes) -> bool:
    """An f-majority of the metadata log's nodes has answered: no record that is written can lie on the others alone."""
    return context.quorums.is_f_majority(heard, context.quorums.everyone, NOBODY_GONE)


def merged(answers: Iterable[tuple[Metadata, ...]]) -> tuple[Metadata, ...]:
    """The records that any of the nodes holds, in the order of epochs."""
    records = {record.since: record for answer in answers for record in answer}
    return tuple(records[since] for since in sorted(records))


def asked_anew(before: Reading, epoch: int) -> Reading:
    """Another question than the ones before."""
    return Reading(epoch, before.ticket + 1)


def questions(reading: Reading, log: int, back: Address, context: LogContext) -> Iterator[Send]:
    """A message to every node that has not answered."""
    for node in sorted(context.quorums.everyone.difference(reading.heard)):
        yield Send(addresses.metadata_node(log, node), ReadMetadata(back, reading.ticket))


def heard(reading: Reading, answer: MetadataRead, context: LogContext) -> tuple[Reading, Range | None] | None:
    """What is known with one more answer; where nothing tells of the epoch yet, the question must be put again."""
    if reading.is_over or answer.ticket != reading.ticket:
        return None
    answers = {**reading.heard, answer.node: answer.records}
    if not context.decides(is_known)(context, frozenset(answers)):
        return reading._replace(heard=answers), None
    found = found_in(context.decides(ranges)(merged(answers.values())), reading.epoch)
    return (
        (reading._replace(heard=answers, is_over=True), found) if found else (asked_anew(reading, reading.epoch), None)
    )


class Finder(NamedTuple):
    """What a storage node looks for in the metadata log.

    Attributes:
        readings: its questions that are not answered, by epoch.
        asked: how many it had in all.
    """

    log: int
    node: int
    readings: Mapping[int, Reading] = {}
    asked: int = 0


def look_for(finder: Finder, message: WhereLies, moment: Moment, context: LogContext) -> Stepped[Finder]:
    """Ask for the nodeset of an epoch, or again those that are silent."""
    reading = finder.readings.get(message.epoch)
    if reading is None:
        reading = Reading(message.epoch, finder.asked)
        finder = finder._replace(readings={**finder.readings, message.epoch: reading}, asked=finder.asked + 1)
    back = addresses.finder(finder.log, finder.node)
    return finder, tuple(questions(reading, finder.log, back, context))


def find(finder: Finder, message: MetadataRead, moment: Moment, context: LogContext) -> Stepped[Finder]:
    """Tell the storage node what is found; what is not there is asked for again with the next release."""
    asked = next((one for one in finder.readings.values() if one.ticket == message.ticket), None)
    stepped = asked and heard(asked, message, context)
    if not stepped:
        return None
    reading, found = stepped
    others = {epoch: one for epoch, one in finder.readings.items() if epoch != reading.epoch}
    if found is None:
        kept = {**others, reading.epoch: reading} if reading.heard else others
        return finder._replace(readings=kept), ()
    nodeset = Nodeset(reading.epoch, found.metadata.shards)
    return finder._replace(readings=others), (Send(addresses.storage(finder.log, finder.node), nodeset),)


HANDLERS: Final[Handlers] = {WhereLies: look_for, MetadataRead: find}
