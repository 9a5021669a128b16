"""Aggregates as SQL text: what each event says, and what the events of one row say together.

Whether there is an event, whether one of the events does not know its value (then the whole aggregate is NULL), and
sets that fit lie in the bits of a few numbers. CASE stands where FILTER might, because engines may compute the argument
even for rows that a filter drops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spec.language.sql.bits import Asked, Bits, Cases, by_text
from spec.language.sql.events import EventWriter, Trace, is_null, kind_is
from spec.language.sql.terms import Words
from spec.language.terms import Agg
from spec.language.vocabulary import sort_of

_TOGETHER: Final = {
    "min": "CASE WHEN {0} <= {1} THEN {0} WHEN {0} > {1} THEN {1} END",  # least() would pass over a NULL
    "max": "CASE WHEN {0} >= {1} THEN {0} WHEN {0} < {1} THEN {1} END",
    "union": "({0} | {1})",
    "common": "({0} & {1})",
}
"""Two values of one event."""

_NOBODY: Final = {"any": "FALSE", "count": "0", "union": "0"}
"""What no event at all says; towards the others it says nothing."""

_OVER_EVENTS: Final = {
    "count": "count({0})",
    "min": "min({0})",
    "max": "max({0})",
    "union": "coalesce(bit_or({0}), 0)",
    "common": "bit_and({0})",
}


@dataclass(frozen=True)
class Contribution:
    """What single events say towards an aggregate.

    Attributes:
        chosen: which events count.
        values: for each mask word, the text of what an event of a kind says.
        unsure: which events do not know whether they count, or what they say.
    """

    chosen: Cases
    values: tuple[Cases, ...]
    unsure: Cases


def said(agg: Agg, trace: Trace) -> Contribution:
    """Read the parts of an aggregate, kind by kind."""
    chosen: dict[int, str] = {}
    values: dict[int, Words] = {}
    unsure: dict[int, str] = {}
    for event, term in agg.of:
        here = trace.kinds(event)
        writer = EventWriter(trace, here)
        where = "TRUE" if agg.where is None else writer.scalar(agg.where)
        words = writer.words(term)
        doubts = []
        if agg.where is not None and writer.may_be_null(agg.where):
            doubts.append(is_null(agg.where, writer))
        if writer.may_be_null(term):
            doubts.append(_both(where, is_null(term, writer)))
        for kind in here:
            chosen[kind] = where
            values[kind] = _merge(agg.fn, values[kind], words) if kind in values else words
            if doubts:
                unsure[kind] = " OR ".join(dict.fromkeys((*doubts, *([unsure[kind]] if kind in unsure else []))))
    width = trace.parameters.words if sort_of(agg) == "set" else 1
    return Contribution(chosen, tuple({kind: words[k] for kind, words in values.items()} for k in range(width)), unsure)


def _merge(fn: str, before: Words, now: Words) -> Words:
    return tuple(a if a == b else _TOGETHER[fn].format(a, b) for a, b in zip(before, now, strict=True))


def _both(a: str, b: str) -> str:
    return b if a == "TRUE" else f"{a} AND ({b})" if " OR " in b else f"{a} AND {b}"


def value(chosen: Cases, values: Cases) -> str:
    """What one event says, NULL where it does not count."""
    arms = []
    for those, text in by_text(values):
        where = chosen[those[0]]
        arms.append(f"WHEN {kind_is(those) if where == 'TRUE' else f'{kind_is(those)} AND {where}'} THEN {text}")
    return f"CASE {' '.join(arms)} END"


def in_bits(agg: Agg, parts: Contribution, bits: Bits, number: str) -> str | None:
    """What the events of one row say together, read from their bits; None for what has none.

    ``number`` makes the text of a number from the name of its column.
    """
    if not parts.chosen:
        return None
    settled = f"{bits.some(parts.unsure, number)} = 0" if parts.unsure else ""
    if agg.fn == "any":
        found = f"{bits.some(parts.chosen, number)} <> 0"
        return f"CASE WHEN {found} THEN TRUE WHEN {settled} THEN FALSE END" if settled else f"({found})"
    if agg.fn == "union" and len(parts.values) == 1 and bits.hold_sets:
        members = bits.members(Asked(parts.chosen, parts.values[0], frozenset(parts.unsure)), number)
        return f"CASE WHEN {settled} THEN {members} END" if settled else members
    return None


def over_events(agg: Agg, parts: Contribution, inputs: Words, bits: Bits) -> Words:
    """The same where it has columns of its own; ``inputs`` name the columns of what each event says."""
    if not parts.chosen:
        return _by_nobody(agg, parts)
    together = tuple(_OVER_EVENTS[agg.fn].format(name) for name in inputs)
    if parts.unsure:
        settled = f"{bits.some(parts.unsure, 'bit_or({})')} = 0"
        return tuple(f"CASE WHEN {settled} THEN {text} END" for text in together)
    return together


def _by_nobody(agg: Agg, parts: Contribution) -> Words:
    """The same where no event that counts can occur."""
    return (_NOBODY.get(agg.fn, "CAST(NULL AS BIGINT)"),) * len(parts.values)


def of_one_event(agg: Agg, parts: Contribution) -> Words:
    """The same where each event is a row of its own."""
    if not parts.chosen:
        return _by_nobody(agg, parts)
    counts = " OR ".join(_both(kind_is(those), where) for those, where in by_text(parts.chosen))
    if agg.fn == "any":
        return (f"({counts})",)
    texts = tuple(value(parts.chosen, words) for words in parts.values)
    if agg.fn in {"count", "union"}:
        return tuple(f"CASE WHEN {counts} THEN {text} WHEN NOT ({counts}) THEN 0 END" for text in texts)
    return texts
