"""Synnax behind the suite of segment layers: channels on a cluster that the user runs, asked through its Python client.

    quorate metamorphic --command "python -m quorate.systems.synnax --host localhost --port 9090"

It has not been tried on a server: no registry carries one, so here it is held to a small client of the same shape. What
it calls is what the client of release 0.49 has. That needs Python 3.12: ``pip install 'quorate[synnax]'``.

A channel of a script is an index channel of the cluster, whose samples are their own time stamps, made anew for each
script and deleted with it. A writer of some channels is one writer of the cluster for each, since such a writer has one
start for all its channels. Writes are not acknowledged, so one that is refused may be told by the next commit.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import count, cycle
from typing import Any, Final
from uuid import uuid4

from conformance.segment.histories import Samples
from conformance.segment.operations import Ask, Commit, Iterate, Open, Operation, Put, Read, Write
from quorate.adapters.errors import AdapterFailed, AdapterUnavailable
from quorate.adapters.serving import answers
from spec.segment.iterator.commands import Close, Command, Next, Prev, SeekFirst, SeekGE, SeekLast, SeekLE
from spec.verdicts import ExitCode

NOTHING: Final[Samples] = {}

EPOCH_NS: Final = 1_000_000_000_000_000_000
"""Where the times of scripts begin on the cluster: those of most scripts are small, and of real samples none is."""

REFUSALS: Final = ("ValidationError", "ControlError", "QueryError")
"""The client's errors by which a cluster refuses what it is asked; any other is a failure of the cluster."""

CLOSED: Final = "WriterClosed"
"""What the client says of a writer that the cluster has closed; it is no `Exception` there."""

PASSWORD: Final = "QUORATE_SYNNAX_PASSWORD"  # noqa: S105 - the name of a variable
"""The variable of the environment that has the password, if it is not the one of a new cluster."""


def library() -> Any:
    """The client library.

    Raises:
        AdapterUnavailable: it is not installed, or not for this Python.
    """
    try:
        return importlib.import_module("synnax")
    except (ImportError, SyntaxError) as error:
        advice = "Python 3.12 or newer, and pip install 'quorate[synnax]'"
        raise AdapterUnavailable("the module synnax", f"it cannot be imported: {error}", advice, "synnax") from error


