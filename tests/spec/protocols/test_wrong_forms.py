"""Each wrong form of a text breaks a goal in a short run; the right text parts from it there and keeps its goals."""

from __future__ import annotations

import pytest

from spec.language.protocol import World
from spec.language.protocol.world import BadWorld
from spec.protocols.delivery import read_stream
from spec.protocols.delivery_variants import (
    AnswersOfOldStartsCount,
    GapsInSingleCopyMode,
    ListedNodesAreSilent,
    ListIsIgnored,
    NoRewindToAllSendAll,
)
from spec.protocols.ensemble_change import fragments
from spec.protocols.ensemble_change_variants import (
    AnotherWriteSetIsRead,
    AnyMembersAcknowledge,
    BeginsAtTheLastConfirmed,
    ChangesAfterTheFence,
    FirstEntryIsKept,
    OneWriteSetIsFenced,
    RecoveryReadsAnOldEnsemble,
    ReplacedBookiesCount,
)
from spec.protocols.leaseholder import callers
from spec.protocols.leaseholder_variants import CloseDoesNotWait, GatewaysStore, SamplesOverlap, StaleWritersStore
from spec.protocols.ledger import ensemble
from spec.protocols.ledger_variants import OneDenialIsEnough, ReadsDoNotFence, WriterDoesNotLookAtItsClose
from spec.protocols.reads import read_path
from spec.protocols.reads_variants import EmptyMayReturn, NoRewindOnEmpty, NoRewindOnLoss, OnlyAuthoritativeMustAnswer
from spec.protocols.segment_iterator import reader
from spec.protocols.segment_iterator_variants import (
    CallsOverlap,
    CloseForgetsData,
    LastAcknowledgementCounts,
    SendsAfterItsEnd,
)
from spec.protocols.streams import streaming
from spec.protocols.streams_variants import AckedOutOfOrder, OlderCopiesCount, OnlyMissingBreaks, StreamsAreKept
from tests.suite.caught import Catches
from tests.support.stories import (
    Story,
    assert_a_goal_breaks,
    assert_the_right_text_parts,
    goals_broken,
    last,
    states_that_keep_the_goals,
)

READS, STREAM = read_path(nodes=3, replication=2, slots=1), read_stream(recipients=3, replication=2, slots=1)
LEDGER, CALLERS = ensemble(bookies=3, write=3, ack=2, entries=1, clients=1), callers(nodes=2, writers=2, instants=2)
FRAGMENTS = fragments(bookies=3, ensemble=2, write=2, ack=2, entries=1, fragments=2, clients=1)
STRIPES = fragments(bookies=3, ensemble=3, write=2, ack=2, entries=2, fragments=1, clients=1)
READER = reader(nodes=2, calls=2, pieces=1)
STREAMS = streaming(nodes=2, replication=2, slots=3, recoveries=3)

ON_01 = "store 0 0, store 1 0, acknowledge 0 0, release 0, deny 2 0"
ON_FIRST_TWO = "store 0 0, store 1 0, start_reading 1, start_reading 2"
THEN_GAP = "release 0, go_past 1 0, go_past 2 0, report 0 2"
IN_STREAM = "assign 0 2, assign_in_stream 1 2, store 0 0 1"
FIRST_IS_MISSED = "store 0 0 2, seal 0 1, plan 1 0 3"
SECOND_SEES_ALL = "seal 1 2, plan 2 1 3, store 0 2 0, store 1 2 0, store 0 2 3, store 1 2 3"
ONE_ADD = "lay_out 0 0, accept 0 0 0"
RECOVER = "begin 0, tell 0 0, tell 0 1"
ON_0_OF_01 = "change 0 0 0, lay_out 0 0 0, accept 0 0 0 0"
IN_01 = f"{ON_0_OF_01}, accept 1 0 0 0"
THEN_IN_02 = "change 1 0 1, lay_out 1 0 1, accept 2 1 0 0, acknowledge 1 0 1"
ON_01_THEN_12 = "change 0 0 0, lay_out 0 0 0, lay_out 0 1 2"
RECOVER_01 = "begin 0, tell 0 1, read 0 0 1 0"
CLOSING = "open 0, close 0, agree 0 0, hear 0 0"


