"""Events of a log are steps of the text of their epoch: what is refused, what is left open, what is found in a state.

The text is proved for any number of nodes: ``spec/protocols/epoch.py``.
"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.following.checker import Refusal
from reference_impl.following.claims import CannotFollow
from reference_impl.following.families import LOGS
from reference_impl.following.logs.checker import LogChecker
from spec import events
from spec.events import BRIDGE, HOLE, RECORD, WIPE
from spec.language.events import AnyEvent, fields_of
from spec.language.parameters import Parameters

NODES = frozenset({0, 1, 2})
HUGE = (1 << 31) - 1
PARAMETERS = Parameters(3, {"node": tuple(frozenset({node}) for node in sorted(NODES))})


def row(event: type[AnyEvent], **said: Any) -> dict[str, Any]:
    """An event of log 0 by its columns, of which those that are not said are 0."""
    fields = fields_of(event)
    columns = {field.column: said.get(name, 0) for name, field in fields.items() if not field.computed}
    return {**columns, "kind": event.kind, "recorder": "anybody"}


def epoch(number: int) -> dict[str, Any]:
    return row(events.NewEpoch, epoch=number, sequencer=0, nodeset=NODES, replication={"node": 2})


def append(esn: int, digest: int | None = None) -> dict[str, Any]:
    return row(events.Append, epoch=1, esn=esn, digest=esn if digest is None else digest)


def store(node: int, esn: int, becomes: int = RECORD, recovery: int = 0, digest: int | None = None) -> dict[str, Any]:
    payload = (0 if becomes else esn) if digest is None else digest
    return row(events.Store, epoch=1, esn=esn, node=node, becomes=becomes, recovery=recovery, digest=payload, wave=1)


def seal(node: int, upto: int = 1) -> dict[str, Any]:
    return row(events.Seal, epoch=upto, node=node)


def plan(heard: frozenset[int], recovery: int = 2, number: int = 1) -> dict[str, Any]:
    return row(events.Planned, epoch=1, recovery=recovery, round=number, heard=heard, written=heard)


def mutate(esn: int, becomes: int = RECORD, recovery: int = 2) -> dict[str, Any]:
    return row(events.Mutate, epoch=1, esn=esn, becomes=becomes, recovery=recovery, digest=0 if becomes else esn)


def clean(bridge: int, recovery: int = 2) -> dict[str, Any]:
    return row(events.Clean, epoch=1, esn=bridge, recovery=recovery)


RUNNING = (epoch(1), append(1), store(0, 1), store(1, 1), append(2), store(0, 2))
"""One record is replicated, another one lies on one node."""

HEARD = frozenset({0, 2})
DECIDED = (*RUNNING, epoch(2), seal(0), seal(2), plan(HEARD))
"""A recovery has heard two of three nodes: it keeps both records, and puts its bridge at ESN 3."""

RECOVERED = (*(store(2, esn, recovery=2) for esn in (1, 2)), *(store(node, 3, BRIDGE, 2) for node in (0, 2)))
"""What it has stored; of both records it counts the copies of node 0."""

ENDED = (*DECIDED, *RECOVERED, mutate(1), mutate(2), mutate(3, BRIDGE), clean(3))


def followed(*rows: dict[str, Any]) -> tuple[LogChecker, Refusal | None]:
    """What following says of events, and the first that is refused."""
    checker = LOGS.checker(PARAMETERS)
    return checker, next((refusal for one in rows if (refusal := checker.step(one)) is not None), None)


def refused(*rows: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The step that the last event claims to be, and why it is none; all others are steps."""
    _, refusal = followed(*rows)
    assert refusal is not None
    assert refusal.number == len(rows)
    return refusal.claims, refusal.reasons


def test_an_epoch_is_followed_from_its_first_record_until_it_is_clean() -> None:
    checker, refusal = followed(*ENDED)
    assert refusal is None
    assert checker.by_action == {"assign": 2, "store": 7, "seal": 2, "plan": 1, "declare_clean": 1}
    assert (checker.taken, checker.subjects, checker.choices) == (len(ENDED), 2, 0)


def test_esns_are_given_out_one_after_the_other() -> None:
    claims, reasons = refused(epoch(1), append(2))
    assert claims == "assign(ESN 2, its payload)"
    assert reasons == ("needed: for every lower before ESN 2: the first writer proposed something at lower",)