class SynnaxChannels:
    """The channels of one script on a cluster.

    Args:
        synnax: the client library.
        client: a connection to the gateway that is asked.
        channels: the channels of the script.
        leaseholders: the nodes that lead them, by turns; 0 is the gateway.
    """

    def __init__(self, synnax: Any, client: Any, channels: Sequence[str], leaseholders: Sequence[int] = (0,)) -> None:
        self._synnax, self._client = synnax, client
        self._refusals = tuple(getattr(synnax, name) for name in REFUSALS)
        self._writers: dict[str, dict[str, Any]] = {}
        self._iterators: dict[str, tuple[Any, tuple[str, ...]]] = {}
        self._last_ns, self._waiting_ns = dict.fromkeys(channels, -1), dict.fromkeys(channels, -1)
        self._puts = count(1)
        stem, leads = uuid4().hex[:12], cycle(leaseholders)
        self._keys = {channel: self._created(f"quorate_{stem}_{channel}", next(leads)) for channel in channels}

    def does(self, operation: Operation) -> tuple[bool, Samples]:
        """Carry out an operation.

        Raises:
            AdapterFailed: the cluster cannot be asked.
        """
        match operation:
            case Put(channel, times):
                return self._put(channel, times), NOTHING
            case Open(writer, channels):
                return self._open(writer, channels), NOTHING
            case Write(writer, channel, times):
                return self._write(writer, channel, times), NOTHING
            case Commit(writer):
                return self._commit(writer), NOTHING
            case Iterate(iterator, channels, (start, end), chunk):
                return self._iterate(iterator, channels, (start, end), chunk), NOTHING
            case Ask(name, Close()):
                return self._close(name), NOTHING
            case Ask(name, command):
                return self._ask(name, command)
            case Read(channels, (start, end)):
                return self._read(channels, (start, end))

    def settles(self) -> None:
        """Every answer was whole: a call returns with all that it reads."""

    def end(self) -> None:
        """Close what is open, and delete the channels."""
        for name in (*self._writers, *self._iterators):
            self._close(name)
        self._allowed(lambda: self._client.channels.delete(list(self._keys.values())))

    def _created(self, name: str, leaseholder: int) -> int:
        kind = self._synnax.DataType.TIMESTAMP
        ok, made = self._allowed(
            lambda: self._client.channels.create(name=name, data_type=kind, is_index=True, leaseholder=leaseholder)
        )
        if not ok:
            what, why = f"channel {name} on node {leaseholder}", f"the cluster refuses to create it: {made}"
            raise AdapterFailed(what, why, "nodes that the cluster has, and room for channels", "synnax")
        return int(made.key)

    def _put(self, channel: str, times: tuple[int, ...]) -> bool:
        writer = f"put {next(self._puts)}"
        if not self._open(writer, (channel,)):
            return False
        done = self._write(writer, channel, times) and self._commit(writer)
        return self._close(writer) and done

    def _open(self, writer: str, channels: tuple[str, ...]) -> bool:
        """Open a writer of each channel, behind its last sample; with one refused, none stays open."""
        if writer in self._writers:
            return False
        self._writers[writer] = {}
        for channel in channels:
            ok, opened = self._writer_of(channel)
            if not ok:
                self._close(writer)
                return False
            self._writers[writer][channel] = opened
        return True

    def _writer_of(self, channel: str) -> tuple[bool, Any]:
        start, keys = self._stamp(self._last_ns[channel] + 1), [self._keys[channel]]
        rules = {"mode": "persist", "err_on_unauthorized": True, "enable_auto_commit": False}
        return self._allowed(lambda: self._client.open_writer(start, keys, **rules))

    def _write(self, writer: str, channel: str, times: tuple[int, ...]) -> bool:
        opened = self._writers.get(writer, {}).get(channel)
        if opened is None:
            return False
        stamps = [self._stamp(time) for time in times]
        ok, _ = self._allowed(lambda: opened.write(self._keys[channel], stamps))
        self._waiting_ns[channel] = times[-1] if ok else self._waiting_ns[channel]
        return ok

    def _commit(self, writer: str) -> bool:
        if writer not in self._writers:
            return False
        done = True
        for channel, opened in self._writers[writer].items():
            ok, _ = self._allowed(opened.commit)
            self._last_ns[channel] = self._waiting_ns[channel] if ok else self._last_ns[channel]
            done = done and ok
        return done

    def _iterate(self, iterator: str, channels: tuple[str, ...], bounds: tuple[int, int], chunk: int) -> bool:
        if iterator in self._iterators:
            return False
        ok, opened = self._opened(channels, bounds, chunk)
        if ok:
            self._iterators[iterator] = opened, channels
        return ok

    def _opened(self, channels: tuple[str, ...], bounds: tuple[int, int], chunk: int) -> tuple[bool, Any]:
        span = self._synnax.TimeRange(*map(self._stamp, bounds))
        keys = [self._keys[channel] for channel in channels]
        return self._allowed(lambda: self._client.open_iterator(span, keys, chunk_size=chunk))

    def _ask(self, name: str, command: Command) -> tuple[bool, Samples]:
        """Call an iterator; what is closed the client lets nobody call."""
        if name not in self._iterators:
            return False, NOTHING
        opened, channels = self._iterators[name]
        ok, answer = self._allowed(lambda: self._answer(opened, command))
        if not ok or not isinstance(command, Next | Prev):
            return ok and bool(answer), NOTHING
        return bool(answer), self._value(opened, channels)

    def _answer(self, opened: Any, command: Command) -> Any:
        match command:
            case SeekFirst():
                return opened.seek_first()
            case SeekLast():
                return opened.seek_last()
            case SeekGE(time):
                return opened.seek_ge(self._stamp(time))
            case SeekLE(time):
                return opened.seek_le(self._stamp(time))
            case Next(span):
                return opened.next(self._span(span))
            case Prev(span):
                return opened.prev(self._span(span))
            case _:
                return opened.valid()

    def _read(self, channels: tuple[str, ...], bounds: tuple[int, int]) -> tuple[bool, Samples]:
        ok, opened = self._opened(channels, bounds, 1)
        if not ok:
            return False, NOTHING
        self._allowed(opened.seek_first)
        ok, answer = self._allowed(lambda: opened.next(self._span(bounds[1] - bounds[0])))
        read = self._value(opened, channels) if ok else NOTHING
        self._allowed(opened.close)
        return ok and bool(answer), read

    def _close(self, name: str) -> bool:
        """End a writer or an iterator; an error that it has met is told by its end."""
        if name in self._writers:
            writers = self._writers.pop(name)
            self._waiting_ns |= {channel: self._last_ns[channel] for channel in writers}
            closed = [self._allowed(one.close)[0] for one in writers.values()]
            return all(closed)
        if name in self._iterators:
            opened, _ = self._iterators.pop(name)
            return self._allowed(opened.close)[0]
        return False

    def _value(self, opened: Any, channels: tuple[str, ...]) -> Mapping[str, Sequence[int]]:
        frame = opened.value
        series = {channel: frame.get(self._keys[channel]) for channel in channels}
        return {channel: [int(one) - EPOCH_NS for one in some] for channel, some in series.items() if some is not None}

    def _stamp(self, time_ns: int) -> Any:
        return self._synnax.TimeStamp(EPOCH_NS + time_ns)

    def _span(self, span_ns: int | None) -> Any:
        return self._synnax.AUTO_SPAN if span_ns is None else self._synnax.TimeSpan(span_ns)

    def _allowed(self, act: Callable[[], Any]) -> tuple[bool, Any]:
        """What the cluster gives, unless it refuses; then its reason.

        Raises:
            AdapterFailed: it does neither.
        """
        try:
            return True, act()
        except self._refusals as refused:
            return False, refused
        except BaseException as error:
            if type(error).__name__ == CLOSED:
                return False, error
            if not isinstance(error, Exception):
                raise
            what, advice = "the cluster cannot be asked", "whether it runs, at the client's version"
            raise AdapterFailed(what, f"{type(error).__name__}: {error}", advice, "synnax") from error


