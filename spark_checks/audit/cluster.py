"""What an audit knows besides ledgers: bookies, the placement policy, and how long marks may stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Final

from conformance.trace.errors import Duplicated, Mistyped, Oversized, UnknownVersion
from conformance.trace.typed import mapping, number, required, sequence, text
from spec.ledger.placement.adherence import Policy, anywhere
from spec.ledger.placement.racks import RackAware
from spec.ledger.placement.regions import RegionAware
from spec.ledger.placement.zones import ZoneAware

VERSION_KEY: Final = "quorate_audit"
VERSION: Final = 1
BOOKIES_MAX: Final = 1 << 20

ADVICE: Final = "write it as docs/reference/audit-snapshot.md says"


@dataclass(frozen=True)
class Bookie:
    """A bookie, as the metadata server and the auditor know it.

    BookKeeper, BP-34, High Level Logic: one that does not answer is not registered, and known to be down.

    Attributes:
        name: its address.
        location: where it is, as its placement policy has it: a rack, ``/zone/domain`` or ``/region/rack``.
        registered: the metadata server has it.
        known_down: the auditor knows that it is down.
    """

    name: str
    location: str = ""
    registered: bool = True
    known_down: bool = False

    @property
    def is_oddly_silent(self) -> bool:
        """If it gives no answer, that is a violation."""
        return self.registered or not self.known_down


Settings = Mapping[str, int]
"""The numbers that a placement policy takes."""

POLICIES: Final[Mapping[str, tuple[tuple[str, ...], Callable[[Mapping[str, str], Settings], Policy]]]] = {
    "default": ((), lambda _locations, _settings: anywhere),
    "rack-aware": (("least",), lambda locations, settings: RackAware(locations, settings["least"])),
    "zone-aware": (
        ("least", "desired"),
        lambda locations, settings: ZoneAware(locations, settings["least"], settings["desired"]),
    ),
    "region-aware": (("least",), lambda locations, settings: RegionAware(locations, settings["least"])),
}
"""Placement policies: the numbers that each takes, and how it is made of them and of where bookies are."""


@dataclass(frozen=True)
class Cluster:
    """What ledgers are held to.

    Attributes:
        bookies: all of them; tables name them by their places here, from 0.
        placement: the name of the policy that ensembles are held to.
        settings: the numbers that it takes.
        taken_ms: when the snapshot was taken.
        grace_ms: how long a mark may stand.
        identity: what no other cluster is called, where that is told.
    """

    bookies: tuple[Bookie, ...]
    placement: str = "default"
    settings: Settings = field(default_factory=dict)
    taken_ms: int = 0
    grace_ms: int = 0
    identity: str = ""

    @cached_property
    def policy(self) -> Policy:
        """The placement policy."""
        _, made = POLICIES[self.placement]
        return made({one.name: one.location for one in self.bookies if one.location}, self.settings)


def to_json(cluster: Cluster) -> dict[str, Any]:
    """What ``audit.json`` says of a cluster."""
    return {
        VERSION_KEY: VERSION,
        "cluster": cluster.identity,
        "taken_ms": cluster.taken_ms,
        "grace_ms": cluster.grace_ms,
        "placement": {"policy": cluster.placement, **cluster.settings},
        "bookies": [asdict(one) for one in cluster.bookies],
    }


def from_json(value: object) -> Cluster:
    """The cluster of which ``audit.json`` says this.

    Raises:
        TraceError: one of its kinds, for whatever is wrong.
    """
    said = mapping("the snapshot", value)
    version = number(VERSION_KEY, required(said, VERSION_KEY, "snapshot", ADVICE))
    if version != VERSION:
        raise UnknownVersion(f"version {version}", f"this reader knows version {VERSION}", "a newer quorate")
    bookies = tuple(map(_bookie, sequence("bookies", required(said, "bookies", "snapshot", ADVICE))))
    if len(bookies) > BOOKIES_MAX:
        raise Oversized(f"{len(bookies)} bookies", f"at most {BOOKIES_MAX} can be named", "check who wrote it")
    if len({one.name for one in bookies}) < len(bookies):
        raise Duplicated("a bookie stands twice", "tables name bookies by their places", "name each once")
    placement = mapping("placement", said.get("placement", {"policy": "default"}))
    policy = text("policy", required(placement, "policy", "placement", ADVICE))
    if policy not in POLICIES:
        raise Mistyped(f"policy is {policy!r}", f"known: {', '.join(POLICIES)}", "one of these")
    settings = {
        name: number(name, required(placement, name, f"{policy} policy", ADVICE), 0) for name in POLICIES[policy][0]
    }
    times = {name: number(name, said.get(name, 0), 0) for name in ("taken_ms", "grace_ms")}
    return Cluster(bookies, policy, settings, **times, identity=text("cluster", said.get("cluster", "")))


def _bookie(value: object) -> Bookie:
    said = mapping("a bookie", value)
    name, location = text("name", required(said, "name", "bookie", ADVICE)), text("location", said.get("location", ""))
    return Bookie(name, location, _flag(said, "registered", usual=True), _flag(said, "known_down", usual=False))


def _flag(said: Mapping[str, Any], name: str, *, usual: bool) -> bool:
    value = said.get(name, usual)
    if not isinstance(value, bool):
        raise Mistyped(f"{name} is {value!r:.60}", "it must be true or false", "write true or false")
    return value
