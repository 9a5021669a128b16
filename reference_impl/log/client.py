"""A client's session with one log: one append under way at a time, or several, also as a stream.

It repeats a request until it is answered, with the same number, so that it is appended once. When it learns that
another sequencer took over, it gives up: the appends may or may not have happened. A stream is then written again from
the first append that was not acknowledged; what is written again counts as another payload, since LogDevice does not
know it again. LogDevice, Write path.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.mix import mix
from reference_impl.kernel.step import After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import LogContext
from reference_impl.log.lsn import epoch_of
from reference_impl.log.messages import (
    Acked,
    Announce,
    AppendRequest,
    AppendThis,
    Invoke,
    Refused,
    Retry,
    Stop,
    WhoSequences,
)
from spec import events


class Asked(NamedTuple):
    """An append that has no answer yet.

    Attributes:
        number: the client's own number of it, which repetitions keep.
        digest: hash of its payload.
        invoked: the client's own order of its invocation.
        sent: whether its request was ever sent.
        place: its place in the client's stream of appends, from 1; 0: it is in none.
    """

    number: int
    digest: int
    invoked: int
    sent: bool
    place: int = 0


class Client(NamedTuple):
    """A session.

    Attributes:
        epoch: the epoch of the sequencer that it talks to; 0: none yet.
        node: where that sequencer is.
        number: the number of the last append.
        under_way: the appends that have no answer yet, in the order of the stream or, where there is none, as begun.
        stopped: no more appends are begun.
        place: the last place of the client's stream that was ever written.
        lost: places that have to be written again, in order, since what was written there was lost or refused.
    """

    log: int
    client: int
    epoch: int = 0
    node: int = 0
    number: int = 0
    under_way: tuple[Asked, ...] = ()
    stopped: bool = False
    place: int = 0
    lost: tuple[int, ...] = ()

    def asked(self, number: int) -> Asked | None:
        """The append of a number, if it has no answer yet."""
        return next((asked for asked in self.under_way if asked.number == number), None)

    def without(self, asked: Asked) -> Client:
        """The session once an append has its answer."""
        return self._replace(under_way=tuple(one for one in self.under_way if one != asked))

    def is_first(self, place: int) -> bool:
        """Everything before this place of the stream was acknowledged."""
        return place <= min([one.place for one in self.under_way] + list(self.lost), default=place)


@decision
def retry_number(number: int) -> int:
    """A request that is repeated keeps its number, so the sequencer can tell."""
    return number


@decision
def ends_append(lsn: int) -> bool:
    """An append is over once it has an LSN: its client does not ask again."""
    return True


@decision
def promises(context: LogContext) -> int:
    """An acknowledgement counts on as many copies as the epoch's replication property asks for."""
    return context.quorums.required


@decision
def takes_answer(session: Client, asked: Asked) -> bool:
    """A client hears of its stream in order; it asks again for an answer that came too early."""
    return session.is_first(asked.place)


@decision
def written_again(lost: Sequence[int]) -> tuple[int, ...]:
    """A stream goes on from the first append that was not acknowledged, in order."""
    return tuple(sorted(lost))


def digest_of(log: int, client: int, number: int, context: LogContext) -> int:
    """A payload's hash: every payload is different."""
    return mix((log * context.clients + client) << 32 | number)


# ------------------------------------------------------------------------------------------------ appends


def invoke(session: Client, message: Invoke, moment: Moment, context: LogContext) -> Stepped[Client]:
    """Begin the next append; while there may be more, another one follows a little later."""
    if len(session.under_way) >= context.under_way or session.stopped:
        return None
    digest = digest_of(session.log, session.client, session.number + 1, context)
    session, asked, effects = _begun(session, digest, moment, context)
    return session, (*effects, *([_next(asked, context)] if len(session.under_way) < context.under_way else []))


def append_this(session: Client, message: AppendThis, moment: Moment, context: LogContext) -> Stepped[Client]:
    """Begin an append that somebody wants, whatever else is under way."""
    session, _, effects = _begun(session, message.digest, moment, context)
    return session, effects


def _begun(
    session: Client, digest: int, moment: Moment, context: LogContext
) -> tuple[Client, Asked, tuple[Effect, ...]]:
    log, client, number = session.log, session.client, session.number + 1
    session, place = _placed(session, context)
    asked = Asked(number, digest, moment.order, session.epoch > 0, place)
    under_way = sorted((*session.under_way, asked), key=lambda one: one.place)
    session = session._replace(number=number, under_way=tuple(under_way))
    return (
        session,
        asked,
        (
            trace_events.by_client(events.Invoke, log, client, digest),
            _send(session, asked) if asked.sent else _who(session),
            After(context.timing.retry_ns, Retry(number)),
        ),
    )


