"""Plans: everything that decides a simulated run. The same plan gives the same events to the byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.weather import CALM, Weather
from reference_impl.log.context import ALL_SEND_ALL, DELIVERIES, VARIANTS
from spec.language.parameters import Parameters
from spec.language.scopes import SCOPES
from spec.log.replication import can_replicate
from spec.log.topology import Topology

EVENTS_FOR_EACH_LOG: Final = 1500
"""How long a log gets where a plan does not say how many there are."""

TOPOLOGIES: Final[Mapping[str, Topology]] = MappingProxyType(
    {
        "flat3": Topology.flat(3),
        "flat5": Topology.flat(5),
        "racks6": Topology.of([f"west.one.a.r.k{rack}" for rack in (0, 0, 0, 1, 1, 2)]),
        "racks8": Topology.of([f"west.one.a.r.k{rack}" for rack in (0, 0, 0, 1, 1, 2, 2, 3)]),
        "regions9": Topology.of([f"g{node // 3}.d{node // 3}.c.r.k{node}" for node in range(9)]),
        "racks4": Topology.of([f"west.one.a.r.k{node // 2}" for node in range(4)]),
        "shards6": Topology(tuple({"node": f"n{shard // 2}"} for shard in range(6))),
        "shards8": Topology(
            tuple({"node": f"n{shard // 2}", "rack": f"k{rack}"} for shard, rack in enumerate((0, 0, 0, 0, 1, 1, 2, 2)))
        ),
        "partly7": Topology.of([f"west.one.a.r.k{rack}" if rack else "" for rack in (0, 0, 1, 1, 2, 2, 3)]),
        "rows10": Topology.of([f"west.one.a.r{row}" for row in (0, 1, 1, 2, 2, 2, 3, 3, 3, 3)]),
        "scopes12": Topology.of([f"g{node // 4}.d{node // 4}.c.r.k{node // 2}" for node in range(12)]),
    }
)
"""Clusters to simulate: flat, in uneven racks and rows, in regions, with several shards on a host, with nodes that have
no rack."""

REPLICATIONS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {
        "flat3": {"node": 2},
        "flat5": {"node": 3},
        "racks6": {"node": 3, "rack": 2},
        "racks8": {"node": 3, "rack": 2},
        "regions9": {"node": 3, "region": 2},
        "racks4": {"node": 2, "rack": 2},
        "shards6": {"node": 2},
        "shards8": {"shard": 4, "node": 3, "rack": 2},
        "partly7": {"node": 3, "rack": 2},
        "rows10": {"node": 4, "row": 2},
        "scopes12": {"node": 4, "rack": 3, "region": 2},
    }
)
"""A replication property that suits each of them."""

MILLISECOND: Final = 1_000_000


FAULTS: Final = (
    "crash",
    "pause",
    "slow",
    "partition",
    "one_way",
    "straggler",
    "reactivate",
    "duel",
    "misjudge",
    "read_only",
    "checksum",
    "wipe",
    "drain",
)
"""What can go wrong besides the weather."""


class BadPlan(ValueError):
    """A plan cannot be simulated; the message says what to change."""


@dataclass(frozen=True)
class Faults:
    """What goes wrong.

    Attributes:
        weather: what the network does to messages.
        rates: how often each fault strikes, and how long it lasts. Nodes ``crash``, ``pause`` or are ``slow``, take no
            stores (``read_only``) or cannot read some copies (``checksum``); the network keeps some from the others
            (``partition``) or lets them only hear (``one_way``); a sequencer is cut off and comes back after it was
            replaced (``straggler``), is activated anew although it works (``reactivate``), by two at once (``duel``); a
            node counts as down although it is up (``misjudge``); all its data is lost (``wipe``) or moved away
            (``drain``).
        corrupt: the share of records that were kept by recovery, but whose client gave up on them, of which all copies
            are lost before anybody reads them.
    """

    weather: Weather = field(default_factory=Weather)
    rates: Mapping[str, Rate] = field(
        default_factory=lambda: {
            "crash": Rate(5 * MILLISECOND, 2 * MILLISECOND, 7 * MILLISECOND),
            "pause": Rate(16 * MILLISECOND, 3 * MILLISECOND, 8 * MILLISECOND),
            "reactivate": Rate(6 * MILLISECOND),
            "wipe": Rate(90 * MILLISECOND, 3 * MILLISECOND, 6 * MILLISECOND),
            "drain": Rate(110 * MILLISECOND),
        }
    )
    corrupt: float = 0.15

    def __post_init__(self) -> None:
        for what, rate in self.rates.items():
            if what not in FAULTS:
                raise BadPlan(f"no fault is called {what!r}: there are {', '.join(FAULTS)}")
            if rate.every_ns < 1 or not 0 <= rate.least_ns <= rate.most_ns:
                raise BadPlan(f"{what} has {rate}: it strikes every so many ns, at least 1, and lasts least to most ns")
        if not 0 <= self.corrupt <= 1:
            raise BadPlan(f"corrupt is {self.corrupt}: it is a share, from 0 to 1")


NO_FAULTS: Final = Faults(CALM, {}, 0.0)
"""Everything works; messages still overtake each other."""

EVERY_FAULT: Final = Faults(
    Weather(slow=0.02, drop=0.02, duplicate=0.02),
    {
        "crash": Rate(8 * MILLISECOND, 2 * MILLISECOND, 7 * MILLISECOND),
        "pause": Rate(16 * MILLISECOND, 3 * MILLISECOND, 8 * MILLISECOND),
        "slow": Rate(12 * MILLISECOND, 3 * MILLISECOND, 9 * MILLISECOND),
        "partition": Rate(14 * MILLISECOND, 2 * MILLISECOND, 8 * MILLISECOND),
        "one_way": Rate(14 * MILLISECOND, 2 * MILLISECOND, 8 * MILLISECOND),
        "straggler": Rate(24 * MILLISECOND, 5 * MILLISECOND, 14 * MILLISECOND),
        "reactivate": Rate(20 * MILLISECOND),
        "duel": Rate(20 * MILLISECOND),
        "misjudge": Rate(9 * MILLISECOND, 2 * MILLISECOND, 6 * MILLISECOND),
        "read_only": Rate(16 * MILLISECOND, 4 * MILLISECOND, 10 * MILLISECOND),
        "checksum": Rate(16 * MILLISECOND, 2 * MILLISECOND, 5 * MILLISECOND),
        "wipe": Rate(40 * MILLISECOND, 3 * MILLISECOND, 6 * MILLISECOND),
        "drain": Rate(30 * MILLISECOND, 3 * MILLISECOND, 6 * MILLISECOND),
    },
)
"""Everything that can go wrong does."""


@dataclass(frozen=True)
class SimulationPlan:
    """A run to simulate.

    Of two plans that differ only in how many events and logs they have, and give each log the same share, the longer
    run begins as the shorter one, for as long as that has logs left to open.

    Attributes:
        seed: decides everything that the other fields leave open.
        topology: the storage nodes and where they are; sequencers run on them too.
        replication: copies required across each location scope.
        events: how many events the run has at most; only a run without logs left to open has fewer.
        logs: how many logs share them; 0: one for every 1500 events. The last few may never be opened, since readers of
            a log may go on for a while after its share.
        open_logs: how many logs exist at a time.
        clients: how many clients append to each log.
        readers: how many times each log is read; one reader starts with the log, others later and elsewhere.
        delivery: who sends a record to readers, by names of ``DELIVERIES``: with several, logs take turns.
        trusts_at_once: in single copy delivery, a node that was passed over and sends is waited for again at once, as
            LogDevice does; else when the window slides, as its document says.
        on_the_wire: whether events say, too, what readers ask of nodes, and what these send.
        variants: what the machine does besides, by names of ``VARIANTS``; each records what it adds.
        extras: with the variant of that name, how many members copysets have beyond copies.
        trims: how often some log is trimmed; None for never.
        mutant: the name of a deviation of ``reference_impl.mutants``; "" for the correct machine.

    Raises:
        BadPlan: the nodes cannot hold copies as the replication property asks, or a number is too small.
    """

    seed: int = 0
    topology: Topology = TOPOLOGIES["racks6"]
    replication: Mapping[str, int] = field(default_factory=lambda: REPLICATIONS["racks6"])
    events: int = 20_000
    logs: int = 0
    open_logs: int = 8
    clients: int = 5
    readers: int = 3
    faults: Faults = field(default_factory=Faults)
    mutant: str = ""
    delivery: tuple[str, ...] = (ALL_SEND_ALL,)
    trusts_at_once: bool = True
    on_the_wire: bool = False
    variants: tuple[str, ...] = ()
    trims: Rate | None = None
    extras: int = 1

    def __post_init__(self) -> None:
        least = {"events": 1, "logs": 0, "open_logs": 1, "clients": 1, "readers": 0, "extras": 0}
        for name, value in least.items():
            if getattr(self, name) < value:
                raise BadPlan(f"{name} is {getattr(self, name)}: give at least {value}")
        if not self.delivery or not set(self.delivery) <= set(DELIVERIES):
            raise BadPlan(f"{self.delivery} is no delivery: name some of {', '.join(DELIVERIES)}")
        if not set(self.variants) <= set(VARIANTS):
            raise BadPlan(f"{self.variants} are no variants: name some of {', '.join(VARIANTS)}")
        if not self.replication or not set(self.replication) <= set(SCOPES) or min(self.replication.values()) < 1:
            raise BadPlan(f"{dict(self.replication)} is no replication property: name copies for some of {SCOPES}")
        nodes = frozenset(range(len(self.topology.locations)))
        said = {"nodes": nodes, "replication": self.replication}
        if not can_replicate.value(self.topology.parameters(), said):
            raise BadPlan(
                f"{len(nodes)} nodes cannot hold copies across {dict(self.replication)}: "
                "add nodes or locations, or ask for fewer copies"
            )

    @property
    def number_of_logs(self) -> int:
        """How many logs the run has."""
        return self.logs or max(1, self.events // EVENTS_FOR_EACH_LOG)

    @property
    def share(self) -> int:
        """How many events a log has before it makes room for another one."""
        return self.events // self.number_of_logs

    @property
    def copies(self) -> int:
        """How many copies an acknowledgement promises."""
        return max(self.replication.values())

    def parameters(self) -> Parameters:
        """What rules need to know of a run."""
        return replace(self.topology.parameters(), copies=self.copies)
