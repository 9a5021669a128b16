"""The invariants of segment layers: sixty-two that the segment distribution document says or implies.

Each is carried by rules over traces, clauses of the texts ``leaseholder`` and ``segment_iterator``, or tests of the
definition of iterators.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple


class Invariant(NamedTuple):
    """One of them.

    Attributes:
        says: what it is, in our words.
        section: where the document says it, or what implies it.
        by: what carries it, as tables of sources name carriers.
        is_liveness: it says that something happens in the end; traces show it where they end quietly.
        is_implied: the document does not say it in so many words.
    """

    says: str
    section: str
    by: tuple[str, ...]
    is_liveness: bool = False
    is_implied: bool = False


def _rules(*names: str) -> tuple[str, ...]:
    return tuple(f"rule segment.{name}" for name in names)


def _clauses(*names: str, text: str = "leaseholder") -> tuple[str, ...]:
    return tuple(f"clause {text}: {name}" for name in names)


def _defined(*names: str) -> tuple[str, ...]:
    return tuple(f"test spec/segment/iterator/test_definition: {name}" for name in names)


def _everywhere(*names: str) -> tuple[str, ...]:
    return tuple(f"test conformance/segment/test_metamorphic: {name}" for name in names)


def _interleaved(*names: str) -> tuple[str, ...]:
    return tuple(f"test reference_impl/segment/test_opening: {name}" for name in names)


def _seen(*names: str) -> tuple[str, ...]:
    return tuple(f"test reference_impl/segment/iterator/test_machine: {name}" for name in names)


KEYS, CHANNELS, PATTERNS, OPENING, FLOW, ERRORS, CLOSING = "3.1", "3", "4.1", "4.2", "4.3", "4.4", "4.5"
WRITERS, WRITING, WRITER_CLOSING = "5.1", "5.2", "5.3"

INVARIANTS: Final[dict[int, Invariant]] = dict(
    enumerate(
        (
            Invariant("No two channels have one key.", KEYS, _rules("key.unique")),
            Invariant("A leaseholder counts on and uses no key again.", KEYS, _rules("key.counts_on"), is_implied=True),
            Invariant("The key tells the leaseholder.", KEYS, _rules("key.names_leaseholder", "open.resolves")),
            Invariant("What a channel is created with stays.", CHANNELS, _rules("channel.never_changes")),
            Invariant("Data has the density of its channel.", CHANNELS, _rules("store.has_density")),
            Invariant(
                "Only the leaseholder stores new data of a channel.",
                f"1, {CHANNELS}",
                (*_rules("store.at_leaseholder"), *_clauses("leaseholder_alone_stores")),
            ),
            Invariant("Start and rate tell the times of samples.", CHANNELS, _rules("store.keeps_its_rate")),
            Invariant(
                "Segments of one channel lie apart.",
                CHANNELS,
                (*_rules("store.disjoint"), *_clauses("segments_do_not_overlap")),
                is_implied=True,
            ),
            Invariant(
                "Every node that lives learns of a channel.", "2.1", _rules("gossip.reaches_all"), is_liveness=True
            ),
            Invariant(
                "Metadata invent no channel and forget none.",
                "2.1",
                (
                    *_rules("gossip.never_invents", "gossip.forgets_after_delete"),
                    *_clauses("known_channels_have_a_leaseholder"),
                ),
                is_implied=True,
            ),
            Invariant(
                "Answers do not depend on where channels are, or on which node is asked.",
                "0, 3.1",
                (
                    *_rules("call.same_everywhere"),
                    *_clauses("every_gateway_finds_the_leaseholder"),
                    *_everywhere("random_scripts_look_the_same_everywhere"),
                ),
            ),
            Invariant("Bytes are read as they were written.", "3.1", _rules("read.as_stored", "write.as_sent")),
            Invariant("Unknown channels are not opened.", OPENING, _rules("open.knows_its_channels")),
            Invariant("Each channel is in one group, that of its leaseholder.", OPENING, _rules("open.resolves")),
            Invariant("Parts are where channels are, and nowhere else.", OPENING, _rules("open.where_channels_are")),
            Invariant("What is opened was acknowledged by every node.", OPENING, _rules("open.acknowledged")),
            Invariant(
                "What is refused leaves nothing behind.",
                OPENING,
                (
                    *_rules("open.refusal_leaves_nothing"),
                    *_interleaved("nobody_waits_nothing_leaks_and_locks_come_first"),
                ),
                is_implied=True,
            ),
            Invariant(
                "No sample is given from outside the range.",
                PATTERNS,
                (*_rules("read.in_range"), *_defined("no_sample_outside_the_range_is_read")),
                is_implied=True,
            ),
            Invariant(
                "Nothing is read before the first seek.",
                PATTERNS,
                (*_rules("call.needs_a_position"), *_defined("nothing_is_read_before_a_seek")),
                is_implied=True,
            ),
            Invariant(
                "SeekFirst and SeekLast find the ends of the range.",
                PATTERNS,
                (
                    *_defined("seeks_by_segment_show_how_samples_were_written", "a_seek_that_finds_nothing"),
                    *_seen("each_flaw_alone_is_seen"),
                ),
            ),
            Invariant(
                "SeekGE and SeekLT find what is nearest.",
                PATTERNS,
                (*_defined("seeks_to_a_time"), *_seen("each_flaw_alone_is_seen")),
            ),
            Invariant(
                "A seek gives no data.",
                PATTERNS,
                (
                    *_rules("call.seek_gives_nothing"),
                    *_defined("a_seek_reads_nothing_and_spans_read_every_sample_once"),
                ),
                is_implied=True,
            ),
            Invariant(
                "On from the first, each sample of the range is given once.",
                PATTERNS,
                (
                    *_rules("read.once", "read.no_segment_missed", "read.no_sample_missed"),
                    *_everywhere("each_planted_defect_is_found_and_reduced"),
                    *_defined("a_seek_reads_nothing_and_spans_read_every_sample_once"),
                ),
                is_implied=True,
            ),
            Invariant(
                "Back from the last, the same is given in reverse.",
                PATTERNS,
                (*_rules("read.once", "window.adjacent"), *_defined("back_is_the_reverse_of_on")),
                is_implied=True,
            ),
            Invariant("Prev after Next covers the same.", PATTERNS, _rules("move.is_inverse"), is_implied=True),
            Invariant(
                "A span gives the samples that lie in it.",
                PATTERNS,
                (
                    *_rules("read.in_window", "read.is_stored", "read.no_sample_missed"),
                    *_defined("a_seek_reads_nothing_and_spans_read_every_sample_once"),
                ),
            ),
            Invariant(
                "Spans of one scan touch and do not overlap.",
                PATTERNS,
                _rules("window.adjacent", "read.once"),
                is_implied=True,
            ),
            Invariant(
                "False means an edge, an empty span or an error.",
                ERRORS,
                _rules("call.false_gives_nothing", "call.true_gives_data"),
            ),
            Invariant(
                "Error tells whether there was one.", ERRORS, _rules("error.is_told_if_there_is_one"), is_implied=True
            ),
            Invariant("Errors are fatal.", ERRORS, _rules("error.is_fatal")),
            Invariant(
                "Error and Close give the same, latest error.",
                ERRORS,
                _rules("error.is_told_if_there_is_one", "error.close_tells"),
            ),
            Invariant("A call waits for all its nodes.", FLOW, _rules("call.all_acknowledge")),
            Invariant("An acknowledgement is of its request.", FLOW, _rules("ack.is_of_its_request"), is_implied=True),
            Invariant(
                "The order of acknowledgements does not matter.",
                FLOW,
                (
                    *_rules("ack.merged_by_all", "ack.merged_by_any"),
                    *_defined("acknowledgements_merge_by_what_they_say_and_not_by_when"),
                    *_everywhere("each_planted_defect_is_found_and_reduced"),
                ),
                is_implied=True,
            ),
            Invariant(
                "Every node executes every request, in one order.",
                FLOW,
                _rules("call.reaches_every_node", "call.executed_in_order"),
                is_implied=True,
            ),
            Invariant("One call is under way at a time.", FLOW, _rules("call.one_at_a_time"), is_implied=True),
            Invariant(
                "Data belong to a request that is acknowledged, and come in order.",
                FLOW,
                _rules("read.is_acknowledged", "read.in_request_order"),
                is_implied=True,
            ),
            Invariant(
                "Data of acknowledged requests arrive.",
                f"{FLOW}, {CLOSING}",
                _rules("call.true_gives_data", "read.nothing_dropped"),
                is_liveness=True,
            ),
            Invariant("Slow callers lose nothing.", FLOW, _rules("read.nothing_dropped")),
            Invariant(
                "Every call returns.",
                FLOW,
                (*_rules("call.returns"), *_clauses("every_call_returns", text="segment_iterator")),
                is_liveness=True,
                is_implied=True,
            ),
            Invariant(
                "A call returns when a node dies.",
                ERRORS,
                _rules("call.returns_when_a_node_dies"),
                is_liveness=True,
                is_implied=True,
            ),
            Invariant("Close comes after all else.", CLOSING, _rules("close.waits_for_parts", "close.waits_for_data")),
            Invariant("The output closes once, and last.", CLOSING, _rules("output.closes_once", "output.closes_last")),
            Invariant("Cancelling frees everything.", CLOSING, _rules("cancel.frees")),
            Invariant("The layer shuts down after all iterators.", CLOSING, _rules("shutdown.waits")),
            Invariant(
                "After Close nothing has an effect.",
                CLOSING,
                (
                    *_rules("close.nothing_after", "close.stores_no_more"),
                    *_defined("after_close_nothing_has_an_effect"),
                ),
                is_implied=True,
            ),
            Invariant(
                "One writer at most holds a channel.",
                f"{CHANNELS}, {WRITERS}",
                (
                    *_rules("lock.one_writer", "control.by_authority", "control.only_holder_stores"),
                    *_clauses("one_writer_at_a_time"),
                    *_interleaved("a_channel_has_one_holder_who_asked_for_it"),
                ),
            ),
            Invariant(
                "Locks come before writers.", WRITERS, (*_rules("open.locks_first"), *_interleaved("each_slip_is_seen"))
            ),
            Invariant(
                "A writer that is refused keeps no lock.",
                WRITERS,
                (*_rules("open.refusal_frees_locks"), *_interleaved("each_slip_is_seen")),
                is_implied=True,
            ),
            Invariant(
                "Opening ends, whoever else opens.",
                WRITERS,
                (*_rules("open.ends"), *_interleaved("nobody_waits_nothing_leaks_and_locks_come_first")),
                is_liveness=True,
                is_implied=True,
            ),
            Invariant(
                "Locks of what is closed, cancelled or lost are given up.",
                f"{WRITERS}, {WRITER_CLOSING}",
                (*_rules("lock.is_given_up", "lock.given_up_by_its_holder"), *_clauses("locked_channels_exist")),
                is_liveness=True,
                is_implied=True,
            ),
            Invariant(
                "Writers of other channels are not in the way.",
                WRITERS,
                _rules("lock.refused_while_held"),
                is_implied=True,
            ),
            Invariant(
                "A segment is stored by its channel's leaseholder alone.",
                WRITING,
                (*_rules("store.at_leaseholder"), *_clauses("stored_at_the_leaseholder")),
            ),
            Invariant(
                "Channels that were not named are not written.",
                WRITERS,
                (*_rules("write.only_its_channels"), *_clauses("nothing_is_refused_without_reason")),
                is_implied=True,
            ),
            Invariant(
                "Segments are stored in the order sent.", WRITING, _rules("write.in_order_sent"), is_implied=True
            ),
            Invariant(
                "Every error is told.",
                f"{WRITING}, {WRITER_CLOSING}",
                _rules("write.errors_are_told", "write.stored_or_rejected"),
            ),
            Invariant(
                "What a closed writer accepted can be read from everywhere.",
                WRITER_CLOSING,
                (
                    *_rules("write.accepted_is_stored", "read.no_segment_missed"),
                    *_clauses("closed_without_error_is_stored", "every_gateway_finds_the_leaseholder"),
                ),
                is_implied=True,
            ),
            Invariant("Readers see whole segments that were stored.", "5", _rules("read.is_stored"), is_implied=True),
            Invariant(
                "A writer closes from its input to its caller.",
                WRITER_CLOSING,
                _rules("close.in_order", "close.was_asked"),
            ),
            Invariant(
                "Every Close ends.",
                WRITER_CLOSING,
                (
                    *_rules("close.ends"),
                    *_clauses("every_close_ends"),
                    *_clauses("every_close_ends", text="segment_iterator"),
                ),
                is_liveness=True,
                is_implied=True,
            ),
            Invariant(
                "Cancelling may lose segments, and never stores a part of one.",
                WRITER_CLOSING,
                (*_rules("write.as_sent", "cancel.frees"), *_clauses("stale_writers_are_refused")),
            ),
            Invariant(
                "Metadata tell of the segments that are stored.",
                "2.1",
                _rules("gossip.ranges_are_stored"),
                is_implied=True,
            ),
        ),
        start=1,
    )
)
"""All of them, numbered from 1."""


def carriers() -> Iterator[str]:
    """What carries them, each once."""
    return iter(dict.fromkeys(carrier for invariant in INVARIANTS.values() for carrier in invariant.by))