def _placed(session: Client, context: LogContext) -> tuple[Client, int]:
    """The place of the next append in the client's stream: the first that was lost, else the one after the last."""
    if not context.writes_stream(session.client):
        return session, 0
    if session.lost:
        return session._replace(lost=session.lost[1:]), session.lost[0]
    return session._replace(place=session.place + 1), session.place + 1


def _send(session: Client, asked: Asked) -> Effect:
    oldest = min(one.number for one in session.under_way)
    resumes = asked.place > 0 and session.is_first(asked.place)
    request = AppendRequest(session.client, asked.number, session.epoch, asked.digest, oldest, asked.place, resumes)
    return Send(addresses.sequencer(session.log, session.node), request)


def _who(session: Client) -> Effect:
    return Send(addresses.epoch_store(session.log), WhoSequences(session.client))


def _next(asked: Asked, context: LogContext) -> Effect:
    least_ns, spread_ns = context.timing.think_ns
    return After(least_ns + asked.digest % spread_ns, Invoke())


def _goes_on(before: Client, asked: Asked, context: LogContext) -> list[Effect]:
    """A client that had as many appends under way as it may begins the next one when one of them has ended."""
    return [_next(asked, context)] if len(before.under_way) >= context.under_way else []


def retry(session: Client, message: Retry, moment: Moment, context: LogContext) -> Stepped[Client]:
    """No answer yet: find out whether the sequencer is still the same; once for all appends that wait."""
    asked = session.asked(message.number)
    if asked is None:
        return None
    again = After(context.timing.retry_ns, message)
    return session, ((_who(session), again) if asked == session.under_way[0] else (again,))


def announced(session: Client, message: Announce, moment: Moment, context: LogContext) -> Stepped[Client]:
    """Repeat all requests to the same sequencer; or give up, because another one took over."""
    if message.epoch < session.epoch:
        return None
    if message.epoch == session.epoch:
        return _repeat(session, context) if session.under_way else None
    gone = [asked for asked in session.under_way if asked.sent]
    unsent = tuple(asked._replace(sent=True) for asked in session.under_way if not asked.sent)
    after = _losing(session._replace(epoch=message.epoch, node=message.node, under_way=unsent), gone, context)
    return after, (
        *(trace_events.by_client(events.Indefinite, session.log, session.client, asked.digest) for asked in gone),
        *(_send(after, asked) for asked in unsent),
        *(_goes_on(session, gone[-1], context) if gone else []),
    )


def _losing(session: Client, lost: Sequence[Asked], context: LogContext) -> Client:
    """The session that has to write some places of its stream again."""
    places = [*session.lost, *(asked.place for asked in lost if asked.place)]
    return session._replace(lost=context.decides(written_again)(places))


def _repeat(session: Client, context: LogContext) -> Stepped[Client]:
    again = tuple(asked._replace(number=context.decides(retry_number)(asked.number)) for asked in session.under_way)
    session = session._replace(under_way=again, number=max(session.number, again[-1].number))
    return session, tuple(_send(session, asked) for asked in again)


# ------------------------------------------------------------------------------------------------ answers


def acked(session: Client, message: Acked, moment: Moment, context: LogContext) -> Stepped[Client]:
    """The append is safe; go on."""
    asked = session.asked(message.number)
    if asked is None or epoch_of(message.lsn) != session.epoch or not context.decides(takes_answer)(session, asked):
        return None
    promised = context.decides(promises)(context), asked.invoked
    told = trace_events.ack(session.log, message.lsn, session.client, asked.digest, message.copyset, promised)
    if not context.decides(ends_append)(message.lsn):
        return session, (told,)
    return session.without(asked), (told, *_goes_on(session, asked, context))


def refused(session: Client, message: Refused, moment: Moment, context: LogContext) -> Stepped[Client]:
    """The append did not happen, for certain."""
    asked = session.asked(message.number)
    if asked is None or message.epoch != session.epoch:
        return None
    told = trace_events.by_client(events.Refused, session.log, session.client, asked.digest)
    after = _losing(session.without(asked), [asked], context)
    return after, (told, _who(session), *_goes_on(session, asked, context))


def stop(session: Client, message: Stop, moment: Moment, context: LogContext) -> Stepped[Client]:
    """Begin no more appends."""
    return session._replace(stopped=True), ()


HANDLERS: Final[Handlers] = {
    Invoke: invoke,
    AppendThis: append_this,
    Retry: retry,
    Announce: announced,
    Acked: acked,
    Refused: refused,
    Stop: stop,
}
