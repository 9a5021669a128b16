"""A cluster of the reference machine in one configuration: the edge, where somebody decides what happens next."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from conformance.segment.configurations import SOUND, Configuration, Defects, Timing
from conformance.segment.histories import Samples
from conformance.segment.operations import Ask, Commit, Iterate, Open, Operation, Put, Read, Write
from conformance.segment.witness import Nobody, Witness
from reference_impl.segment.gateway.machine import Action, Call, Take, enabled, step
from reference_impl.segment.gateway.state import Session, Stores, Wiring, opened_session
from reference_impl.segment.iterator.state import Setting
from reference_impl.segment.writing import Desk, commits, ends, holding, may_hold, writes
from spec.segment.iterator.choices import BY_SAMPLE, Choices
from spec.segment.iterator.commands import Close, Command, Next, SeekFirst
from spec.segment.iterator.positions import visible
from spec.segment.iterator.times import LATEST, TimeRange

NOTHING: Samples = {}


@dataclass
class OpenIterator:
    """An iterator that is open: its session, what was stored by then, and what each of its calls has read so far."""

    number: int
    session: Session
    wiring: Wiring
    stores: Stores
    read: dict[int, dict[str, list[int]]] = field(default_factory=dict)


class Cluster:
    """Nodes that lead channels, and a gateway that is asked.

    Args:
        channels: all channels of the script, in order.
        configuration: how it runs.
        defects: what is wrong with it on purpose.
        seed: what chance decides by.
        choices: the answers to what the document leaves open.
        witness: who looks on.
    """

    def __init__(
        self,
        channels: tuple[str, ...],
        configuration: Configuration,
        defects: Defects = SOUND,
        seed: int = 0,
        choices: Choices = BY_SAMPLE,
        witness: Witness | None = None,
    ) -> None:
        self._witness = witness or Nobody()
        self._opened = 0
        self._choices = choices
        self._configuration, self._defects = configuration, defects
        self._leaders = configuration.placement(channels)
        desk = Desk(grows=configuration.grows, keeps_uncommitted=defects.keeps_uncommitted)
        self._desks = dict.fromkeys(self._leaders.values(), desk)
        self._writers: dict[str, tuple[str, ...]] = {}
        self._iterators: dict[str, OpenIterator] = {}
        self._lot = Random(seed)
        self._puts = 0

    def does(self, operation: Operation) -> tuple[bool, Samples]:
        """Carry out an operation; what it reads may still arrive until the cluster settles."""
        match operation:
            case Put(channel, times):
                return self._put(channel, times), NOTHING
            case Open(writer, channels):
                return self._open(writer, channels), NOTHING
            case Write(writer, channel, times):
                return self._write(writer, channel, times), NOTHING
            case Commit(writer):
                return self._commit(writer), NOTHING
            case Iterate(iterator, channels, bounds, chunk):
                if iterator in self._iterators:
                    return False, NOTHING
                self._iterators[iterator] = self._iterator(channels, bounds, chunk)
                return True, NOTHING
            case Ask(name, command):
                return self._ask(name, command)
            case Read(channels, bounds):
                return self._read(self._iterator(channels, bounds, 1))

    def settles(self) -> None:
        """Let all that is under way arrive."""
        for iterator in self._iterators.values():
            self._run(iterator, until_answered=False)

    def _put(self, channel: str, times: tuple[int, ...]) -> bool:
        self._puts += 1
        writer = f"put {self._puts}"
        if not self._open(writer, (channel,)):
            return False
        ok = self._write(writer, channel, times) and self._commit(writer)
        self._end(writer)
        return ok

    def _open(self, writer: str, channels: tuple[str, ...]) -> bool:
        """Take the lock of every channel at its leaseholder; with one refused, none is kept."""
        if writer in self._writers or not all(may_hold(self._desk(channel), channel) for channel in channels):
            return False
        for channel in channels:
            self._desks[self._leaders[channel]] = holding(self._desk(channel), channel, writer)
        self._writers[writer] = channels
        return True

    def _write(self, writer: str, channel: str, times: tuple[int, ...]) -> bool:
        after = writes(self._desk(channel), channel, writer, times)
        if after is not None:
            self._desks[self._leaders[channel]] = after
        return after is not None

    def _commit(self, writer: str) -> bool:
        if writer not in self._writers:
            return False
        for node, desk in self._desks.items():
            after = commits(desk, writer, self._configuration.cut)
            for channel, store in after.stores.items():
                if store != (before := desk.stores.get(channel, ())):
                    self._witness.stored(node, channel, before, store)
            self._desks[node] = after
        return True

    def _end(self, writer: str) -> None:
        del self._writers[writer]
        for node, desk in self._desks.items():
            self._desks[node] = ends(desk, writer)

    def _ask(self, name: str, command: Command) -> tuple[bool, Samples]:
        if name in self._writers and isinstance(command, Close):
            self._end(name)
            return True, NOTHING
        return self._call(self._iterators[name], command) if name in self._iterators else (False, NOTHING)

    def _read(self, iterator: OpenIterator) -> tuple[bool, Samples]:
        self._call(iterator, SeekFirst())
        answer = self._call(iterator, Next(LATEST))
        self._run(iterator, until_answered=False)
        return answer

    def _iterator(self, channels: tuple[str, ...], bounds: TimeRange, chunk: int) -> OpenIterator:
        setting = Setting(bounds, chunk, self._choices, self._defects.flaws)
        wiring = Wiring(
            setting,
            self._configuration.message_samples,
            acknowledges_first=self._configuration.acknowledges_first,
            merge=self._defects.merge or self._choices.merge,
        )
        leaders = {channel: self._leaders[channel] for channel in channels}
        self._opened += 1
        self._witness.opened(self._opened, leaders, bounds)
        return OpenIterator(self._opened, opened_session(leaders, wiring), wiring, self._stores())

    def _call(self, iterator: OpenIterator, command: Command) -> tuple[bool, Samples]:
        after = step(iterator.session, Call(command), self._visible(iterator), iterator.wiring)
        if after is None:
            raise AssertionError("a call was made while another was under way")
        self._witness.happened(iterator.number, Call(command), iterator.session, after)
        read: dict[str, list[int]] = {}
        if after.number > iterator.session.number:
            iterator.read[after.number] = read
        iterator.session = after
        self._run(iterator, until_answered=self._configuration.timing is Timing.EAGER)
        answer = iterator.session.answer
        if answer is None:
            raise AssertionError(f"{command} never returned")
        return answer.ok, read

    def _run(self, iterator: OpenIterator, *, until_answered: bool) -> None:
        """Let happen what can, in this configuration's order; the caller takes whatever is there."""
        stores = self._visible(iterator)
        while not (until_answered and iterator.session.answer is not None):
            possible = list(enabled(iterator.session, stores, iterator.wiring))
            if not possible:
                return
            action, after = self._chosen(possible)
            if isinstance(action, Take):
                data = iterator.session.output[0]
                iterator.read[data.number].setdefault(data.channel, []).extend(data.times)
            self._witness.happened(iterator.number, action, iterator.session, after)
            iterator.session = after

    def _chosen(self, possible: list[tuple[Action, Session]]) -> tuple[Action, Session]:
        match self._configuration.timing:
            case Timing.RANDOM:
                return self._lot.choice(possible)
            case Timing.FAR_FIRST:
                return possible[-1]
            case _:
                return possible[0]

    def _desk(self, channel: str) -> Desk:
        return self._desks[self._leaders[channel]]

    def _visible(self, iterator: OpenIterator) -> Stores:
        return visible(iterator.stores, self._stores(), self._choices)

    def _stores(self) -> Stores:
        return {node: desk.stores for node, desk in self._desks.items()}
