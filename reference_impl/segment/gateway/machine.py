"""The gateway and its nodes as a machine: emitter, broadcaster, senders, receivers, synchronizer and filter in steps.

Synnax, Segment distribution, Execution Flow, Error Handling, Closing an Iterator. One call is under way at a time.
Buffers are bounded: a slow caller slows the nodes, and nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from reference_impl.segment.gateway.messages import Acknowledgement, CallRequest, Data, End, Reply
from reference_impl.segment.gateway.state import Peer, Session, Stores, Wiring
from reference_impl.segment.iterator.channels import Readings, step_all
from spec.segment.iterator.commands import Close, Command, Next, Prev
from spec.segment.iterator.definition import CLOSED, Answer, merged

NODE_DIED: Final = "a node died"
"""The error of an iterator that has lost one of its nodes."""


@dataclass(frozen=True)
class Call:
    """The caller makes a call, and the emitter a request, which the broadcaster sends to every node."""

    command: Command


@dataclass(frozen=True)
class Execute:
    """A node carries out the request that it got first."""

    node: int


@dataclass(frozen=True)
class Send:
    """A reply finds room on the wire to the gateway."""

    node: int


@dataclass(frozen=True)
class Receive:
    """A reply reaches the gateway: the synchronizer takes acknowledgements, the filter lets data pass to the caller."""

    node: int


@dataclass(frozen=True)
class Take:
    """The caller takes a message from the output."""


@dataclass(frozen=True)
class Die:
    """A node dies, and with it all that it has not yet sent."""

    node: int


Action: TypeAlias = Call | Execute | Send | Receive | Take | Die


def step(session: Session, action: Action, stores: Stores, wiring: Wiring) -> Session | None:
    """The session after something happened; None where it cannot happen."""
    return STEPS[type(action)](session, action, stores, wiring)


def enabled(session: Session, stores: Stores, wiring: Wiring) -> Iterator[tuple[Action, Session]]:
    """All that can happen by itself, and what comes of it: neither calls nor deaths."""
    actions = [Take(), *(kind(node) for node in session.peers for kind in (Execute, Send, Receive))]
    for action in actions:
        if (after := step(session, action, stores, wiring)) is not None:
            yield action, after


def _call(session: Session, call: Call, _stores: Stores, _wiring: Wiring) -> Session | None:
    if session.acks is not None:
        return None
    if session.is_closing or session.error is not None:
        return replace(session, answer=_late(session, call.command))
    request = CallRequest(session.number + 1, call.command)
    peers = {node: replace(peer, requests=(*peer.requests, request)) for node, peer in session.peers.items()}
    return replace(
        session,
        peers=peers,
        number=request.number,
        is_closing=isinstance(call.command, Close),
        acks=(),
        heard=frozenset(),
        answer=None,
    )


def _late(session: Session, command: Command) -> Answer:
    """What a call gives after the iterator was closed, or after an error, which is fatal; closing again is harmless."""
    if isinstance(command, Close):
        return Answer(ok=session.error is None, error=session.error)
    return Answer(ok=False, error=CLOSED if session.is_closing else session.error)


def _execute(session: Session, action: Execute, stores: Stores, wiring: Wiring) -> Session | None:
    peer = session.peers[action.node]
    if not peer.is_up or not peer.requests:
        return None
    request, *later = peer.requests
    readings, answer = step_all(peer.readings, request.command, stores.get(action.node, {}), wiring.setting)
    data = _data(request, readings, wiring) if isinstance(request.command, Next | Prev) else []
    ack = Acknowledgement(request.number, answer.ok, answer.error)
    end = [End()] if isinstance(request.command, Close) else []
    replies: list[Reply] = [ack, *data, *end] if wiring.acknowledges_first else [*data, ack, *end]
    return session.with_peer(
        action.node,
        replace(peer, readings=readings, requests=tuple(later), sending=(*peer.sending, *replies)),
    )


def _data(request: CallRequest, readings: Readings, wiring: Wiring) -> list[Reply]:
    """What a request has read, cut into messages."""
    return [
        Data(request.number, channel, times[first : first + wiring.message_samples])
        for channel, frame in readings.frame.items()
        for times in [tuple(time for series in frame for time in series.times)]
        for first in range(0, len(times), wiring.message_samples)
    ]


def _send(session: Session, action: Send, _stores: Stores, wiring: Wiring) -> Session | None:
    peer = session.peers[action.node]
    if not peer.is_up or not peer.sending or len(peer.wire) >= wiring.wire_messages:
        return None
    reply, *later = peer.sending
    return session.with_peer(action.node, replace(peer, sending=tuple(later), wire=(*peer.wire, reply)))


def _receive(session: Session, action: Receive, _stores: Stores, wiring: Wiring) -> Session | None:
    peer = session.peers[action.node]
    if not peer.wire:
        return None
    reply, *later = peer.wire
    if isinstance(reply, Data) and len(session.output) >= wiring.output_messages:
        return None
    after = session.with_peer(action.node, replace(peer, wire=tuple(later)))
    return _answered(_taken_in(after, action.node, reply), wiring)


def _taken_in(session: Session, node: int, reply: Reply) -> Session:
    match reply:
        case Data():
            return replace(session, output=(*session.output, reply))
        case End():
            return replace(session, ended=session.ended | {node})
        case Acknowledgement(number, ok, error):
            if number != session.number or session.acks is None or node in session.heard:
                return session
            heard = session.heard | {node}
            return replace(session, acks=(*session.acks, ok), heard=heard, error=session.error or error)


def _answered(session: Session, wiring: Wiring) -> Session:
    """The call returns when every node has acknowledged it; a close also waits for the end of what they send."""
    if session.acks is None or session.heard != session.peers.keys():
        return session
    if session.is_closing and session.ended != session.peers.keys():
        return session
    ok = merged(session.acks, wiring.merge)
    return replace(session, acks=None, answer=Answer(ok, error=session.error))


def _take(session: Session, _action: Take, _stores: Stores, _wiring: Wiring) -> Session | None:
    return replace(session, output=session.output[1:]) if session.output else None


def _die(session: Session, action: Die, _stores: Stores, _wiring: Wiring) -> Session | None:
    """The iterator is shut down on all nodes; a call that was under way is false."""
    peer = session.peers[action.node]
    if not peer.is_up:
        return None
    dead = Peer(peer.readings, is_up=False)
    answer = session.answer if session.acks is None else Answer(ok=False, error=NODE_DIED)
    ended = frozenset(session.peers)
    after = replace(session, acks=None, answer=answer, error=session.error or NODE_DIED, ended=ended)
    peers = {node: replace(one, requests=(), sending=(), wire=()) for node, one in after.peers.items()}
    return replace(after, peers={**peers, action.node: dead})


STEPS: Final[Mapping[type, Callable[[Session, Any, Stores, Wiring], Session | None]]] = {
    Call: _call,
    Execute: _execute,
    Send: _send,
    Receive: _receive,
    Take: _take,
    Die: _die,
}