STORIES = [
    Story(  # LogDevice, ClientReadStream: a node that turns empty forces a rewind
        NoRewindOnEmpty, READS, f"{ON_01}, rebuild 0 0 1, mark_empty 1, learn 1 2", "majority_never_loses", "learn 1 2"
    ),
    Story(
        NoRewindOnLoss,
        READS,
        f"{ON_01}, rebuild 0 0 1, lose 1, learn 1 1, lose 0, learn 0 1, report_by_all 0",
        "no_copy_is_passed_over",
        "learn 1 1",
    ),
    Story(  # LogDevice, Read path, Authoritative Status, read literally: nodes that are down need not answer
        OnlyAuthoritativeMustAnswer,
        READS,
        f"{ON_01}, go_down 0, go_down 1, learn 0 0, learn 1 0, report_by_all 0",
        "no_copy_is_passed_over",
        "report_by_all 0",
    ),
    Story(
        EmptyMayReturn,
        READS,
        "mark_empty 0, learn 0 2, rejoin 0, store 0 0, store 1 0, acknowledge 0 0, release 0, deny 2 0",
        "majority_never_loses",
        "rejoin 0",
    ),
    Story(  # LogDevice, common/Appender.h: appends of a stream are acknowledged in the order of ESNs only
        AckedOutOfOrder,
        STREAMS,
        f"{IN_STREAM}, store 1 0 1, acknowledge 1, seal 0 1, plan 1 0 0",
        "acked_survives",
        "acknowledge 1",
    ),
    Story(StreamsAreKept, STREAMS, f"{IN_STREAM}, seal 0 1, plan 1 0 2", "kept_with_all_before", "plan 1 0 2"),
    Story(
        OnlyMissingBreaks,
        STREAMS,
        "assign 0 2, assign 1 2, assign_in_stream 2 2, store 0 0 1, store 1 0 1, store 1 0 2, seal 0 1, plan 1 0 2, "
        "store 1 1 0, seal 1 2, plan 2 1 3",
        "kept_with_all_before",
        "plan 2 1 3",
    ),
    Story(  # BookKeeper, issue 2614: the bookie that was read as empty takes the add afterwards
        ReadsDoNotFence,
        LEDGER,
        f"{ONE_ADD}, {RECOVER}, read 0 1 0, read 0 2 0, accept 2 0 0, finish 0 0, acknowledge 0 1",
        "writer_and_metadata_agree",
        "read 0 2 0",
    ),
    Story(
        OneDenialIsEnough,
        LEDGER,
        f"{ONE_ADD}, accept 1 0 0, acknowledge 0 0, {RECOVER}, read 0 2 0, finish 0 0",
        "writer_and_metadata_agree",
        "finish 0 0",
    ),
    Story(
        WriterDoesNotLookAtItsClose,
        LEDGER,
        f"{ONE_ADD}, accept 1 0 0, close 0, acknowledge 0 0",
        "writer_and_metadata_agree",
        "acknowledge 0 0",
    ),
    Story(
        FirstEntryIsKept,
        FRAGMENTS,
        f"{IN_01}, acknowledge 0 0 0, change 1 0 1",
        "acknowledged_is_replicated",
        "change 1 0 1",
    ),
    Story(  # BookKeeper TLA+ specification until 2024: the last add confirmed, where it must be that + 1
        BeginsAtTheLastConfirmed,
        FRAGMENTS,
        f"{IN_01}, acknowledge 0 0 0, change 1 0 1",
        "acknowledged_is_replicated",
        "change 1 0 1",
    ),
    Story(
        RecoveryReadsAnOldEnsemble,
        FRAGMENTS,
        f"{ON_0_OF_01}, {THEN_IN_02}, {RECOVER_01}, finish 0 0 0",
        "writer_and_metadata_agree",
        "read 0 0 1 0",
    ),
    Story(  # BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: metadata that are not OPEN stop the writer
        ChangesAfterTheFence,
        FRAGMENTS,
        f"{ON_0_OF_01}, {RECOVER_01}, finish 0 0 0, {THEN_IN_02}",
        "writer_and_metadata_agree",
        "change 1 0 1",
    ),
    Story(
        ReplacedBookiesCount,
        FRAGMENTS,
        f"{IN_01}, change 1 0 1, acknowledge 0 0 0",
        "acknowledged_is_replicated",
        "acknowledge 0 0 0",
    ),
    Story(  # BookKeeper, client/RoundRobinDistributionSchedule.java, QuorumCoverageSet: in each write set
        OneWriteSetIsFenced,
        STRIPES,
        f"{ON_01_THEN_12}, begin 0, tell 0 0, read 0 0 0 0",
        "recovery_stops_the_writer",
        "read 0 0 0 0",
    ),
    Story(
        AnyMembersAcknowledge,
        STRIPES,
        f"{ON_01_THEN_12}, accept 0 0 0 0, accept 2 0 0 0, acknowledge 0 0 1",
        "acknowledged_is_replicated",
        "accept 2 0 0 0",
    ),
    Story(
        AnotherWriteSetIsRead,
        STRIPES,
        f"{ON_01_THEN_12}, accept 0 0 0 0, accept 1 0 0 0, acknowledge 0 0 0, begin 0, tell 0 1, tell 0 2, "
        "read 0 0 2 0, finish 0 0 0",
        "writer_and_metadata_agree",
        "read 0 0 2 0",
    ),
    Story(  # LogDevice, Single Copy Delivery, When does the client do failover: never a gap while in single copy mode
        GapsInSingleCopyMode, STREAM, f"{ON_FIRST_TWO}, {THEN_GAP}", "no_record_is_passed_over", "report 0 2"
    ),
    Story(NoRewindToAllSendAll, STREAM, f"{ON_FIRST_TWO}, ask_all, {THEN_GAP}", "no_record_is_passed_over", "ask_all"),
    Story(
        AnswersOfOldStartsCount,
        STREAM,
        f"{ON_FIRST_TWO}, ask_all, {THEN_GAP}",
        "no_record_is_passed_over",
        "go_past 1 0",
    ),
    Story(  # LogDevice, Single Copy Delivery, Known down list: a listed node acts as if it was not
        ListedNodesAreSilent,
        STREAM,
        "store 0 0, list_as_down 0, list_as_down 1, list_as_down 2, start_reading 0",
        "listing_the_failed_is_enough",
        "start_reading 0",
    ),
    Story(
        ListIsIgnored,
        STREAM,
        "list_as_down 0, start_reading 1",
        "primary_sends",
        "start_reading 1",
    ),
    Story(  # Synnax, Segment Distribution, Channels: only one client can write to a channel at a time
        StaleWritersStore,
        CALLERS,
        "create 0 0, acquire 0 0 0, send 0 0 0, cancel 0, acquire 1 0 0, store 0 0 0 0",
        "one_writer_at_a_time",
        "store 0 0 0 0",
    ),
    Story(
        GatewaysStore,
        CALLERS,
        "create 0 0, gossip 0 1 0, acquire 0 1 0, send 0 0 0, store 1 0 0 0",
        "leaseholder_alone_stores",
        "store 1 0 0 0",
    ),
    Story(
        CloseDoesNotWait, CALLERS, "send 0 0 0, ask_to_close 0, close 0", "closed_without_error_is_stored", "close 0"
    ),
    Story(
        SamplesOverlap,
        CALLERS,
        "create 0 0, acquire 0 0 0, send 0 0 0, send 0 0 1, store 0 0 0 0, store 0 0 0 1",
        "segments_do_not_overlap",
        "store 0 0 0 1",
    ),
    Story(  # Synnax, core/pkg/distribution/framer/iterator/synchronizer.go: the last acknowledgement is forwarded
        LastAcknowledgementCounts,
        READER,
        "open 0, open 1, make 0, agree 0 0, deny 1 0, hear 0 0, hear 1 0, say_true 0",
        "answers_what_all_say",
        "say_true 0",
    ),
    Story(CallsOverlap, READER, "make 0, make 1", "one_call_at_a_time", "make 1"),
    Story(CloseForgetsData, READER, f"{CLOSING}, send 0 0 0, end 0", "close_comes_last", "end 0"),
    Story(SendsAfterItsEnd, READER, f"{CLOSING}, finish 0, end 0, send 0 0 0", "close_comes_last", "send 0 0 0"),
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.wrong.__name__)
def test_a_wrong_form_breaks_a_goal(story: Story, catches: Catches) -> None:
    assert_a_goal_breaks(story)
    catches("form", story.form, "explorer")


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.wrong.__name__)
def test_the_right_text_parts_from_it_and_keeps_its_goals(story: Story) -> None:
    assert_the_right_text_parts(story)


