"""The iterator over stored segments says what the definition says, and with each of its flaws it does not.

`spec.segment.iterator.definition`: what a caller sees is a function of the samples. All scripts of ten commands, of any
length, are tried over all layouts of small sets of samples: the pairs of states of machine and definition are few.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.segment.iterator.flaws import SHIPPED, Flaw
from reference_impl.segment.iterator.machine import step
from reference_impl.segment.iterator.state import Reading, Setting, opened
from reference_impl.segment.storage import Overlap, Store, stored, written
from spec.segment.iterator.choices import (
    BY_SAMPLE,
    BY_SEGMENT,
    Choices,
    ChunkEdge,
    FailedSeek,
    NegativeSpan,
)
from spec.segment.iterator.commands import Close, Command, Error, Next, Prev, SeekFirst, SeekGE, SeekLast
from spec.segment.iterator.definition import Answer
from spec.segment.iterator.times import TimeRange
from tests.support.segment_scripts import COMMANDS, first_difference, laid_out, layouts, subsets

BOUNDS = (TimeRange(0, 9), TimeRange(2, 5))
VARIANTS = {
    "by sample": BY_SAMPLE,
    "by segment": BY_SEGMENT,
    "failed seeks leave it": Choices(failed_seek=FailedSeek.UNMOVED),
    "chunks end with a sample": Choices(chunk_edge=ChunkEdge.LAST_SAMPLE),
    "spans below zero": Choices(),
    "spans below zero go back": Choices(negative_span=NegativeSpan.OPPOSITE),
}
BELOW_ZERO = (*COMMANDS[:2], Next(3), Prev(3), Next(-2), Prev(-2), Next(0), Prev(0))


def agrees_everywhere(times: tuple[int, ...], choices: Choices, commands: tuple[Command, ...] = COMMANDS) -> int:
    """In how many worlds the machine agrees with the definition: in all, or the test fails."""
    worlds = [
        (store, Setting(bounds, chunk, choices))
        for some in subsets(times)
        for store in layouts(some)
        for bounds in BOUNDS
        for chunk in (1, 2)
    ]
    for store, setting in worlds:
        assert (first_difference(store, setting, commands), store, setting) == (None, store, setting)
    return len(worlds)


@pytest.mark.parametrize("name", VARIANTS)
def test_without_flaws_it_says_what_is_defined(name: str) -> None:
    """For every script, layout, range and chunk of a small world, whatever the open questions are answered."""
    commands = BELOW_ZERO if name.startswith("spans") else COMMANDS
    times, worlds = ((0, 2, 4), 56) if name.startswith("by") else ((0, 3), 20)
    assert agrees_everywhere(times, VARIANTS[name], commands) == worlds


@pytest.mark.thorough
@pytest.mark.parametrize("name", VARIANTS)
def test_without_flaws_it_says_what_is_defined_of_more_samples(name: str) -> None:
    """The same with five samples, of which two lie side by side."""
    assert agrees_everywhere((0, 1, 3, 4, 6), VARIANTS[name]) == 488


GAPS = ((1, 3), (6,), (8, 9))
SHOWN = {
    Flaw.LEAVES_UNFINISHED: 4,
    Flaw.STOPS_AT_AN_END: 3,
    Flaw.GIVES_UP_EARLY: 3,
    Flaw.LEAVES_CURSOR_BEHIND: 4,
    Flaw.MISCOUNTS_CHUNKS: 3,
    Flaw.STUMBLES_AT_A_START: 4,
    Flaw.FAILS_OUTSIDE_SEGMENTS: 3,
    Flaw.ENDS_WITH_SEGMENTS: 4,
    Flaw.MOVES_UNPOSITIONED: 2,
    Flaw.SEEKS_OUTSIDE_RANGE: 1,
    Flaw.READS_AGAIN_BELOW_ZERO: 2,
}
"""The flaws that a script shows which neither writes nor meets an error, and how many commands the shortest has."""

STARTS = {Flaw.SEEKS_OUTSIDE_RANGE: 4, Flaw.LEAVES_CURSOR_BEHIND: 1}
"""Where the range must begin for a flaw to show; else it begins before all samples."""


@pytest.mark.parametrize("flaw", SHOWN, ids=lambda flaw: flaw.name.lower())
def test_each_flaw_alone_is_seen(flaw: Flaw) -> None:
    """By a shortest script, on which the machine without it is right."""
    bounds = TimeRange(STARTS.get(flaw, 0), 20)
    script = first_difference(
        laid_out(GAPS), Setting(bounds, 3, BY_SEGMENT, frozenset({flaw})), (*COMMANDS, Next(-2), Prev(-2))
    )
    assert script is not None
    assert len(script) == SHOWN[flaw], script


def said(
    commands: list[Command], store: Store, *flaws: Flaw, chunk: int = 2, grown: Store | None = None
) -> list[Answer]:
    """What the commands of a script answer; before the last one the store may become another."""
    setting = Setting(TimeRange(0, 20), chunk, BY_SEGMENT, frozenset(flaws))
    reading: Reading = opened(setting)
    answers = []
    for number, command in enumerate(commands):
        now = grown if grown is not None and number == len(commands) - 1 else store
        reading, answer = step(reading, command, now, setting)
        answers.append(answer)
    return answers


FALSE = Answer(ok=False)
RUN_OUT: list[Command] = [SeekFirst(), Next(20), SeekLast(), Next()]


@pytest.mark.parametrize(
    ("flaw", "then", "right", "wrong"),
    [
        (Flaw.GOES_ON_AFTER_ERROR, SeekFirst(), False, True),
        (Flaw.CLOSE_FORGETS_ERROR, Close(), False, True),
    ],
)
def test_flaws_after_an_error(flaw: Flaw, then: Command, *, right: bool, wrong: bool) -> None:
    """Error Handling: every error is fatal, and Close tells it."""
    store = laid_out(GAPS)
    ends = [said([*RUN_OUT, then], store, Flaw.FAILS_OUTSIDE_SEGMENTS, *more)[-1].ok for more in ((), (flaw,))]
    assert ends == [right, wrong]


def test_the_old_value_after_an_error() -> None:
    """A call that fails reads nothing."""
    script: list[Command] = [SeekFirst(), Next(5), Next()]
    failing = (Flaw.FAILS_OUTSIDE_SEGMENTS,)
    assert said(script, laid_out(((1, 3), (8, 9))), *failing)[-1] == FALSE
    assert said(script, laid_out(((1, 3), (8, 9))), *failing, Flaw.KEEPS_OLD_VALUE)[-1].samples == (1, 3)


def test_what_is_written_while_it_is_open() -> None:
    """A live view: each sample once, whether its segment is new, grown, or before the one that is read."""
    store = laid_out(((5,), (8,)))
    earlier, grown = stored(store, written(1, (1,), (1,))), stored(store, written(8, (8, 9), (8, 9)))
    on: list[Command] = [SeekFirst(), Next(2), Next(5)]
    assert said(on, store, grown=earlier)[-1].samples == (8,)
    assert said(on, store, Flaw.COUNTS_SEGMENTS, grown=earlier)[-1].samples == (8, 8)
    assert said([SeekGE(8), Next(1), Next(5)], store, grown=grown)[-1].samples == (9,)
    assert said([SeekGE(8), Next(1), Next(5)], store, Flaw.KEEPS_OLD_COPY, grown=grown)[-1].samples == ()


def test_time_zero_is_a_time_like_others() -> None:
    """A chunk back reads the sample at time 0 once, and an iterator at no segment fails nowhere."""
    back: list[Command] = [SeekLast(), Prev(), Prev(), Prev(), Prev()]
    store = laid_out(((0, 2, 4),))
    assert [answer.samples for answer in said(back, store)[1:]] == [(2, 4), (0,), (), ()]
    wrong = said(back, store, Flaw.STOPS_AT_TIME_ONE)
    assert [answer.samples for answer in wrong[1:]] != [(2, 4), (0,), (), ()]
    nowhere = (Flaw.MOVES_UNPOSITIONED, Flaw.FAILS_AT_TIME_ZERO)
    failed: list[Command] = [SeekFirst(), Next(5), Error()]
    assert said(failed, (), nowhere[0])[-1].error is None
    assert said(failed, (), *nowhere)[-1].error == "discontinuous"


def test_segments_never_overlap() -> None:
    """What was stored first stays: Synnax, Segment distribution, Channels."""
    with pytest.raises(Overlap, match="write where nothing is stored"):
        stored(laid_out(((1, 3),)), written(2, (2,), (2,)))
    assert replace(written(1, (), ()), values=()).range == TimeRange(1, 1)
    assert frozenset(SHOWN) < SHIPPED
