"""The segment distribution document's own examples, as recordings: an iterator on three nodes, a writer on two.

Each step stands as the document has it. Every rule that is in force holds of them, and each change breaks the rule that
carries the step.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from conformance.check.checking import verdict_of_events
from conformance.trace.errors import Oversized
from spec.language.outcomes import Verdict
from spec.reports.names import names_of
from spec.segment.channel_numbers import key_of, leaseholder_of
from spec.segment.events.universes import NODES
from spec.segment.events.values import CLOSE, NEXT
from spec.verdicts import TraceVerdict
from tests.support.segment_cases.recording import (
    Case,
    Change,
    Said,
    and_then,
    but,
    moved,
    said,
    without,
)

GATEWAY, PEERS = 3, (5, 7)
EVERYONE = (GATEWAY, *PEERS)


def each(kind: str, nodes: tuple[int, ...] = EVERYONE, **others: Any) -> list[Said]:
    """An event of every node, or of the channel that it leads."""
    named = {"channel_created": "leaseholder", "channel_requested": "leaseholder"}
    about_channel = "channel" in said(kind)
    return [
        said(
            kind, **{named.get(kind, "node"): node, **({"channel": key_of(node, 1)} if about_channel else {})}, **others
        )
        for node in nodes
    ]


def known_to_gateway(nodes: tuple[int, ...]) -> list[Said]:
    """Channels of some nodes, of which the gateway learnt."""
    learnt = [said("channel_learnt", node=GATEWAY, channel=key_of(node, 1), leaseholder=node) for node in nodes]
    return [*each("channel_created", nodes), *learnt]


def call(request: int, op: int, *more: Said) -> list[Said]:
    """A call that the emitter passes to every node, that all execute and acknowledge, and that then returns."""
    asked = said("called", request=request, op=op)
    executed, acked = each("executed", request=request), each("acknowledged", request=request, about=request)
    return [asked, *executed, *acked, said("returned", request=request), *more]


ITERATOR: Final = (
    *known_to_gateway(EVERYONE),
    *each("stored"),
    said("open_asked", gateway=GATEWAY),
    *each("channel_requested"),
    *each("part_opened"),
    *each("acknowledged", request=0, about=0),
    said("opened", gateway=GATEWAY, parts_on=[3, 5, 7]),
    *call(1, 1),
    *call(2, NEXT, *each("sent", request=2), *each("given", request=2)),
    said("called", request=3, op=CLOSE),
    *each("acknowledged", request=3, about=3),
    *each("part_closed", request=3),
    said("output_closed", request=3),
    said("closed", request=3),
    said("shut_down", node=GATEWAY),
)
"""``SeekFirst`` and ``Next``, which together are the document's ``First``, and ``Close``."""

STRAIN_01, STRAIN_02 = (GATEWAY,), (5,)
"""The nodes that lead the two channels of the document's writer."""

BOTH = STRAIN_01 + STRAIN_02

WRITER: Final = (
    *known_to_gateway(BOTH),
    said("open_asked", gateway=GATEWAY),
    *each("channel_requested", BOTH),
    *each("lock_taken", BOTH)[:1],
    *(said("lock_taken", channel=key_of(5, 1)),),
    *each("part_opened", BOTH),
    *each("acknowledged", BOTH, request=0, about=0),
    said("opened", gateway=GATEWAY, parts_on=[3, 5]),
    said("written", session=1, channel=key_of(3, 1)),
    *each("stored", STRAIN_01, session=1),
    said("written", session=1, channel=key_of(5, 1), request=2),
    *each("stored", STRAIN_02, session=1, request=2),
    said("written", session=1, channel=key_of(5, 1), request=3),
    *each("rejected", STRAIN_02, session=1, request=3),
    said("error_told", session=1, request=3),
    said("requests_closed", request=4),
    *each("part_closed", BOTH, request=4),
    said("lock_released", channel=key_of(3, 1), request=4),
    said("lock_released", channel=key_of(5, 1), request=4),
    said("output_closed", request=4),
    said("closed", request=4),
)
"""A segment for each node, one that a peer rejects, and a graceful close."""

PROMISES = ("quiet", "settled", "answers_all", "errors_are_fatal", "lock")


def judged(events: tuple[Said, ...], change: Change | None = None) -> TraceVerdict:
    """The verdict on a flow, or on it with a change."""
    case = Case("", "", "", events, change or (lambda same: same), PROMISES, nodes=8)
    return verdict_of_events(case.header, case.rows(case.change(events)))