def test_what_others_stored_settles_no_stream(catches: Catches) -> None:
    """LogDevice, common/Digest.cpp, needsMutation: what a recovery has not seen complete, it stores again.

    The first recovery misses the first record, and makes a hole of the second. The next one sees both, and the second
    on enough nodes; it does not hear the node that has the hole. A third one does.
    """
    second = f"{IN_STREAM}, store 1 0 1, assign 2 2, store 1 0 2, store 1 0 0, {FIRST_IS_MISSED}, {SECOND_SEES_ALL}"
    run = f"{second}, store 0 1 1, seal 0 3, plan 3 0 3"
    story = Story(OlderCopiesCount, STREAMS, run, "finished_is_final", "")
    assert_a_goal_breaks(story)
    assert goals_broken(STREAMS, last(STREAMS, run)) == []
    catches("form", story.form, "explorer")


@pytest.mark.parametrize(
    ("world", "states"),
    [
        (LEDGER, 1_482),
        (read_path(nodes=2, replication=2), 1_238),
        (read_stream(recipients=2, replication=2), 5_046),
        (callers(nodes=2, writers=2, instants=1), 2_132),
    ],
    ids=["ledger", "reads", "delivery", "leaseholder"],
)
def test_no_state_of_a_small_world_breaks_a_goal(world: World, states: int) -> None:
    """The counts are those of other explorers: one that was written before, and of the leaseholder the compiled one."""
    assert states_that_keep_the_goals(world) == states


@pytest.mark.parametrize(("bookies", "write", "ack"), [(2, 3, 2), (3, 2, 3), (3, 3, 0)])
def test_quorums_that_do_not_fit_are_refused(bookies: int, write: int, ack: int) -> None:
    """BookKeeper, client/LedgerMetadataBuilder.java: E >= W >= A."""
    with pytest.raises(BadWorld, match="E >= W >= A"):
        ensemble(bookies=bookies, write=write, ack=ack)
