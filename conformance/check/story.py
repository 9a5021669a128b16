"""The story of one violation: what happened by the record, in plain sentences, and why it breaks the rule."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.check.ordering import ordered
from conformance.check.picture import draw
from conformance.check.plain import by_time, has_sentences, sentence
from conformance.check.scenes import Scenes, scenes_of
from conformance.check.sentences import befell, given, lsn, node_set, outcome, stored, tell
from conformance.check.times import beginning, since_first
from conformance.check.witness import neighbourhoods, witness_of
from conformance.trace.header import Header
from conformance.trace.open import Parquet, Trace
from conformance.trace.rows import EventRow
from spec.events import RECORD, Deliver, Erase, Fault, Seal, Ship, Store
from spec.language.outcomes import Violation
from spec.language.rule import Rule
from spec.reports.names import Names, columns_of_key, key_text, key_words, names_of
from spec.reports.report import Witness, standing_of

WIDTH: Final = 78


@dataclass(frozen=True)
class Story:
    """One violation, told.

    Attributes:
        text: the story for people.
        steps: the events of each step, as the picture numbers them.
        witness: what was expected and seen; None where the row does not break the rule, as far as the record near it
            tells.
    """

    text: str
    steps: tuple[tuple[EventRow, ...], ...]
    witness: Witness | None


def explain(trace: Trace, rule: Rule, key: tuple[int, ...]) -> Story:
    """Tell why one row breaks one rule, from the events of the record.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    with ordered(trace) as copy:
        return story_of(copy, str(trace.path), rule, key)


def story_of(copy: Parquet, path: str, rule: Rule, key: tuple[int, ...]) -> Story:
    """The same, from a sorted copy of the trace that is found under this path.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the copy.
    """
    header = copy.header
    if not has_sentences(header):
        return _in_plain_words(copy, path, rule, key)
    scenes = scenes_of(copy, rule, Violation(rule.id, key))
    names, witness = names_of(header), witness_of(scenes.near, header)
    steps = tuple(steps_of(scenes.events))
    lines = [*_opening(rule, key, names, witness, beginning(scenes.events, header))]
    lines += [*_told(steps, scenes, names), "", *draw(steps, names), ""]
    lines += [*_because(rule, witness), *_source(rule, header)]
    lines += ["Replay:   " + replay(path, rule, key, names)]
    return Story("\n".join(lines) + "\n", steps, witness)


def _in_plain_words(copy: Parquet, path: str, rule: Rule, key: tuple[int, ...]) -> Story:
    """The same of a family whose events have no sentences of their own: each is one step, and there is no picture."""
    violation, header = Violation(rule.id, key), copy.header
    near = neighbourhoods(copy, {violation: rule})[violation]
    names, witness = names_of(header), witness_of(near, header)
    events = by_time(near.events, header)
    lines = [*_opening(rule, key, names, witness, beginning(events, header))]
    for number, event in enumerate(events, start=1):
        lines += _wrapped(sentence(event, header), f"{number:>3} ", "    ")
    lines += ["", *_because(rule, witness), *_source(rule, header)]
    lines += ["Replay:   " + replay(path, rule, key, names)]
    return Story("\n".join(lines) + "\n", tuple((event,) for event in events), witness)


def replay(path: str, rule: Rule, key: tuple[int, ...], names: Names) -> str:
    """The line to paste that tells the story again."""
    return f"quorate explain {path} --rule {rule.id} --key={key_text(rule.view, key, names)}"


def steps_of(events: Sequence[EventRow]) -> Iterator[tuple[EventRow, ...]]:
    """Events that several nodes did alike, one after the other, are one step."""
    step: list[EventRow] = []
    for event in events:
        if step and _alike(step[-1], event):
            step.append(event)
            continue
        if step:
            yield tuple(step)
        step = [event]
    if step:
        yield tuple(step)


def _alike(one: EventRow, other: EventRow) -> bool:
    if one["kind"] != other["kind"] or one["kind"] not in {Store.kind, Erase.kind, Seal.kind, Fault.kind}:
        return False
    names = ("arg",) if one["kind"] == Fault.kind else ("log", "epoch", "esn", "digest", "arg_b", "version")
    return all(one.get(name) == other.get(name) for name in names)


def _opening(rule: Rule, key: tuple[int, ...], names: Names, witness: Witness | None, since: str) -> Iterator[str]:
    yield f"{rule.id}: {'not shown to be violated' if witness is None else 'violated'}"
    yield ""
    columns = list(columns_of_key(rule.view).values())
    plain = ""
    if "lsn" in columns:
        lsn = key[columns.index("lsn")]
        plain = f" (epoch {lsn >> names.esn_bits}, number {lsn & (1 << names.esn_bits) - 1})"
    when = since and f" ({since})"
    yield from _wrapped(f"Let the case be {key_words(rule.view, key, names)}{plain}. Then, by the record{when}:")