def broken(verdict: TraceVerdict) -> set[str]:
    """The rules that are violated."""
    return {one.rule.id for one in verdict.judged if one.verdict is Verdict.VIOLATED}


def at(events: tuple[Said, ...], kind: str, **fields: Any) -> int:
    """Where an event stands."""
    wanted = {"kind": kind, **fields}
    return next(place for place, event in enumerate(events) if wanted.items() <= event.items())


def test_an_iterator_on_three_nodes() -> None:
    found = judged(ITERATOR)
    assert (found.verdict, broken(found)) == (Verdict.HOLDS, set())
    assert len(found.judged) >= 30


def test_a_writer_on_two_nodes() -> None:
    found = judged(WRITER)
    assert (found.verdict, broken(found)) == (Verdict.HOLDS, set())
    assert len(found.judged) >= 20


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (without(at(ITERATOR, "acknowledged", request=2, node=7)), "segment.call.all_acknowledge"),
        (without(at(ITERATOR, "executed", request=2, node=5)), "segment.call.reaches_every_node"),
        (without(at(ITERATOR, "acknowledged", request=0, node=3)), "segment.open.acknowledged"),
        (without(at(ITERATOR, "part_closed", node=7)), "segment.close.waits_for_parts"),
        (without(at(ITERATOR, "given", node=7)), "segment.read.nothing_dropped"),
        (without(at(ITERATOR, "returned", request=2)), "segment.call.returns"),
        (without(at(ITERATOR, "closed")), "segment.close.ends"),
        (without(at(ITERATOR, "channel_requested", leaseholder=7)), "segment.open.where_channels_are"),
        (without(at(ITERATOR, "channel_learnt", leaseholder=5)), "segment.open.knows_its_channels"),
        (but(at(ITERATOR, "returned", request=2), ok=0), "segment.ack.merged_by_all"),
        (but(at(ITERATOR, "given", node=5), request=1), "segment.call.seek_gives_nothing"),
        (moved(at(ITERATOR, "output_closed"), at(ITERATOR, "given", node=7)), "segment.output.closes_last"),
        (moved(at(ITERATOR, "shut_down"), at(ITERATOR, "closed")), "segment.shutdown.waits"),
        (and_then(said("called", request=4, op=NEXT), said("returned", request=4)), "segment.close.nothing_after"),
    ],
)
def test_each_step_of_the_iterator_is_asked_for(change: Change, rule: str) -> None:
    assert rule in broken(judged(ITERATOR, change))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (but(at(WRITER, "stored", node=5), node=3), "segment.store.at_leaseholder"),
        (without(at(WRITER, "stored", node=5)), "segment.write.accepted_is_stored"),
        (without(at(WRITER, "error_told")), "segment.write.errors_are_told"),
        (but(at(WRITER, "rejected", node=5), request=2), "segment.write.stored_or_rejected"),
        (without(at(WRITER, "lock_released", channel=key_of(5, 1))), "segment.lock.is_given_up"),
        (without(at(WRITER, "part_closed", node=5)), "segment.close.waits_for_parts"),
        (moved(at(WRITER, "lock_taken"), at(WRITER, "opened")), "segment.open.locks_first"),
        (without(at(WRITER, "requests_closed")), "segment.close.was_asked"),
        (moved(at(WRITER, "requests_closed"), at(WRITER, "closed")), "segment.close.in_order"),
        (moved(at(WRITER, "output_closed"), at(WRITER, "part_closed")), "segment.close.in_order"),
        (without(at(WRITER, "channel_requested", leaseholder=5)), "segment.write.only_its_channels"),
        (
            and_then(
                said("written", session=1, channel=key_of(5, 1), request=5),
                *each("stored", STRAIN_02, session=1, request=5),
            ),
            "segment.close.stores_no_more",
        ),
    ],
)
def test_each_step_of_the_writer_is_asked_for(change: Change, rule: str) -> None:
    assert rule in broken(judged(WRITER, change))


def test_a_node_is_found_by_its_number() -> None:
    """From a key to the node, and to what it is called; a number that no node has is an error."""
    case = Case("", "", "", WRITER, lambda same: same, nodes=8)
    assert leaseholder_of(key_of(1, 9)) == 1
    assert names_of(case.header).of(NODES, 1) == "n1"
    with pytest.raises(Oversized, match="node is 8"):
        case.rows([said("acknowledged", node=8)])


def test_a_float_64_has_eight_bytes() -> None:
    events = (said("channel_created", density=8), said("stored", density=8))
    assert broken(judged(events)) == set()
    assert broken(judged(events, but(1, density=4))) == {"segment.store.has_density"}
