"""The state of a script: its stream, what the stream did that nobody asked about yet, and the names of shards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.vectors.cases import Case, part
from conformance.vectors.errors import DamagedVectors
from conformance.vectors.stream_scripts.values import attributes, copies, options, settings
from reference_impl.log.stream.inputs import EpochMetadata, Input
from reference_impl.log.stream.machine import step, stream_of
from reference_impl.log.stream.outputs import AskMetadata, Output
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import EPOCH_LAST, Metadata, Place, Settings, Source, Surroundings
from spec.log.topology import read_location


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

    def told(self, message: Input) -> Script:
        """The stream is told something; where the script leaves that to its surroundings, epochs are answered for."""
        stream, outputs = step(self.stream, message)
        script = replace(self, stream=stream)
        if not self.answers:
            return replace(script, did=(*script.did, *outputs))
        script = replace(script, did=(*script.did, *(one for one in outputs if not isinstance(one, AskMetadata))))
        for asked in outputs:
            if isinstance(asked, AskMetadata):
                metadata = Metadata(1, stream.around.shards, self.replication)
                script = script.told(EpochMetadata(asked.epoch, EPOCH_LAST, metadata, Source.LAST))
        return script

    def name(self, shard: int) -> str:
        """The name of a shard."""
        return next(name for name, number in self.names.items() if number == shard)

    def shard(self, name: Any, where: str) -> tuple[Script, int]:
        """The number of a shard, which may be named for the first time.

        Raises:
            DamagedVectors: it has no name.
        """
        if not isinstance(name, str):
            raise DamagedVectors("a shard has no name", repr(name), "name it as N0", where)
        names = {**self.names, name: self.names.get(name, len(self.names))}
        return replace(self, names=names), names[name]

    def shards(self, names: Any, where: str) -> tuple[Script, list[int]]:
        """The numbers of some shards; ``all`` are those of the read set.

        Raises:
            DamagedVectors: they have no names.
        """
        if names == "all":
            return self, sorted(self.stream.senders)
        script, found = self, []
        for name in names if isinstance(names, list) else [names]:
            script, shard = script.shard(name, where)
            found.append(shard)
        return script, found


def begun(config: Case, where: str) -> Script:
    """A script before its first step.

    Raises:
        DamagedVectors: the configuration lacks something, or has something that cannot be.
    """
    shards, locations = part(config, "shards", list, where), _locations(config, where)
    if not all(isinstance(name, str) for name in shards):
        raise DamagedVectors("a shard has no name", repr(shards), "name it as N0", where)
    names = {name: number for number, name in enumerate(dict.fromkeys([*shards, *locations]))}
    places = {number: _place(name, locations) for name, number in names.items()}
    around = Surroundings(
        frozenset(names[name] for name in shards),
        places,
        attributes(config, where),
        settings(config.get("settings") or {}, where, Settings()),
    )
    answers = part(config, "default_epoch_metadata", bool, where)
    replication = copies(config.get("replication"), where)
    return Script(stream_of(options(config, where), around), names, replication, answers)


def _place(name: str, locations: Mapping[str, str]) -> Place:
    """Where a shard such as N1 or N1:S0 is: on its node."""
    node = name.partition(":")[0]
    return Place(node, locations.get(name, locations.get(node, "")))


def _locations(config: Case, where: str) -> Mapping[str, str]:
    said = config.get("node_locations") or {}
    try:
        for location in said.values():
            read_location(location)
    except (AttributeError, ValueError) as error:
        raise DamagedVectors(
            "a node has no place", str(error), "a location as region.dc.cluster.row.rack", where
        ) from error
    return dict(said)
