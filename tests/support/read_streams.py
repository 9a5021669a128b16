"""A read stream for tests: fed by hand, in the ESNs of epoch 1 unless they say otherwise, and asked what it did."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from reference_impl.log.lsn import epoch_of, esn_of, lsn_of
from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.inputs import GapReason
from reference_impl.log.stream.machine import step, stream_of
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.surroundings import (
    EPOCH_LAST,
    LSN_MAX,
    LogAttributes,
    Metadata,
    Options,
    Settings,
    ShardLocation,
    Source,
    Surroundings,
)
from reference_impl.log.stream.timers import Timer

Output = TypeVar("Output")

BRIDGE, HOLE, DATALOSS, TRIM = (
    outputs.GapKind.BRIDGE,
    outputs.GapKind.HOLE,
    outputs.GapKind.DATALOSS,
    outputs.GapKind.TRIM,
)


def e(esn: int, epoch: int = 1) -> int:
    """The LSN of an ESN."""
    return lsn_of(epoch, esn)


class Reading:
    """One stream over some shards, numbered from 0, and what it did that was not asked about yet."""

    def __init__(
        self,
        shards: int = 4,
        factors: Mapping[str, int] = MappingProxyType({"node": 2}),
        log: LogAttributes = LogAttributes(1),  # noqa: B008 - it cannot be changed, nor can the other defaults
        places: Mapping[int, ShardLocation] = MappingProxyType({}),
        settings: Settings = Settings(),  # noqa: B008
        **options: Any,
    ) -> None:
        self.log, self.factors = log, factors
        asked = {"start": e(1), "until": LSN_MAX, "capacity": 10, "threshold": 0.5} | options
        around = Surroundings(frozenset(range(shards)), places, log, settings)
        self.stream = stream_of(Options(**asked), around)
        self.did: list[Any] = []

    def tell(self, *messages: inputs.Input) -> Reading:
        """Tell the stream something."""
        for message in messages:
            self.stream, done = step(self.stream, message)
            self.did += done
        return self

    def started(self, connection: Connection = Connection.READING) -> Reading:
        """Start, with all shards of the cluster for all epochs, and all connections in a state."""
        self.tell(inputs.Start())
        self.learn(self.stream.epoch, EPOCH_LAST, *self.stream.around.shards)
        self.tell(*(inputs.ConnectionSet(shard, connection) for shard in self.stream.senders))
        self.did.clear()
        return self

    def learn(
        self, epoch: int, until: int, *shards: int, since: int | None = None, source: Source = Source.LAST
    ) -> Reading:
        """Tell the metadata of an epoch."""
        metadata = Metadata(epoch if since is None else since, frozenset(shards), self.factors)
        return self.tell(inputs.EpochMetadata(epoch, until, metadata, source))

    def record(self, shard: int, *esns: int, epoch: int = 1, **flags: bool) -> Reading:
        """A shard sends records."""
        return self.tell(*(inputs.Record(shard, e(esn, epoch), **flags) for esn in esns))

    def gap(self, shard: int, first: int, upto: int, reason: GapReason = GapReason.NO_RECORDS) -> Reading:
        """A shard sends a gap from one ESN of epoch 1 to another."""
        return self.tell(inputs.Gap(shard, e(first), e(upto), reason))

    def answer(self, version: int, *shards: int, status: str = "OK") -> Reading:
        """Shards answer START."""
        return self.tell(*(inputs.Started(shard, version, status) for shard in shards))

    def fire(self, timer: Timer, shard: int = -1) -> Reading:
        """A timer fires."""
        return self.tell(inputs.Fired(timer, shard))

    def rewind(self) -> Reading:
        """The rewind that is due happens, and every shard answers."""
        assert self.stream.rewinding
        self.fire(Timer.REWIND)
        return self.answer(self.stream.version, *self.stream.senders)

    def said(self, kind: type[Output]) -> list[Output]:
        """What it did of one kind, in order; it will not be told again."""
        found = [one for one in self.did if isinstance(one, kind)]
        self.did = [one for one in self.did if not isinstance(one, kind)]
        return found

    def given(self) -> list[Any]:
        """What the application was given: a record as its ESN, a gap as its kind and ESNs; other epochs as pairs."""
        found: list[Any] = []
        for one in self.said(object):
            if isinstance(one, outputs.Delivered):
                found.append(_short(one.lsn))
            elif isinstance(one, outputs.GapDelivered):
                found.append((one.kind, _short(one.first), _short(one.upto)))
            else:
                self.did.append(one)
        return found


def _short(lsn: int) -> Any:
    return esn_of(lsn) if epoch_of(lsn) == 1 else (epoch_of(lsn), esn_of(lsn))
