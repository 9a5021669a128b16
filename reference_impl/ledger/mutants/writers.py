"""Mutants of writers, and of what bookies and the metadata server let them do."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from dataclasses import replace
from typing import Final

from reference_impl.kernel.weather import Weather
from reference_impl.ledger.plan import LedgerPlan
from reference_impl.ledger.protocol.context import digest_of
from reference_impl.ledger.protocol.messages import Added
from reference_impl.ledger.protocol.metadata_server import Server, is_current, next_version, sizes_of, with_ensemble
from reference_impl.ledger.protocol.writer import (
    Writer,
    bookie_for,
    closes_behind,
    confirmed_with,
    content_of,
    counts,
    forgotten,
    is_acknowledged,
    may_acknowledge,
    new_segment_behind,
    replacements,
    sent_to,
    write_set,
)
from reference_impl.mutants.registry import mutant, setting
from spec.ledger.ack_set import AckSet
from spec.ledger.metadata import Metadata, Segment
from spec.ledger.schedule import Quorums, shipped_member

SPARE_COPY: Final = setting(
    "entries have a copy more than acknowledge them",
    of=LedgerPlan,
    quorums=Quorums(4, 3, 2),
    bookies=7,
    racks=7,
    ledgers=12,
)
"""Where an acknowledgement need not wait for all."""

MANY: Final = setting("more ledgers", of=LedgerPlan, ledgers=12)
"""Where rarer things happen."""

LOSSY: Final = setting("the network loses every twelfth message", of=LedgerPlan, weather=Weather(drop=0.08), ledgers=12)
"""Where ensembles change often."""

LONG_AGO: Final = setting("ledgers are long since begun", of=LedgerPlan, first_entry=(1 << 31) - 4)
"""Where entries no longer fit 32 bits."""


@mutant(write_set)
def entries_are_shifted(entry: int, quorums: Quorums) -> tuple[int, ...]:
    """Entries go to the members one behind those of their write sets.

    BookKeeper, client/RoundRobinDistributionSchedule.java: entry e goes to the members e, e + 1 and so on.
    """
    return tuple((entry + 1 + step) % quorums.ensemble for step in range(quorums.write))


@mutant(write_set, where=LONG_AGO)
def entries_are_cut_to_32_bits(entry: int, quorums: Quorums) -> tuple[int, ...]:
    """From entry 2147483647 on entries go to other members.

    BookKeeper since 4.16, getWriteSetBookieIndex: the number is cut to 32 bits before the modulo.
    """
    return tuple(abs(shipped_member(entry, step, quorums)) for step in range(quorums.write))


@mutant(sent_to, where=SPARE_COPY)
def one_member_is_left_out(writer: Writer, members: tuple[int, ...]) -> tuple[int, ...]:
    """The last member of each write set is not sent the entry.

    BookKeeper, client/PendingAddOp.java: an entry goes to a whole write quorum.
    """
    return members[:-1]


@mutant(is_acknowledged)
def acknowledged_one_early(acks: AckSet, quorums: Quorums) -> bool:
    """An entry is acknowledged one answer before its ack quorum.

    BookKeeper, client/RoundRobinDistributionSchedule.java, RRAckSet: after A successes.
    """
    return len(acks.stored) >= max(1, quorums.ack - 1)


@mutant(may_acknowledge)
def acknowledged_out_of_order(writer: Writer, entry: int) -> bool:
    """An entry is acknowledged as soon as its ack quorum has stored it, whatever lies before it.

    BookKeeper, client/LedgerHandle.java, sendAddSuccessCallbacks: from the head of the queue.
    """
    return True


@mutant(may_acknowledge, where=LOSSY)
def acknowledged_while_it_changes(writer: Writer, entry: int) -> bool:
    """Entries are acknowledged while an ensemble change is under way that they do not know of.

    BookKeeper, client/LedgerHandle.java, sendAddSuccessCallbacks: not while an ensemble change runs.
    """
    return entry == writer.confirmed + 1


def whoever_answers(writer: Writer, answer: Added) -> bool:
    """Every answer counts."""
    return True


@mutant(forgotten, counts.otherwise(whoever_answers), where=MANY)
def who_was_replaced_counts(acks: AckSet, member: int) -> AckSet:
    """An answer of a bookie that was replaced still counts for its member.

    BookKeeper, issue 3005: acknowledged though the ack set was broken by an ensemble change.
    """
    return acks


@mutant(confirmed_with)
def confirmed_runs_ahead(writer: Writer, entry: int) -> int:
    """Each add says that all before it is confirmed.

    BookKeeper, client/LedgerHandle.java: the last add confirmed is the last that was acknowledged.
    """
    return entry - 1


@mutant(new_segment_behind)
def segment_begins_behind_what_was_sent(writer: Writer) -> int:
    """A new segment begins behind all that was sent, though not all of it is stored.

    BookKeeper's TLA+ specification, corrected in 2024: an ensemble change begins at LAC + 1.
    """
    return writer.next - 1


@mutant(closes_behind)
def closed_one_too_late(writer: Writer) -> int:
    """A writer ends its ledger with one entry more than it acknowledged.

    BookKeeper, client/LedgerHandle.java, doAsyncCloseInternal: at its last add confirmed.
    """
    return writer.confirmed + 1


@mutant(new_segment_behind)
def acknowledged_entries_get_another_segment(writer: Writer) -> int:
    """A writer begins a new segment with the entry that it acknowledged last, and says that it is not confirmed.

    BookKeeper's TLA+ specification, corrected in 2024: an ensemble change begins at LAC + 1.
    """
    return max(writer.segment - 1, writer.confirmed - 1)


@mutant(bookie_for)
def sent_to_the_neighbour(writer: Writer, member: int) -> int:
    """An entry for a member is sent to the bookie that is the next one.

    BookKeeper, client/PendingAddOp.java, sendWriteRequest: to the bookie of the ensemble at that index.
    """
    return writer.ensemble[(member + 1) % len(writer.ensemble)]


@mutant(content_of)
def members_get_different_contents(writer: Writer, entry: int, member: int) -> int:
    """Each member is sent another content.

    BookKeeper, client/PendingAddOp.java: one packet for all.
    """
    return digest_of(writer.ledger, entry) + member


@mutant(replacements)
def replaced_by_a_member(writer: Writer, failed: tuple[int, ...], bookies: tuple[int, ...]) -> dict[int, int]:
    """A bookie that is in the ensemble takes over from another member, too.

    BookKeeper, client/LedgerMetadataBuilder.java: as many bookies as the ensemble size.
    """
    return {member: writer.ensemble[member - 1] for member in failed[:1]}


def whatever_the_version(server: Server, expected: int) -> bool:
    """A change takes effect, whichever version its author read."""
    return True


def in_any_state(metadata: Metadata, confirmed: int, replaced: dict[int, str]) -> Metadata:
    """An ensemble changes whatever the state of its ledger is."""
    last = metadata.last_segment
    ensemble = tuple(replaced.get(member, bookie) for member, bookie in enumerate(last.ensemble))
    kept = tuple(segment for segment in metadata.segments if segment.first_entry <= confirmed)
    return replace(metadata, segments=(*kept, Segment(confirmed + 1, ensemble)))


@mutant(with_ensemble, is_current.otherwise(whatever_the_version))
def ensemble_changes_in_recovery(metadata: Metadata, confirmed: int, replaced: dict[int, str]) -> Metadata:
    """The metadata server lets a writer change the ensemble of a ledger that somebody else recovers.

    BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: requires that the ledger is open.
    """
    return in_any_state(metadata, confirmed, replaced)


@mutant(with_ensemble)
def ensembles_change_from_the_beginning(metadata: Metadata, confirmed: int, replaced: dict[int, str]) -> Metadata:
    """A changed ensemble is that of the whole ledger, whatever was written before.

    BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: segments ascend, and what is acknowledged keeps its own.
    """
    return in_any_state(metadata, metadata.segments[0].first_entry - 1, replaced)


@mutant(with_ensemble, where=LOSSY)
def segment_begins_before_the_last(metadata: Metadata, confirmed: int, replaced: dict[int, str]) -> Metadata:
    """A second change of the ensemble begins one entry before the first one did.

    BookKeeper, client/LedgerMetadataBuilder.java: segments ascend.
    """
    is_first = len(metadata.segments) == 1
    return in_any_state(metadata, confirmed if is_first else metadata.last_segment.first_entry - 2, replaced)


@mutant(next_version)
def versions_are_used_twice(server: Server) -> int:
    """A change does not make a new version.

    BookKeeper, client/MetadataUpdateLoop.java: by comparing versions and setting.
    """
    return max(1, server.version)


@mutant(sizes_of)
def more_acknowledge_than_store(quorums: Quorums) -> Quorums:
    """The ack quorum of a ledger is larger than its write quorum.

    BookKeeper, client/LedgerMetadataBuilder.java, build: refused.
    """
    return quorums._replace(ack=quorums.write + 1)


@mutant(next_version)
def versions_are_left_out(server: Server) -> int:
    """A change makes the version after the next.

    BookKeeper, client/MetadataUpdateLoop.java: the version that was read is the one that is replaced.
    """
    return server.version + 2


@mutant(with_ensemble)
def segment_begins_too_early(metadata: Metadata, confirmed: int, replaced: dict[int, str]) -> Metadata:
    """A new segment begins with the last entry that is confirmed.

    BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: behind the last add confirmed.
    """
    return in_any_state(metadata, max(-1, confirmed - 1), replaced)
