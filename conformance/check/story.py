"""The story of one violation: what happened by the record, in plain sentences, and why it breaks the rule."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from conformance.check.ordering import to_tell_from
from conformance.check.picture import draw
from conformance.check.scenes import Finder
from conformance.check.steps import sentences_of, steps_of
from conformance.check.times import beginning, since_first
from conformance.check.witness import neighbourhoods, witness_of
from conformance.trace.header import Header
from conformance.trace.open import Parquet, Trace
from conformance.trace.rows import EventRow, Rows
from spec.language.names import Names
from spec.language.outcomes import Violation
from spec.language.rule import Rule
from spec.reports.names import columns_of_key, key_text, key_words, names_of
from spec.reports.report import Witness, known_as, standing_of

WIDTH: Final = 78


@dataclass(frozen=True)
class Story:
    """One violation, told.

    Attributes:
        text: the story for people.
        steps: the events of each step, as the picture numbers them.
        witness: what was expected and seen; None where the row does not break the rule, as far as the record near it
            tells.
        opening: what the case is.
        told: when each step was, and its sentences.
    """

    text: str
    steps: tuple[tuple[EventRow, ...], ...]
    witness: Witness | None
    opening: str
    told: tuple[tuple[str, str], ...]


def explain(trace: Trace, rule: Rule, key: tuple[int, ...]) -> Story:
    """Tell why one row breaks one rule, from the events of the record.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    with to_tell_from(trace) as copy:
        return story_of(copy, str(trace.path), rule, key)


def story_of(copy: Parquet, path: str, rule: Rule, key: tuple[int, ...]) -> Story:
    """The same, from a sorted copy of the trace that is found under this path.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the copy.
    """
    header, violation = copy.header, Violation(rule.id, key)
    near, told = neighbourhoods(copy, {violation: rule})[violation], header.family.story
    scenes = Finder(copy, near).scenes()
    names, witness = names_of(header), witness_of(near, header, Rows(header))
    steps = tuple(steps_of(scenes.events, told))
    opening = _opening(rule, key, names, beginning(scenes.events, header))
    said = [" ".join(sentences) for sentences in sentences_of(steps, scenes, names, told)]
    timed = tuple(zip(since_first(steps), said, strict=True))
    lines = [f"{rule.id}: {'not shown to be violated' if witness is None else 'violated'}", "", *_wrapped(opening)]
    lines += [*_told(timed), "", *draw(steps, names, told), ""]
    lines += [*_because(rule, witness), *_source(rule, header)]
    lines += ["Replay:   " + replay(path, rule, key, names)]
    return Story("\n".join(lines) + "\n", steps, witness, opening, timed)


def replay(path: str, rule: Rule, key: tuple[int, ...], names: Names) -> str:
    """The line to paste that tells the story again."""
    return f"quorate explain {path} --rule {rule.id} --key={key_text(rule.view, key, names)}"


def _opening(rule: Rule, key: tuple[int, ...], names: Names, since: str) -> str:
    columns, position = list(columns_of_key(rule.view).values()), rule.view.sorted_by.position
    plain = ""
    if position.called and position.column in columns:
        plain = f" ({position.spell(*names.parts(key[columns.index(position.column)]))})"
    when = since and f" ({since})"
    return f"Let the case be {key_words(rule.view, key, names)}{plain}. Then, by the record{when}:"


def _told(timed: Iterable[tuple[str, str]]) -> Iterator[str]:
    for number, (time, said) in enumerate(timed, start=1):
        when = time and f"{time}  "
        yield from _wrapped(said, f"{number:>3} {when}", " " * (4 + len(when)))


def _because(rule: Rule, witness: Witness | None) -> Iterator[str]:
    if witness is None:
        yield from _wrapped("The record near this row does not show that the rule is broken here.")
        return
    seen = ", ".join(f"{name} = {value}" for name, value in witness.seen.items())
    yield from _wrapped(f"This breaks the rule: {rule.sentence}", "", "  ")
    yield from _wrapped(f"Demanded: {witness.expected}", "", "          ")
    yield from _wrapped(f"Seen:     {seen}", "", "          ")


def _source(rule: Rule, header: Header) -> Iterator[str]:
    for word, known in {"Source": rule.cite, **known_as(rule)}.items():
        yield from _wrapped(f"{word + ':':9} {known}", "", "          ")
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
