"""A sequencer owns one epoch: LogDevice, Recovery, Sequencer activation; common/Appender.h and common/Sequencer.cpp."""

from __future__ import annotations

from dataclasses import replace

from reference_impl.kernel.step import Moment
from reference_impl.log import trace_events
from reference_impl.log.acknowledging import stored
from reference_impl.log.activation import activate, begin, preempted, recovered
from reference_impl.log.appending import request
from reference_impl.log.context import LogContext
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import (
    Acked,
    Activate,
    AppendRequest,
    EpochGiven,
    NextEpoch,
    Recover,
    Recovered,
    Refusal,
    Refused,
    Tick,
)
from reference_impl.log.sequencer import Role, Sequencer
from reference_impl.log.statuses import Statuses
from reference_impl.log.storage_messages import Preempted, Release, Store, Stored
from reference_impl.log.waves import tick
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

MACHINE = machine_of()
ACTIVE = Sequencer(0, 2, Role.ACTIVE, epoch=3, nodesets={3: EVERYONE})
LATER = Moment(NOW.now_ns + MACHINE.timing.wave_ns, 9)


def asks(client: int = 0, number: int = 1, epoch: int = 3) -> AppendRequest:
    """A client's request for an append."""
    return AppendRequest(client, number, epoch, digest=100 * client + number)


def storing() -> Sequencer:
    """A sequencer with one append under way, at ESN 1."""
    return taken(request(ACTIVE, asks(), NOW, MACHINE))[0]


def stored_by(sequencer: Sequencer, *nodes: int, context: LogContext = MACHINE) -> tuple[Sequencer, list[Acked]]:
    """What the sequencer becomes and answers when these nodes hold the first append."""
    answers = []
    for node in nodes:
        message = Stored(lsn_of(3, 1), sequencer.window[1].wave, node)
        sequencer, sent, _ = taken(stored(sequencer, message, NOW, context))
        answers += sent
    return sequencer, answers


def acknowledged() -> Sequencer:
    """A sequencer whose first append was acknowledged."""
    return stored_by(storing(), *sorted(storing().window[1].copyset))[0]


# -------------------------------------------------------------------------------------------- activation


def test_it_asks_for_an_epoch_and_forgets_the_old_one() -> None:
    sequencer, sent, _ = taken(activate(acknowledged(), Activate(), NOW, MACHINE))
    assert sequencer == Sequencer(0, 2, Role.ASKING, asked_ns=NOW.now_ns)
    assert sent == [NextEpoch(2, NOW.now_ns)]


def test_it_takes_appends_at_once_and_starts_recovery() -> None:
    asking, _, _ = taken(activate(Sequencer(0, 2), Activate(), NOW, MACHINE))
    given = EpochGiven(NOW.now_ns, 3, {2: EVERYONE, 3: EVERYONE}, {})
    sequencer, sent, _ = taken(begin(asking, given, NOW, MACHINE))
    assert (sequencer.role, sequencer.epoch, sequencer.cleaned) == (Role.ACTIVE, 3, None)
    assert sent == [Recover(3, given.nodesets, {})]


def test_an_epoch_is_begun_only_once() -> None:
    """A repeated answer to an earlier request gives an epoch whose LSNs this node may have given out before."""
    asking, _, _ = taken(activate(Sequencer(0, 2), Activate(), LATER, MACHINE))
    assert begin(asking, EpochGiven(NOW.now_ns, 3, {3: EVERYONE}, {}), LATER, MACHINE) is None
    assert begin(ACTIVE, EpochGiven(0, 4, {4: EVERYONE}, {}), LATER, MACHINE) is None


def test_a_preempted_sequencer_takes_no_more_appends() -> None:
    """Pending ones stay open: some node may hold a copy, which recovery may keep."""
    sequencer, sent, _ = taken(preempted(storing(), Preempted(3), NOW, MACHINE))
    assert (sequencer.role, sent) == (Role.PREEMPTED, [])
    assert 1 in sequencer.window
    _, (refusal,), events = taken(request(sequencer, asks(client=1), NOW, MACHINE))
    assert (refusal.reason, events) == (Refusal.NOT_ACTIVE, [])
    assert preempted(storing(), Preempted(2), NOW, MACHINE) is None


# --------------------------------------------------------------------------------------------- appending


def test_an_append_is_given_the_next_lsn_and_stored_on_a_copyset() -> None:
    sequencer, sent, events = taken(request(ACTIVE, asks(), NOW, MACHINE))
    appender = sequencer.window[1]
    assert {type(message) for message in sent} == {Store}
    assert {(message.lsn, message.copyset) for message in sent} == {(lsn_of(3, 1), appender.copyset)}
    assert len(sent) == len(appender.copyset) == 3
    assert kinds_of(events) == [trace_events.APPEND]
    following, _, _ = taken(request(sequencer, asks(client=1), NOW, MACHINE))
    assert following.last_esn == 2


