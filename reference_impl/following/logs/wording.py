"""Wording: why an event of a log is no step of the text of its epoch."""

from __future__ import annotations

from reference_impl.following.checker import Refusal
from reference_impl.following.claims import EventRow, Unfounded
from reference_impl.following.logs.state import There
from reference_impl.following.logs.steps import Against
from reference_impl.refinement.broken import Broken
from reference_impl.refinement.contents import MARKS, Content
from reference_impl.refinement.wording import BECOMES, writer


def refusal_of(number: int, event: EventRow, against: Against) -> Refusal:
    """The refusal of an event, in words."""
    match against:
        case Unfounded(reason):
            return Refusal(number, event, "no step", (reason,), "", "")
        case There():
            return Refusal(number, event, "no step", (f"not so: {said_of(against)}",), "", "")
        case _:
            broken = Broken(against, number, whose="the event")
            reasons = tuple(f"needed: {why}" if against.guards else why for why in broken.why)
            return Refusal(number, event, broken.step, reasons, broken.clause.sentence, broken.clause.cite)


def said_of(there: There) -> str:
    """What an event says is so, as a clause."""
    contents = " or ".join(dict.fromkeys(map(_called, there.contents)))
    if there.node is not None:
        return f"node {there.node} has {contents} at ESN {there.slot + 1}"
    if there.by is None:
        return f"{contents} is the outcome of ESN {there.slot + 1}"
    by = "the sequencer" if not there.by.recovery else writer(there.by)
    return f"{by} proposed {contents} at ESN {there.slot + 1}"


def _called(content: Content) -> str:
    return f"a {BECOMES[content.becomes]}" if content.becomes in MARKS else f"payload {content.digest}"
