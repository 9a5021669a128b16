"""Wording: what a refused event claims, and why its text has no such step."""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.following.claims import Unfounded
from reference_impl.following.engine import Refused, Text
from spec.language.protocol.prose import Prose


def said_by(text: Text, refused: Refused) -> str:
    """The step that an event claims to be, as a call."""
    if isinstance(refused.claim, Unfounded):
        return "no step"
    clause = text.guide.world.protocol.clauses[refused.claim.action]
    names = map(text.guide.called, clause.sorts, refused.claim.args)
    return f"{clause.name}({', '.join(names)})"


def why(text: Text, refused: Refused) -> Iterator[str]:
    """What forbids the step, as clauses of sentences."""
    claim = refused.claim
    if isinstance(claim, Unfounded):
        yield claim.reason
        return
    protocol = text.guide.world.protocol
    clause = protocol.clauses[claim.action]
    called = map(text.guide.called, clause.sorts, claim.args)
    names = {param.var.number: name for param, name in zip(clause.params, called, strict=True)}
    yield from (f"needed: {Prose(protocol).say(guard, names)}" for guard in refused.guards)
    yield from (f"not so: {phrase}" for phrase in refused.missing)
    yield from (f"from the step does not follow: {phrase}" for phrase in refused.unfollowed)
