"""Appends in the machine whose copysets have extras: LogDevice, Single Copy Delivery, Appender stages.

With a replication property that only counts they are the stages of ``appender_stages``, whoever stores first.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from reference_impl.kernel.step import Moment
from reference_impl.log import trace_events
from reference_impl.log.acknowledging import stored
from reference_impl.log.amending import amend_store, delete
from reference_impl.log.appender_stages import appender_of, on_stored
from reference_impl.log.appending import request
from reference_impl.log.context import AMENDS, EXTRAS
from reference_impl.log.copies import Copy
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import Acked, AppendRequest, Tick
from reference_impl.log.node_log import NodeLog
from reference_impl.log.rebuilding.holding import lend
from reference_impl.log.rebuilding.messages import Lend
from reference_impl.log.sequencer import Role, Sequencer, Stage
from reference_impl.log.stages import in_order
from reference_impl.log.storage import store
from reference_impl.log.storage_messages import AmendStore, Delete, NotHeld, Preempted, Store, Stored
from reference_impl.log.waves import not_held, tick
from spec.events import RECORD
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

MACHINE = replace(machine_of(), variants=frozenset({EXTRAS, AMENDS}), extras=2)
LSN = lsn_of(3, 1)
LATER = Moment(NOW.now_ns + 2 * MACHINE.timing.wave_ns, 2)


def begun() -> tuple[Sequencer, tuple[int, ...]]:
    """A sequencer with one append under way, and the members of its copyset in order: three copies, two extras."""
    sequencer = Sequencer(0, 0, Role.ACTIVE, 3, {3: EVERYONE}, cleaned={})
    sequencer, sent, _ = taken(request(sequencer, AppendRequest(0, 1, 3, 7), NOW, MACHINE))
    copysets = {message.copyset for message in sent if isinstance(message, Store)}
    assert copysets == {EVERYONE}
    return sequencer, in_order(EVERYONE)


def having(
    *nodes: int, of: Sequencer, wave: int = 1, lsn: int = LSN
) -> tuple[Sequencer, list[Any], list[dict[str, Any]]]:
    """These nodes have stored it, one after the other: what was sent and recorded."""
    said: list[Any] = []
    events: list[dict[str, Any]] = []
    for node in nodes:
        of, sent, more = taken(stored(of, Stored(lsn, wave, node), NOW, MACHINE))
        said, events = said + sent, events + more
    return of, said, events


@pytest.mark.parametrize("places", [*permutations(range(5))])
def test_the_stages_are_those_of_the_document(places: tuple[int, ...]) -> None:
    """After each copy: whether the writer is answered, whether it may be released, and who was told to delete it.

    It is not released, since the append before it is not stored.
    """
    sequencer, order = begun()
    sequencer, _, _ = taken(request(sequencer, AppendRequest(1, 1, 3, 8), NOW, MACHINE))
    appender = appender_of(order, 3)
    for node in [order[place] for place in places]:
        appender, told = on_stored(appender, node)
        sequencer, sent, events = having(node, of=sequencer, lsn=LSN + 1)
        here = sequencer.window[2]
        assert (here.stage is not Stage.STORING, here.may_be_released) == (
            appender.is_acknowledged,
            appender.is_released,
        )
        assert here.dismissed == appender.deleted
        assert len([one for one in sent if isinstance(one, Delete)]) == len(told)
        assert [event["nodes"] for event in events if event["kind"] == trace_events.DISMISSED] == (
            [told] if told else []
        )


def test_any_three_copies_answer_the_writer() -> None:
    """And it counts on them, not on the whole copyset."""
    sequencer, order = begun()
    sequencer, sent, events = having(*order[2:], of=sequencer)
    assert [one.copyset for one in sent if isinstance(one, Acked)] == [frozenset(order[2:])]
    assert not events


def test_nothing_is_released_before_the_leader_has_it() -> None:
    """The last known good ESN waits for it, though the writer was answered."""
    sequencer, order = begun()
    sequencer, _, _ = having(*order[1:4], of=sequencer)
    assert sequencer.known_good == 0
    sequencer, _, events = having(order[0], of=sequencer)
    assert sequencer.known_good == 1
    assert kinds_of(events) == [trace_events.DISMISSED, trace_events.RETIRED]


def test_an_append_is_over_once_it_may_be_released() -> None:
    """Who stores it later keeps it: a reader may know by now that it has none."""
    sequencer, order = begun()
    sequencer, _, _ = having(*order[:2], order[3], of=sequencer)
    assert (sequencer.known_good, sequencer.window) == (1, {})
    assert stored(sequencer, Stored(LSN, 1, order[2]), NOW, MACHINE) is None


def test_a_silent_leader_does_not_stall_the_log() -> None:
    """A new wave goes to others, and not to who was told to delete it."""
    sequencer, order = begun()
    sequencer, _, _ = having(*order[1:], of=sequencer)
    dismissed = sequencer.window[1].dismissed
    assert dismissed == {order[4]}
    sequencer, sent, _ = taken(tick(sequencer, Tick(3), LATER, MACHINE))
    copysets = {one.copyset for one in sent if isinstance(one, Store | AmendStore)}
    assert copysets == {frozenset(order[1:4])}
    first = in_order(frozenset(order[1:4]))[0]
    sequencer, _, events = having(first, of=sequencer, wave=2)
    assert kinds_of(events) == [trace_events.RETIRED]
    assert sequencer.known_good == 1


def test_who_has_a_record_is_not_sent_it_again() -> None:
    """Unless it says that it has none."""
    sequencer, order = begun()
    sequencer, _, _ = having(*order[1:3], of=sequencer)
    sequencer, sent, _ = taken(tick(sequencer, Tick(3), LATER, MACHINE))
    amended = [one for one in sent if isinstance(one, AmendStore)]
    whole = [one for one in sent if isinstance(one, Store)]
    waves = [one.wave for one in amended] + [one.wave for one in whole]
    assert (len(amended), set(waves)) == (2, {2})
    lost = NotHeld(LSN, 2, order[1])
    sequencer, again, _ = taken(not_held(sequencer, lost, LATER, MACHINE))
    assert [(type(one), one.digest, one.wave) for one in again] == [(Store, 7, 2)]
    assert not_held(sequencer, lost._replace(wave=1), LATER, MACHINE) is None


# --------------------------------------------------------------------------------------------------- at nodes


HERE = taken(store(NodeLog(0, 1), Store(LSN, 7, 1, EVERYONE, 0, 0), NOW, MACHINE))[0]
AMEND = AmendStore(LSN, 2, frozenset({1, 2, 3}), 0, 0)


def test_a_node_takes_what_it_has_for_one_of_a_later_wave() -> None:
    after, sent, events = taken(amend_store(HERE, AMEND, NOW, MACHINE))
    assert after.copies.get(LSN) == Copy(RECORD, 7, 0, 2, AMEND.copyset)
    assert (sent, kinds_of(events)) == ([Stored(LSN, 2, 1)], [trace_events.STORE])
    again, sent, events = taken(amend_store(after, AMEND, NOW, MACHINE))
    assert (again, sent, events) == (after, [Stored(LSN, 2, 1)], [])


def test_a_node_without_the_record_says_so() -> None:
    """Also one that cannot read it; a node that is sealed refuses it as any store."""
    assert taken(amend_store(NodeLog(0, 1), AMEND, NOW, MACHINE))[1] == [NotHeld(LSN, 2, 1)]
    unreadable = HERE._replace(copies=HERE.copies.with_(LSN, Copy(RECORD, 7, 0, 1, EVERYONE, damaged=True)))
    assert taken(amend_store(unreadable, AMEND, NOW, MACHINE))[1] == [NotHeld(LSN, 2, 1)]
    assert taken(amend_store(HERE._replace(seal=3), AMEND, NOW, MACHINE))[1] == [Preempted(3)]


def test_a_node_deletes_its_extra_copy() -> None:
    after, sent, events = taken(delete(HERE, Delete(LSN, 1, EVERYONE), NOW, MACHINE))
    assert (after.copies.get(LSN), sent, kinds_of(events)) == (None, [], [trace_events.ERASE])
    assert delete(after, Delete(LSN, 1, EVERYONE), NOW, MACHINE) is None


def test_what_is_stored_after_the_word_to_delete_stays() -> None:
    """A repetition that comes late is one copy more, of which nobody is told."""
    gone = taken(delete(HERE, Delete(LSN, 1, EVERYONE), NOW, MACHINE))[0]
    assert taken(store(gone, Store(LSN, 7, 1, EVERYONE, 0, 0), NOW, MACHINE))[0].copies.get(LSN) is not None


def test_a_node_keeps_what_others_may_count_on() -> None:
    """Another wave; a recovery's; what is sealed, for a recovery knows or will know of it; what a donor was told of."""
    told = Delete(LSN, 1, EVERYONE)
    others = Copy(RECORD, 7, 0, 2, EVERYONE), Copy(RECORD, 7, 4, 1, EVERYONE), Copy(RECORD, 7, 0, 1, AMEND.copyset)
    for copy in others:
        assert delete(HERE._replace(copies=HERE.copies.with_(LSN, copy)), told, NOW, MACHINE) is None
    assert delete(HERE._replace(seal=3), told, NOW, MACHINE) is None
    lent = taken(lend(HERE._replace(released=LSN), Lend(4, 1, LSN), NOW, MACHINE))[0]
    assert delete(lent, told, NOW, MACHINE) is None
