"""What was observed of epochs: what was appended to one, and what recoveries did with it."""

from __future__ import annotations

from collections.abc import Mapping

from reference_impl.log.copies import Nodes
from reference_impl.log.placing import Block
from reference_impl.log.quorums import Quorums
from reference_impl.replay.observed.shards import Held
from reference_impl.replay.streams import Content


class Wave:
    """One attempt to store something: on which nodes, and which of them did."""

    __slots__ = ("copyset", "stored")

    def __init__(self, copyset: Nodes | None) -> None:
        self.copyset = copyset
        self.stored: set[int] = set()


class Recovering:
    """What one recovery did with one epoch.

    Attributes:
        since: the version of the status table when its sequencer got its epoch.
        table: the newest version that it is known to use.
        told: what each node told it, by ESN: more than one thing where it told again after it had stored something.
        bridged: the ESNs at which some node told of a bridge.
        waves: its attempts to store what it decided.
        said: what each wave stores, by ESN.
        ends: where each wave ends the epoch, as far as anybody stored that.
        stored: which nodes stored what, by ESN.
        decided: what is replicated, by ESN.
        round: how often it decided, as far as it said.
        heard: the nodes that it had heard when it decided last; None where it does not say.
        written: the nodes to which it ever wrote; None where it does not say.
        last: the ESN decided last; 0 before the first one and after the bridge.
    """

    __slots__ = (
        "bridged",
        "decided",
        "ends",
        "heard",
        "last",
        "round",
        "said",
        "since",
        "stored",
        "table",
        "told",
        "waves",
        "written",
    )

    def __init__(self, since: int) -> None:
        self.since = self.table = since
        self.told: dict[int, dict[int, tuple[Held, ...]]] = {}
        self.bridged: set[int] = set()
        self.waves: dict[int, Wave] = {}
        self.said: dict[tuple[int, int], Content] = {}
        self.ends: dict[int, int] = {}
        self.stored: dict[int, dict[Content, set[int]]] = {}
        self.decided: dict[int, Content] = {}
        self.last = self.round = 0
        self.heard: Nodes | None = None
        self.written: Nodes | None = frozenset()

    def reaching(self, esn: int) -> set[int]:
        """The ESNs at which what was told may speak of another one: its own, and those of bridges before it."""
        return {esn, *(bridge for bridge in self.bridged if bridge < esn)}

    @property
    def has_acted(self) -> bool:
        """It was told something, or decided, or stored."""
        return bool(self.told or self.round or self.stored or self.decided)


class Epoch:
    """One epoch of a log.

    Attributes:
        begun: the epoch store gave it out; if not, it is only known from what others say.
        begun_ns: when; None where nobody knows.
        crashes: how often the sequencer's node had crashed when it was given the epoch.
        since: the version of the status table at that time.
        appended: the payload of every ESN that was given out, and when.
        top: the greatest LSN of the epoch at which anything was stored.
        acked: the ESNs of which clients were told that they are safe.
        good: all ESNs up to it are stored in as many copies as promised.
        stored: those above it of which that is true.
        waves: attempts to store appends, by ESN and number.
        chosen: where appends were to go first, by ESN, where that is recorded.
        block: the block of the last of them.
        retired: the ESNs that may be released, as far as their leaders are concerned, after the one below.
        led: all ESNs up to it may.
        dismissed: who was told to delete its copy, of which wave, by ESN and node.
        draining: the last ESN, once its sequencer has asked for another epoch; else None.
        streamed: the places of appends in the streams of their clients, by ESN, where that is recorded.
        places: the last of them, by client.
        clean: what the recovery that cleaned it decided, by ESN; None while the epoch is not clean.
        bridge: the ESN of its bridge, once it is clean.
        replication: how many copies lie across which scopes, as the epoch store said.
        described: its metadata can be read in the metadata log.
    """

    __slots__ = (
        "acked",
        "appended",
        "appended_ns",
        "begun",
        "begun_ns",
        "block",
        "bridge",
        "chosen",
        "clean",
        "crashes",
        "described",
        "dismissed",
        "draining",
        "good",
        "last_esn",
        "led",
        "nodeset",
        "number",
        "places",
        "quorums",
        "recoveries",
        "replication",
        "retired",
        "sequencer",
        "since",
        "stored",
        "streamed",
        "top",
        "waves",
    )

    def __init__(self, number: int) -> None:
        self.number, self.begun, self.described = number, False, False
        self.replication: Mapping[str, int] | None = None
        self.begun_ns: int | None = None
        self.sequencer: int | None = None
        self.nodeset: Nodes | None = None
        self.quorums: Quorums | None = None
        self.crashes = self.since = self.last_esn = self.good = self.bridge = self.top = 0
        self.appended: dict[int, int | None] = {}
        self.appended_ns: dict[int, int | None] = {}
        self.acked: set[int] = set()
        self.stored: set[int] = set()
        self.chosen: dict[int, Nodes | None] = {}
        self.block: Block | None = None
        self.retired: set[int] = set()
        self.led = 0
        self.dismissed: dict[int, dict[int, int]] = {}
        self.draining: int | None = None
        self.streamed: dict[int, int] = {}
        self.places: dict[int, int] = {}
        self.waves: dict[int, dict[int | None, Wave]] = {}
        self.recoveries: dict[int, Recovering] = {}
        self.clean: dict[int, Content] | None = None

    @property
    def unnamed(self) -> Recovering | None:
        """What some recovery did of which nobody knows which it was; None: there is no such thing."""
        found = self.recoveries.get(0)
        return found if found is not None and found.has_acted else None