def test_a_node_stores_what_was_appended() -> None:
    claims, reasons = refused(epoch(1), append(1), store(0, 1, digest=9))
    assert claims == "store(node 0, the sequencer, ESN 1)"
    assert reasons == ("the event has another payload as the sequencer's ESN 1, the text has its payload",)


def test_a_node_that_has_sealed_stores_nothing_more_of_the_sequencer() -> None:
    claims, reasons = refused(*DECIDED, store(2, 2))
    assert claims == "store(node 2, the sequencer, ESN 2)"
    assert reasons == ("needed: not (node 2 obeys a seal later than the sequencer)",)


def test_what_is_acknowledged_is_replicated() -> None:
    ack = row(events.Ack, epoch=1, esn=2, digest=2)
    assert refused(*RUNNING, ack)[0] == "acknowledge(ESN 2)"
    assert followed(*RUNNING, store(2, 2), ack)[1] is None
    assert refused(*RUNNING, row(events.Ack, epoch=1, esn=1, digest=2))[1] == (
        "not so: the sequencer proposed payload 2 at ESN 1",
    )


def test_what_is_released_was_replicated() -> None:
    assert followed(*RUNNING, row(events.Release, epoch=1, esn=1))[1] is None
    assert refused(*RUNNING, row(events.Release, epoch=1, esn=2))[0] == "acknowledge(ESN 2)"


def test_a_recovery_hears_an_f_majority_that_has_sealed_for_it() -> None:
    before = (*RUNNING, epoch(2), seal(0), seal(2))
    assert refused(*before, plan(frozenset({0})))[1] == ("nodes 0 are no f-majority of the nodeset 0, 1, 2",)
    assert refused(*before, plan(frozenset({0, 1})))[1] == (
        "needed: for every node of nodes 0, 1: node is sealed by the recovery by epoch 2",
    )


def test_what_a_recovery_stores_follows_from_whom_it_heard() -> None:
    assert refused(*DECIDED, store(0, 2, HOLE, 2))[1] == (
        "the event has hole as the recovery by epoch 2's ESN 2, the text has its payload",
    )
    assert refused(*DECIDED, store(0, 2, BRIDGE, 2))[0] == "store(node 0, the recovery by epoch 2, ESN 2)"


def test_a_recovery_that_decides_again_has_heard_nodes_that_had_sealed_for_it() -> None:
    """That they told it again is recorded only where they hold something; a later seal does not undo it."""
    later = (*DECIDED, epoch(3), seal(2, 2))
    assert followed(*later, plan(HEARD, number=2), store(0, 2, recovery=2))[1] is None
    assert refused(*later, plan(frozenset({0, 1}), number=2))[0].startswith("plan(the recovery by epoch 2 in round 2")


def test_an_epoch_is_clean_once_all_is_replicated() -> None:
    """Unless nodes that it heard have the same: those are counted when the recovery says that it is replicated."""
    assert refused(*DECIDED, *RECOVERED[1:], clean(3))[0].startswith("declare_clean(")
    assert refused(*ENDED[:-1], clean(2))[1] == ("not so: a bridge is the outcome of ESN 2",)


def test_what_is_decided_is_what_the_text_has() -> None:
    assert refused(*DECIDED, *RECOVERED, mutate(2, HOLE))[1] == (
        "not so: the recovery by epoch 2 proposed a hole at ESN 2",
    )


def test_a_digest_tells_what_is_there() -> None:
    digest = row(events.Digest, epoch=1, esn=2, node=0, digest=2, recovery=2)
    assert followed(*DECIDED[:-1], digest)[1] is None
    assert refused(*DECIDED[:-1], {**digest, "node": 2})[1] == ("not so: node 2 has payload 2 at ESN 2",)


def test_a_node_keeps_the_outcome_when_it_purges() -> None:
    purge = row(events.Purged, epoch=1, node=2, recovery=2)
    kept = row(events.PurgeSurvivor, epoch=1, esn=2, node=2, becomes=RECORD, digest=2, recovery=2)
    assert followed(*ENDED, purge, kept)[1] is None
    assert refused(*ENDED, purge, {**kept, "node": 1})[1] == ("not so: node 1 has payload 2 at ESN 2",)
    assert refused(*DECIDED, purge)[0] == "purge(node 2)"