def _told(steps: Sequence[tuple[EventRow, ...]], scenes: Scenes, names: Names) -> Iterator[str]:
    for number, (step, time) in enumerate(zip(steps, since_first(steps), strict=True), start=1):
        said = _sentences(step, steps[: number - 1], scenes, names)
        when = time and f"{time}  "
        yield from _wrapped(" ".join(said), f"{number:>3} {when}", " " * (4 + len(when)))


def _sentences(
    step: tuple[EventRow, ...], earlier: Sequence[tuple[EventRow, ...]], scenes: Scenes, names: Names
) -> Iterator[str]:
    """What one step says, and what of it matters beyond the event itself."""
    first = step[0]
    if first["kind"] == Store.kind:
        yield from _stored(step, earlier, scenes, names)
    elif first["kind"] == Deliver.kind:
        yield given(first, names, _senders(first, earlier, names))
    elif first["kind"] == Erase.kind and len(step) > 1:
        yield f"{node_set(_nodes(step), names)} erased their copies of {lsn(first)}."
    elif first["kind"] == Fault.kind and len(step) > 1:
        yield f"{node_set(_nodes(step), names)} {befell(first).replace('was ', 'were ')}."
    elif first["kind"] == Seal.kind and len(step) > 1:
        yield f"{node_set(_nodes(step), names)} promised to take nothing more of epoch {first['epoch']} and before."
    else:
        yield tell(first, names)


def _stored(
    step: tuple[EventRow, ...], earlier: Sequence[tuple[EventRow, ...]], scenes: Scenes, names: Names
) -> Iterator[str]:
    """Who stored a copy; whether it is the only one; and whether it stands in another record's place."""
    first, place = step[0], (step[0]["epoch"], step[0]["esn"])
    who = node_set(_nodes(step), names)
    if place in scenes.focus and len(_holders(scenes, place)) == 1:
        yield f"{who} alone stored {outcome(first)} at {lsn(first)}: no other copy was recorded."
    elif len(step) > 1:
        yield stored(who, first)
    else:
        yield tell(first, names)
    stores = [one for before in earlier for one in before if one["kind"] == Store.kind]
    seen = any((one["epoch"], one["esn"]) == place for one in stores)
    if place not in scenes.rivals or seen:
        return
    for taken in sorted(one for one in scenes.focus if one[1] == place[1]):
        there = f"e{taken[0]}n{taken[1]}"
        yield f"That is the number of {there}, in a later epoch."
        lone = _holders(scenes, taken)
        if len(lone) == 1 and not lone & _nodes(step) and not _fault_of(lone, earlier):
            yield f"{node_set(lone, names)}, the only node that had {there}, took no part."


def _senders(delivery: EventRow, earlier: Sequence[tuple[EventRow, ...]], names: Names) -> str:
    """The nodes that were seen to send a reader what it was given; empty if none was."""
    same = ("log", "epoch", "esn", "actor", "digest")
    sent = frozenset(
        event["node"]
        for step in earlier
        for event in step
        if event["kind"] == Ship.kind
        and event["arg_b"] == RECORD
        and all(event[name] == delivery[name] for name in same)
    )
    return node_set(sent, names) if sent else ""


def _nodes(step: Sequence[EventRow]) -> frozenset[int]:
    return frozenset(event["node"] for event in step)


def _holders(scenes: Scenes, place: tuple[int, int]) -> frozenset[int]:
    """The nodes that stored a copy at an LSN, as far as they are known."""
    stores = (event for event in scenes.events if event["kind"] == Store.kind)
    here = [event["node"] for event in stores if (event["epoch"], event["esn"]) == place]
    return frozenset(node for node in here if node is not None)


def _fault_of(nodes: frozenset[int], steps: Sequence[tuple[EventRow, ...]]) -> bool:
    return any(event["kind"] == Fault.kind and event["node"] in nodes for step in steps for event in step)


def _because(rule: Rule, witness: Witness | None) -> Iterator[str]:
    if witness is None:
        yield from _wrapped("The record near this row does not show that the rule is broken here.")
        return
    seen = ", ".join(f"{name} = {value}" for name, value in witness.seen.items())
    yield from _wrapped(f"This breaks the rule: {rule.sentence}", "", "  ")
    yield from _wrapped(f"Demanded: {witness.expected}", "", "          ")
    yield from _wrapped(f"Seen:     {seen}", "", "          ")


def _source(rule: Rule, header: Header) -> Iterator[str]:
    yield from _wrapped(f"Source:   {rule.cite}", "", "          ")
    for word, standing in standing_of(rule, header.promises).items():
        yield from _wrapped(f"{word}: {standing}", "", "          ")


def _wrapped(text: str, first: str = "", rest: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
