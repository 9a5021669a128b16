"""The state of a script: its stream, what the stream did that nobody asked about yet, and the names of shards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from conformance.vectors.fields import Fields
from conformance.vectors.shards import replication_of
from conformance.vectors.stream_scripts.values import attributes, options, settings_of
from reference_impl.log.stream.inputs import EpochMetadata, Input
from reference_impl.log.stream.machine import step, stream_of
from reference_impl.log.stream.outputs import AskMetadata, Output
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import EPOCH_LAST, Metadata, Settings, ShardLocation, Source, Surroundings

ANSWERS_MAX: Final = 100
"""One input makes a stream ask for no more epochs than that, one after the other: the answers hold for all epochs."""


class Unending(Exception):
    """A stream asks for the metadata of an epoch without end."""


@dataclass(frozen=True)
class Script:
    """Where a script stands.

    Attributes:
        stream: the read stream.
        names: the number of each shard that was named so far.
        did: what the stream did that no expectation has asked for yet.
        replication: copies by scope, where the script leaves the answers about epochs to its surroundings.
        answers: whether it does.
        changes: what ``change_log_config`` said since the last ``update_config``.
    """

    stream: Stream
    names: Mapping[str, int]
    replication: Mapping[str, int]
    answers: bool
    did: tuple[Output, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)

    def receive(self, message: Input, answered: int = 0) -> Script:
        """The stream is told something; where the script leaves that to its surroundings, epochs are answered for.

        Raises:
            Unending: the answers, which are always the same, make it ask again and again.
        """
        if answered > ANSWERS_MAX:
            raise Unending
        stream, outputs = step(self.stream, message)
        script = replace(self, stream=stream)
        if not self.answers:
            return replace(script, did=(*script.did, *outputs))
        script = replace(script, did=(*script.did, *(one for one in outputs if not isinstance(one, AskMetadata))))
        for asked in outputs:
            if isinstance(asked, AskMetadata):
                metadata = Metadata(1, stream.around.shards, self.replication)
                script = script.receive(EpochMetadata(asked.epoch, EPOCH_LAST, metadata, Source.LAST), answered + 1)
        return script

    def name(self, shard: int) -> str:
        """The name of a shard."""
        return next(name for name, number in self.names.items() if number == shard)

    def shard(self, entry: Fields, name: str) -> tuple[Script, int]:
        """The number of the shard that a part of a step names, which may be named for the first time.

        Raises:
            DamagedVectors: it has no name.
        """
        shard = entry.text(name)
        names = {**self.names, shard: self.names.get(shard, len(self.names))}
        return replace(self, names=names), names[shard]

    def shards(self, entry: Fields, name: str) -> tuple[Script, list[int]]:
        """The numbers of some shards, or of one; ``all`` are those of the read set.

        Raises:
            DamagedVectors: they have no names.
        """
        if entry.raw(name) == "all":
            return self, sorted(self.stream.senders)
        if isinstance(entry.raw(name), str):
            script, shard = self.shard(entry, name)
            return script, [shard]
        script, found, listed = self, [], entry.members(name)
        for place in listed:
            script, shard = script.shard(listed, place)
            found.append(shard)
        return script, found


def begun(config: Fields) -> Script:
    """A script before its first step.

    Raises:
        DamagedVectors: the configuration lacks something, or has something that cannot be.
    """
    shards, locations = config.every("shards", Fields.text), _locations(config)
    names = {name: number for number, name in enumerate(dict.fromkeys([*shards, *locations]))}
    places = {number: _place(name, locations) for name, number in names.items()}
    around = Surroundings(
        frozenset(names[name] for name in shards),
        places,
        attributes(config),
        settings_of(config.below("settings", {}), Settings()),
    )
    answers = config.flag("default_epoch_metadata")
    return Script(stream_of(options(config), around), names, replication_of(config), answers)


def _place(name: str, locations: Mapping[str, str]) -> ShardLocation:
    """Where a shard such as N1 or N1:S0 is: on its node."""
    node = name.partition(":")[0]
    return ShardLocation(node, locations.get(name, locations.get(node, "")))


def _locations(config: Fields) -> Mapping[str, str]:
    """The locations that the configuration gives, as they are written; each of them can be read."""
    said = config.below("node_locations", {})
    for name in said:
        said.location(name)
    return {name: said.text(name, "") for name in said}
