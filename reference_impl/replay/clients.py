"""Guards of what clients say: appends that they ask for, and how each of them ends."""

from __future__ import annotations

from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.observed import ASKED, REFUSED, Log
from reference_impl.replay.trace_events import TraceEvent
from spec.events import Ack, Indefinite, Invoke, Refused


@guard("client.invoke.is_new", Invoke, cite="LogDevice, Read path: each slot is one record; payloads are told apart")
def payload_is_new(log: Log, invoke: TraceEvent) -> Against | None:
    """No payload is asked for twice."""
    if invoke.digest is None or invoke.digest not in log.payloads:
        return None
    return Against("a payload that nobody asked for yet", f"payload {invoke.digest}")


@guard(
    "client.invoke.one_at_a_time",
    Invoke,
    cite="quorate, the machine's clients: a session has one append under way at a time",
    needs=(Refused, Indefinite, Ack),
    promise="client_order",
)
def nothing_is_under_way(log: Log, invoke: TraceEvent) -> Against | None:
    """A client asks for an append only when its last one has ended."""
    session = log.session(invoke.writer)
    if session.is_open or not session.pending:
        return None
    return Against(f"an answer to {', '.join(map(str, session.pending))}", "the next append")


@change(Invoke)
def asks(log: Log, invoke: TraceEvent) -> None:
    """The payload waits for an LSN, and the client for an answer."""
    log.payloads[invoke.digest] = ASKED
    log.session(invoke.writer).asks(invoke.digest, invoke.seq)


@guard(
    "client.answer.was_asked",
    Refused,
    Indefinite,
    Ack,
    cite="LogDevice, Write path: an append ends with one answer to the client that asked",
    needs=(Invoke,),
)
def answer_to_what_was_asked(log: Log, answer: TraceEvent) -> Against | None:
    """An append ends once, and for the client that asked for it."""
    session = log.session(answer.writer)
    if answer.digest is None or answer.digest in session.pending or session.is_open:
        return None
    asked = ", ".join(map(str, session.pending)) or "nothing"
    return Against(f"an answer to what client {answer.writer} waits for: {asked}", f"payload {answer.digest}")


@guard(
    "client.refuse.has_no_lsn",
    Refused,
    cite="LogDevice, Write path: an append that is refused for certain was not given an LSN",
)
def refused_was_not_appended(log: Log, refused: TraceEvent) -> Against | None:
    """An append is refused for certain only before it has an LSN."""
    lsn = log.payloads.get(refused.digest, ASKED)
    return None if lsn == ASKED else Against("a payload without an LSN", f"payload {refused.digest} at LSN {lsn}")


@change(Refused)
def is_refused(log: Log, refused: TraceEvent) -> None:
    """The payload will never be appended."""
    log.session(refused.writer).hears(refused.digest)
    log.payloads[refused.digest] = REFUSED


@change(Indefinite)
def gives_up(log: Log, event: TraceEvent) -> None:
    """The client will not be told of the payload: another sequencer took over, or it tired of waiting."""
    log.session(event.writer).hears(event.digest)
    log.gave_up.add(event.digest)
