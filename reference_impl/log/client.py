"""A client's session with one log: one append under way at a time.

It repeats a request until it is answered, with the same number, so that it is appended once. When it learns that
another sequencer took over, it gives up: the append may or may not have happened. LogDevice, Write path.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from typing import Final, NamedTuple

from reference_impl.kernel.mix import mix
from reference_impl.kernel.step import After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, notes
from reference_impl.log.lsn import epoch_of
from reference_impl.log.machine import Machine
from reference_impl.log.messages import (
    Acked,
    Announce,
    Confirm,
    Invoke,
    Refused,
    Request,
    Retry,
    Stop,
    WhoSequences,
)


class Client(NamedTuple):
    """A session.

    Attributes:
        epoch: the epoch of the sequencer that it talks to; 0: none yet.
        node: where that sequencer is.
        number: the number of the last append.
        waiting: whether the last append has no answer yet.
        sent: whether its request was ever sent.
        digest: hash of its payload.
        invoked: the client's own order of its invocation.
        acked: the number of the last append that was acknowledged in this session.
        stopped: no more appends are begun.
    """

    log: int
    client: int
    epoch: int = 0
    node: int = 0
    number: int = 0
    waiting: bool = False
    sent: bool = False
    digest: int = 0
    invoked: int = 0
    acked: int = 0
    stopped: bool = False


def retry_number(number: int) -> int:
    """A request that is repeated keeps its number, so the sequencer can tell."""
    return number


def digest_of(log: int, client: int, number: int, machine: Machine) -> int:
    """A payload's hash: every payload is different."""
    return mix((log * machine.clients + client) << 32 | number)


def invoke(session: Client, message: Invoke, moment: Moment, machine: Machine) -> Stepped[Client]:
    """Begin the next append."""
    if session.waiting or session.stopped:
        return None
    log, client, number = session.log, session.client, session.number + 1
    digest = digest_of(log, client, number, machine)
    session = session._replace(number=number, waiting=True, sent=session.epoch > 0, digest=digest, invoked=moment.order)
    return session, (
        notes.by_client(notes.INVOKE, log, client, digest),
        _send(session) if session.sent else _who(session),
        After(machine.timing.retry_ns, Retry(number)),
    )


def _send(session: Client) -> Effect:
    request = Request(session.client, session.number, session.epoch, session.digest)
    return Send(addresses.sequencer(session.log, session.node), request)


def _who(session: Client) -> Effect:
    return Send(addresses.epoch_store(session.log), WhoSequences(session.client))


def retry(session: Client, message: Retry, moment: Moment, machine: Machine) -> Stepped[Client]:
    """No answer yet: find out whether the sequencer is still the same."""
    if not session.waiting or message.number != session.number:
        return None
    return session, (_who(session), After(machine.timing.retry_ns, message))


def announced(session: Client, message: Announce, moment: Moment, machine: Machine) -> Stepped[Client]:
    """Repeat the request to the same sequencer; or give up, because another one took over."""
    if message.epoch < session.epoch:
        return None
    if message.epoch == session.epoch:
        return _repeat(session, machine) if session.waiting else None
    session = session._replace(epoch=message.epoch, node=message.node, acked=0)
    if not session.waiting:
        return session, ()
    if not session.sent:
        session = session._replace(sent=True)
        return session, (_send(session),)
    gave_up = notes.by_client(notes.INDEFINITE, session.log, session.client, session.digest)
    return session._replace(waiting=False), (gave_up, _next(session, machine))


def _repeat(session: Client, machine: Machine) -> Stepped[Client]:
    session = session._replace(number=machine.decisions.retry_number(session.number))
    return session, (_send(session),)


def _next(session: Client, machine: Machine) -> Effect:
    least_ns, spread_ns = machine.timing.think_ns
    return After(least_ns + session.digest % spread_ns, Invoke())


def acked(session: Client, message: Acked, moment: Moment, machine: Machine) -> Stepped[Client]:
    """The append is safe; tell the sequencer that this is known, and go on."""
    if epoch_of(message.lsn) != session.epoch:
        return None
    confirm = Send(
        addresses.sequencer(session.log, session.node), Confirm(session.client, message.number, session.epoch)
    )
    if message.number <= session.acked:
        return session, (confirm,)
    if not session.waiting or message.number != session.number:
        return None
    promised = machine.quorums.required, session.invoked
    told = notes.ack(session.log, message.lsn, session.client, session.digest, message.copyset, promised)
    session = session._replace(waiting=False, acked=message.number)
    return session, (told, confirm, _next(session, machine))


def refused(session: Client, message: Refused, moment: Moment, machine: Machine) -> Stepped[Client]:
    """The append did not happen, for certain."""
    if not session.waiting or (message.number, message.epoch) != (session.number, session.epoch):
        return None
    told = notes.by_client(notes.FAIL, session.log, session.client, session.digest)
    session = session._replace(waiting=False)
    return session, (told, _who(session), _next(session, machine))


def stop(session: Client, message: Stop, moment: Moment, machine: Machine) -> Stepped[Client]:
    """Begin no more appends."""
    return session._replace(stopped=True), ()


HANDLERS: Final[Handlers] = {
    Invoke: invoke,
    Retry: retry,
    Announce: announced,
    Acked: acked,
    Refused: refused,
    Stop: stop,
}
