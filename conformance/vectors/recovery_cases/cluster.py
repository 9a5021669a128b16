"""Shards of a case: their numbers, where they are, what is known of them, and what they hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from conformance.vectors.recovery_cases.fields import Fields
from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.held import Held
from reference_impl.log.repair.nodeset import Nodeset
from spec.language.parameters import Parameters
from spec.language.vocabulary import SCOPES
from spec.log.status import Status
from spec.log.topology import Topology, read_location

KINDS: Final = {
    "NORMAL": Held(0),
    "MUTATED": Held(0, by_recovery=True),
    "HOLE": Held(0, by_recovery=True, is_hole=True),
    "BRIDGE": Held(0, by_recovery=True, is_hole=True, is_bridge=True),
    "WRITE_STREAM": Held(0, by_recovery=True, in_stream=True),
}
"""The kinds of records that cases name; LogDevice's own tests take records of streams for written by recovery."""

NUMBER_MAX: Final = (1 << 32) - 1
"""Waves and seal epochs have 32 bits."""


class Names:
    """The shards of a case, numbered in the order in which it names them.

    Attributes:
        names: all names.
        parameters: where the shards are.
    """

    def __init__(self, names: Iterable[str], places: Fields) -> None:
        self.names = list(dict.fromkeys(names))
        self._number = {name: number for number, name in enumerate(self.names)}
        self.parameters = _parameters(self.names, places)

    @staticmethod
    def of(fields: Fields) -> Names:
        """The shards that a case lists with their places."""
        return Names(fields.below("shards"), fields.below("shards"))

    def number(self, name: object, fields: Fields) -> int:
        """The number of a shard.

        Raises:
            DamagedVectors: there is none of that name.
        """
        if not isinstance(name, str) or name not in self._number:
            raise fields.refuse("no such shard", f"{name!r:.80} is not among {', '.join(self.names)}")
        return self._number[name]

    def numbers(self, names: Iterable[object], fields: Fields) -> frozenset[int]:
        """The numbers of some shards."""
        return frozenset(self.number(name, fields) for name in names)

    def told(self, shards: Iterable[int]) -> list[str]:
        """The names of some shards, in order."""
        return [self.names[number] for number in sorted(shards)]

    def nodeset(self, shards: frozenset[int], fields: Fields) -> Nodeset:
        """These shards under the replication property that the case names."""
        copies = {scope.lower(): fields.below("replication").number(scope) for scope in fields.below("replication")}
        if unknown := [scope for scope in copies if scope not in SCOPES]:
            raise fields.refuse("no such scope", f"{unknown[0]!r}, where one of {', '.join(SCOPES)} must be")
        return Nodeset.of(shards, copies, self.parameters)

    def everyone(self) -> frozenset[int]:
        """All shards."""
        return frozenset(range(len(self.names)))

    def statuses(self, fields: Fields) -> dict[int, Status]:
        """The statuses that a case names."""
        said = fields.below("authoritative_status", {})
        return {self.number(name, fields): said.one_of(name, Status) for name in said}


def _parameters(names: list[str], places: Fields) -> Parameters:
    locations: list[dict[str, str]] = []
    for name in names:
        place = places.below(name, {})
        node = place.raw("node")
        try:
            locations.append({"node": name if node is None else str(node), **read_location(place.text("location", ""))})
        except ValueError as error:
            raise place.refuse("a shard has no place", error) from error
    return Topology(tuple(locations)).parameters()


def held_of(record: Fields) -> Held:
    """What one record of a case is; without a wave, a hole counts as of 0 and a record as of 1: common/Digest.cpp."""
    kind = record.text("kind")
    if kind not in KINDS:
        raise record.refuse("no such kind of record", f"{kind!r}, where one of {', '.join(KINDS)} must be")
    number = record.number("wave_or_seal", 0 if KINDS[kind].is_hole else 1, most=NUMBER_MAX)
    held = KINDS[kind]._replace(number=number)
    if record.flag("write_stream", default=False):
        held = held._replace(in_stream=True)
    if "offset_in" in record:
        held = held._replace(offset_bytes=record.number("offset_in"))
    return held


def readable(records: Iterable[Fields]) -> list[Fields]:
    """A copy with a bad checksum is none: LogDevice, common/EpochRecovery.cpp, onDigestRecord."""
    return [record for record in records if not record.flag("bad_checksum", default=False)]


def esn_of(record: Fields) -> int:
    """The ESN of one record of a case."""
    return record.number("esn", most=ESN_MAX)


def kinds_of(held: Held) -> set[str]:
    """The names by which cases call such a record; a bridge is a hole as well."""
    if held.is_hole:
        return {"HOLE", "BRIDGE"} if held.is_bridge else {"HOLE"}
    stream = {"WRITE_STREAM"} if held.in_stream else set()
    return stream | ({"MUTATED"} if held.by_recovery else {"NORMAL"})