def test_a_copy_that_is_gone_was_overruled_or_not_needed_or_vanished() -> None:
    """Where it may be several of these, that is counted, and the first that can be is taken."""
    gone = row(events.Erase, epoch=1, esn=2, node=0)
    told = row(events.DeleteSent, epoch=1, esn=2, told=frozenset({0}))
    assert refused(*RUNNING, gone)[0] == "vanish(ESN 2)"
    assert refused(*RUNNING, told, gone)[0] == "vanish(ESN 2)"
    checker, refusal = followed(*RUNNING, store(1, 2), store(2, 2), told, gone)
    assert refusal is None
    assert (checker.by_action["drop"], checker.choices) == (1, 1)
    assert followed(*ENDED, gone)[0].by_action["vanish"] == 1


def test_a_node_that_purges_takes_nothing_from_others() -> None:
    """It deletes one overruled copy after the other; that it has purged shows with the first."""
    late = (store(1, 2), append(3), store(1, 3))
    decided = (*RUNNING, *late, epoch(2), seal(0), seal(2), plan(HEARD), *RECOVERED, store(0, 1, recovery=2))
    gone = (row(events.Erase, epoch=1, esn=3, node=1), row(events.Erase, epoch=1, esn=3, node=1))
    checker, refusal = followed(*decided, mutate(1), mutate(2), mutate(3, BRIDGE), clean(3), *gone)
    assert refusal is None
    assert (checker.by_action["purge"], checker.by_action["vanish"]) == (1, 0)


def test_a_disk_that_is_wiped_takes_its_copies_along() -> None:
    wiped = row(events.Fault, node=0, what=WIPE)
    gone = row(events.Erase, epoch=1, esn=2, node=0)
    assert followed(*RUNNING, wiped, gone)[1] is None


def test_a_node_is_called_empty_when_nothing_names_it() -> None:
    table = row(
        events.StatusTable, version=1, unavailable=frozenset(), underreplicated=frozenset(), empty=frozenset({1})
    )
    ack = row(events.Ack, epoch=1, esn=1, digest=1)
    assert refused(*RUNNING, ack, table)[0] == "mark_empty(node 1)"
    rebuilt = row(events.Rebuilt, epoch=1, esn=1, node=2, donor=0, becomes=RECORD, digest=1)
    assert followed(*RUNNING, ack, rebuilt, table)[1] is None
    assert refused(*RUNNING, ack, {**rebuilt, "digest": 2})[0].startswith("rebuild(ESN 1, node 0, node 2")


def test_an_epoch_that_was_not_given_out_has_no_events() -> None:
    for one in (append(1), {**store(0, 1), "version": HUGE}, seal(0, HUGE), {**plan(HEARD), "epoch": HUGE}):
        assert refused(one)[0] == "no step"
    assert refused(*RUNNING, seal(0))[1] == ("epoch 2 has not been given to any sequencer",)


def test_a_slot_that_nobody_knows_is_refused_at_once() -> None:
    for one in (append(HUGE), store(0, HUGE), row(events.Release, epoch=1, esn=HUGE), clean(HUGE)):
        assert followed(*DECIDED, one)[1] is not None


def test_after_a_refusal_all_texts_are_where_they_were() -> None:
    checker, _ = followed(*DECIDED)
    assert checker.step(store(2, 2)) is not None
    assert checker.refuses(store(2, 1, recovery=2)) is None
    assert all(checker.step(one) is None for one in ENDED[len(DECIDED) :])


@pytest.mark.parametrize("column", ["digest", "version"])
def test_what_nobody_knew_is_unknown(column: str) -> None:
    checker, _ = followed(*RUNNING)
    with pytest.raises(CannotFollow, match=f"nobody knows the {column}"):
        checker.step({**store(1, 2), column: None})


def test_events_of_which_no_text_speaks_are_counted() -> None:
    checker, _ = followed(*RUNNING, row(events.Invoke), row(events.Read, epoch=1, esn=1))
    assert checker.passed_over == {events.Invoke.kind: 1, events.Read.kind: 1}