def test_it_answers_once_the_whole_copyset_stored() -> None:
    first, second, third = sorted(storing().window[1].copyset)
    sequencer, answers = stored_by(storing(), first, second, second)
    assert answers == []
    sequencer, answers = stored_by(sequencer, third)
    assert answers == [Acked(1, lsn_of(3, 1), frozenset({first, second, third}))]
    assert (sequencer.window, sequencer.known_good) == ({}, 1)


def test_a_node_that_lost_its_data_does_not_count() -> None:
    """Read path, Authoritative Status: UNDERREPLICATION means that what was stored there is gone."""
    first, second, third = sorted(storing().window[1].copyset)
    lossy = replace(MACHINE, statuses=Statuses(1, 1, underreplicated=frozenset({first})))
    assert stored_by(storing(), first, second, third, context=lossy)[1] == []


def test_a_repeated_request_is_not_appended_again() -> None:
    """While it is being stored there is nothing to say; then the same answer is given again."""
    assert request(storing(), asks(), NOW, MACHINE) is None
    _, (answer,), events = taken(request(acknowledged(), asks(), NOW, MACHINE))
    assert (answer.lsn, events) == (lsn_of(3, 1), [])


def test_a_request_for_another_epoch_is_not_answered() -> None:
    assert request(ACTIVE, asks(epoch=2), NOW, MACHINE) is None
    assert request(Sequencer(0, 2), asks(), NOW, MACHINE) is None


def test_a_full_window_refuses_for_certain_and_remembers() -> None:
    """A repetition of what was refused must not be appended later."""
    full = replace(MACHINE, sequencer_window=1)
    sequencer, (refusal,), _ = taken(request(storing(), asks(client=1), NOW, full))
    assert refusal == Refused(1, 3, Refusal.NO_ROOM)
    again, repeated, events = taken(request(sequencer, asks(client=1), NOW, MACHINE))
    assert (again, repeated, events) == (sequencer, [refusal], [])


def test_the_last_known_good_follows_what_is_stored() -> None:
    """It advances over an unbroken run of appends that are stored, whether or not their clients have heard of it."""
    second, _, _ = taken(request(storing(), asks(client=1), NOW, MACHINE))
    for node in sorted(second.window[2].copyset):
        second, _, _ = taken(stored(second, Stored(lsn_of(3, 2), 1, node), NOW, MACHINE))
    assert (second.known_good, set(second.window)) == (0, {1, 2})
    both, _ = stored_by(second, *sorted(second.window[1].copyset))
    assert (both.known_good, both.window) == (2, {})


def test_an_answer_that_got_lost_is_given_again() -> None:
    """Also once the record is released: it is remembered until the client says that it waits for it no more."""
    released, _, _ = taken(recovered(acknowledged(), Recovered(3, {}), NOW, MACHINE))
    again, (answer,), events = taken(request(released, asks(), NOW, MACHINE))
    assert answer == Acked(1, lsn_of(3, 1), storing().window[1].copyset)
    assert (again, events) == (released, [])
    later, _, _ = taken(request(released, asks(number=2)._replace(oldest=2), NOW, MACHINE))
    assert request(later, asks(), NOW, MACHINE) is None


# ---------------------------------------------------------------------------------------- waves and release


def test_a_wave_that_waits_too_long_is_followed_by_another() -> None:
    """Another copyset, without the nodes that were silent; what the first wave stored no longer counts."""
    first = min(storing().window[1].copyset)
    before, _ = stored_by(storing(), first)
    sequencer, sent, _ = taken(tick(before, Tick(3), LATER, MACHINE))
    appender = sequencer.window[1]
    assert (appender.wave, appender.stored) == (2, frozenset())
    assert sequencer.suspects == before.window[1].copyset - {first}
    assert {message.wave for message in sent} == {2}
    assert stored(sequencer, Stored(lsn_of(3, 1), 1, first), LATER, MACHINE) is None


def test_nothing_is_released_before_earlier_epochs_are_clean() -> None:
    """Sequencer activation: records of the new epoch wait for the recovery of the old one."""
    assert taken(tick(acknowledged(), Tick(3), LATER, MACHINE))[1] == []
    released, sent, events = taken(recovered(acknowledged(), Recovered(3, {}), NOW, MACHINE))
    assert {(type(message), message.lsn) for message in sent} == {(Release, lsn_of(3, 1))}
    assert kinds_of(events) == [trace_events.RELEASE]
    assert released.released == 1


def test_what_is_meant_for_an_earlier_epoch_is_ignored() -> None:
    assert tick(ACTIVE, Tick(2), NOW, MACHINE) is None
    assert recovered(ACTIVE, Recovered(2, {}), NOW, MACHINE) is None
