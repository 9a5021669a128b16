"""The iterator of several channels of one node: each has a view of its own, and a call moves all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from reference_impl.segment.iterator.flaws import Flaw
from reference_impl.segment.iterator.machine import step
from reference_impl.segment.iterator.state import Reading, Series, Setting, bounded_anew, opened
from reference_impl.segment.storage import Store
from spec.segment.iterator.choices import Merge
from spec.segment.iterator.commands import Close, Command, Error, Next, Prev, Valid
from spec.segment.iterator.definition import Answer, merged

Frame = Mapping[str, tuple[Series, ...]]
"""What was read, by channel."""


@dataclass(frozen=True)
class Readings:
    """The state of an iterator of several channels.

    Attributes:
        of: the state of each channel's iterator, by channel.
        frame: what the last call read.
    """

    of: Mapping[str, Reading]
    frame: Frame


def opened_all(channels: tuple[str, ...], setting: Setting) -> Readings:
    """An iterator of these channels that was just opened."""
    return Readings({channel: opened(setting) for channel in channels}, {})


def bounded_anew_all(readings: Readings, setting: Setting) -> Readings:
    """The iterator after its range was set."""
    return Readings({channel: bounded_anew(one, setting) for channel, one in readings.of.items()}, {})


def step_all(
    readings: Readings, command: Command, stores: Mapping[str, Store], setting: Setting
) -> tuple[Readings, Answer]:
    """The iterator after a command, and what it answered: the times are those of all channels, one after the other.

    A channel that read nothing, or met an error, has no part in the frame.
    """
    steps = {channel: step(one, command, stores.get(channel, ()), setting) for channel, one in readings.of.items()}
    after = Readings({channel: one for channel, (one, _) in steps.items()}, {})
    answers = {channel: answer for channel, (_, answer) in steps.items()}
    if isinstance(command, Next | Prev):
        frame = {channel: after.of[channel].frame for channel, answer in answers.items() if answer.ok}
        after = replace(after, frame=frame)
    elif isinstance(command, Valid | Error | Close) and Flaw.ASKING_DROPS_VALUE not in setting.flaws:
        after = replace(after, frame=readings.frame)
    return after, _together(list(answers.values()), command, setting)


def _together(answers: list[Answer], command: Command, setting: Setting) -> Answer:
    """One answer of all channels: the first error that any has met is told."""
    rule = Merge.ANY if Flaw.ANSWERS_FOR_ANY in setting.flaws else setting.choices.merge
    acks = [answer.ok for answer in answers]
    ok = all(acks) if isinstance(command, Error | Close) else merged(acks, rule)
    error = next((answer.error for answer in answers if answer.error is not None), None)
    return Answer(ok, tuple(time for answer in answers for time in answer.samples), error)
