"""A client's session with one log: one append under way at a time, or several.

It repeats a request until it is answered, with the same number, so that it is appended once. When it learns that
another sequencer took over, it gives up: the appends may or may not have happened. LogDevice, Write path.
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


class Asked(NamedTuple):
    """An append that has no answer yet.

    Attributes:
        number: the client's own number of it, which repetitions keep.
        digest: hash of its payload.
        invoked: the client's own order of its invocation.
        sent: whether its request was ever sent.
    """

    number: int
    digest: int
    invoked: int
    sent: bool


class Client(NamedTuple):
    """A session.

    Attributes:
        epoch: the epoch of the sequencer that it talks to; 0: none yet.
        node: where that sequencer is.
        number: the number of the last append.
        under_way: the appends that have no answer yet, in order.
        acked: the greatest number of an append that was acknowledged in this session.
        stopped: no more appends are begun.
    """

    log: int
    client: int
    epoch: int = 0
    node: int = 0
    number: int = 0
    under_way: tuple[Asked, ...] = ()
    acked: int = 0
    stopped: bool = False

    def asked(self, number: int) -> Asked | None:
        """The append of a number, if it has no answer yet."""
        return next((asked for asked in self.under_way if asked.number == number), None)

    def without(self, asked: Asked) -> Client:
        """The session once an append has its answer."""
        return self._replace(under_way=tuple(one for one in self.under_way if one != asked))


def retry_number(number: int) -> int:
    """A request that is repeated keeps its number, so the sequencer can tell."""
    return number


def digest_of(log: int, client: int, number: int, machine: Machine) -> int:
    """A payload's hash: every payload is different."""
    return mix((log * machine.clients + client) << 32 | number)


# ------------------------------------------------------------------------------------------------ appends


def invoke(session: Client, message: Invoke, moment: Moment, machine: Machine) -> Stepped[Client]:
    """Begin the next append; while there may be more, another one follows a little later."""
    if len(session.under_way) >= machine.under_way or session.stopped:
        return None
    log, client, number = session.log, session.client, session.number + 1
    asked = Asked(number, digest_of(log, client, number, machine), moment.order, session.epoch > 0)
    session = session._replace(number=number, under_way=(*session.under_way, asked))
    return session, (
        notes.by_client(notes.INVOKE, log, client, asked.digest),
        _send(session, asked) if asked.sent else _who(session),
        After(machine.timing.retry_ns, Retry(number)),
        *([_next(asked, machine)] if len(session.under_way) < machine.under_way else []),
    )


def _send(session: Client, asked: Asked) -> Effect:
    oldest = min(one.number for one in session.under_way)
    request = Request(session.client, asked.number, session.epoch, asked.digest, oldest)
    return Send(addresses.sequencer(session.log, session.node), request)


def _who(session: Client) -> Effect:
    return Send(addresses.epoch_store(session.log), WhoSequences(session.client))


def _next(asked: Asked, machine: Machine) -> Effect:
    least_ns, spread_ns = machine.timing.think_ns
    return After(least_ns + asked.digest % spread_ns, Invoke())


def _goes_on(before: Client, asked: Asked, machine: Machine) -> list[Effect]:
    """A client that had as many appends under way as it may begins the next one when one of them has ended."""
    return [_next(asked, machine)] if len(before.under_way) >= machine.under_way else []


def retry(session: Client, message: Retry, moment: Moment, machine: Machine) -> Stepped[Client]:
    """No answer yet: find out whether the sequencer is still the same; once for all appends that wait."""
    asked = session.asked(message.number)
    if asked is None:
        return None
    again = After(machine.timing.retry_ns, message)
    return session, ((_who(session), again) if asked == session.under_way[0] else (again,))


def announced(session: Client, message: Announce, moment: Moment, machine: Machine) -> Stepped[Client]:
    """Repeat all requests to the same sequencer; or give up, because another one took over."""
    if message.epoch < session.epoch:
        return None
    if message.epoch == session.epoch:
        return _repeat(session, machine) if session.under_way else None
    gone = [asked for asked in session.under_way if asked.sent]
    unsent = tuple(asked._replace(sent=True) for asked in session.under_way if not asked.sent)
    after = session._replace(epoch=message.epoch, node=message.node, acked=0, under_way=unsent)
    return after, (
        *(notes.by_client(notes.INDEFINITE, session.log, session.client, asked.digest) for asked in gone),
        *(_send(after, asked) for asked in unsent),
        *(_goes_on(session, gone[-1], machine) if gone else []),
    )


def _repeat(session: Client, machine: Machine) -> Stepped[Client]:
    again = tuple(asked._replace(number=machine.decisions.retry_number(asked.number)) for asked in session.under_way)
    session = session._replace(under_way=again, number=max(session.number, again[-1].number))
    return session, tuple(_send(session, asked) for asked in again)


# ------------------------------------------------------------------------------------------------ answers


def acked(session: Client, message: Acked, moment: Moment, machine: Machine) -> Stepped[Client]:
    """The append is safe; tell the sequencer that this is known, and go on."""
    if epoch_of(message.lsn) != session.epoch:
        return None
    confirm = Send(
        addresses.sequencer(session.log, session.node), Confirm(session.client, message.number, session.epoch)
    )
    asked = session.asked(message.number)
    if asked is None:
        return (session, (confirm,)) if message.number <= session.acked else None
    promised = machine.quorums.required, asked.invoked
    told = notes.ack(session.log, message.lsn, session.client, asked.digest, message.copyset, promised)
    after = session.without(asked)._replace(acked=max(session.acked, message.number))
    return after, (told, confirm, *_goes_on(session, asked, machine))


def refused(session: Client, message: Refused, moment: Moment, machine: Machine) -> Stepped[Client]:
    """The append did not happen, for certain."""
    asked = session.asked(message.number)
    if asked is None or message.epoch != session.epoch:
        return None
    told = notes.by_client(notes.FAIL, session.log, session.client, asked.digest)
    return session.without(asked), (told, _who(session), *_goes_on(session, asked, machine))


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