class Scripts:
    """Makes the channels of one script after the other, and deletes those of the one before.

    Args:
        synnax: the client library.
        client: a connection.
        leaseholders: the nodes that lead channels, by turns.
    """

    def __init__(self, synnax: Any, client: Any, leaseholders: Sequence[int] = (0,)) -> None:
        self._synnax, self._client, self._leaseholders = synnax, client, leaseholders
        self._now: SynnaxChannels | None = None

    def __call__(self, channels: Sequence[str]) -> SynnaxChannels:
        """The channels of the next script."""
        self.end()
        self._now = SynnaxChannels(self._synnax, self._client, channels, self._leaseholders)
        return self._now

    def end(self) -> None:
        """Delete the channels of the last script."""
        if self._now is not None:
            self._now.end()
        self._now = None


def connected(synnax: Any, asked: argparse.Namespace) -> Any:
    """A connection to a gateway.

    Raises:
        AdapterUnavailable: none is there, or it lets nobody in.
    """
    password = os.environ.get(PASSWORD, "seldon")
    try:
        return synnax.Synnax(asked.host, asked.port, asked.username, password, secure=asked.secure)
    except Exception as error:
        what, why = f"{asked.host}:{asked.port}", f"nobody answers there: {type(error).__name__}: {error}"
        advice = f"start a cluster there, and set {PASSWORD}"
        raise AdapterUnavailable(what, why, advice, "synnax") from error


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="quorate.systems.synnax", description="Answer for a Synnax cluster.")
    options.add_argument("--host", default="localhost", help="the gateway (localhost)")
    options.add_argument("--port", type=int, default=9090, metavar="N", help="its port (9090)")
    options.add_argument("--username", default="synnax", metavar="NAME", help=f"who asks; {PASSWORD} has the password")
    options.add_argument("--secure", action="store_true", help="by TLS")
    options.add_argument(
        "--leaseholders", type=int, nargs="+", default=[0], metavar="NODE", help="lead channels by turns (the gateway)"
    )
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Answer questions on standard input, until it ends."""
    asked = parser().parse_args(words)
    try:
        synnax = library()
        scripts = Scripts(synnax, connected(synnax, asked), asked.leaseholders)
    except AdapterUnavailable as missing:
        print(missing, file=sys.stderr)
        return ExitCode.UNKNOWN
    for line in answers(f"synnax at {asked.host}:{asked.port}", scripts, sys.stdin):
        print(line, flush=True)
    scripts.end()
    return ExitCode.HOLDS


if __name__ == "__main__":
    sys.exit(main())
