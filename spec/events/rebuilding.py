"""Events of the event log: the statuses of nodes, and the rebuilding of what they lost."""

from __future__ import annotations

from spec.events.happening import AtNode, Event, Written
from spec.events.universes import NODES
from spec.events.values import CONTENTS, DELTAS
from spec.language.events import demand, member, members, number, small
from spec.language.handles import Bool


class StatusTable(Event, kind=2, word="status"):
    """The authoritative statuses of all nodes, as of one version of the event log."""

    version = number("version", "the version, increasing", least=0)
    unavailable = members("nodes", "nodes that are down", NODES, optional=True)
    underreplicated = members("nodes_b", "nodes whose data is lost and not yet copied", NODES, optional=True)
    empty = members("nodes_c", "nodes whose data was copied elsewhere", NODES, optional=True)

    @demand
    def is_copied_or_not(self) -> Bool:
        """`underreplicated` and `empty` have no node in common: its data was copied elsewhere, or it was not."""
        return self.empty <= self.empty - self.underreplicated


class InEventLog(Event):
    """Anything that the event log says of the rebuilding of one node."""

    version = number("version", "the version of the event log", least=0)
    node = member("node", "the node that is rebuilt", NODES)
    began = small("arg_b", "the version at which its rebuilding began", least=0)
    donors = members("nodes", "the donors that are not done", NODES, optional=True)
    relocating = members("nodes_b", "all nodes whose data is only moved", NODES, optional=True)


class Rebuilding(InEventLog, kind=40, word="rebuilding"):
    """The event log says of a node that it is to be rebuilt, is lost for good, or serves again."""

    delta = small("arg", "which of these", words=DELTAS)


class Donated(InEventLog, kind=41, word="donated"):
    """A donor has re-replicated its part of a log."""

    donor = small("actor", "the donor", of=NODES)


class Recopied(AtNode):
    """Anything that says on which nodes copies lie once they are rebuilt."""

    copyset = members("nodes", "the nodes on which the copies lie from now on", NODES, optional=True)


class Rebuilt(Written, Recopied, kind=42, word="rebuilt"):
    """A node holds a copy that a donor gave it, of what another node has lost or is to lose."""

    becomes = small("arg_b", "RECORD, HOLE or BRIDGE", words=CONTENTS)
    began = number("version", "the version of the event log at which the rebuilding began", optional=True, least=0)
    donor = small("actor", "the donor", optional=True, of=NODES)


class CopysetChanged(Recopied, kind=43, word="copyset"):
    """A donor changed the copyset of what a node holds."""

    began = number("version", "the version of the event log at which the rebuilding began", optional=True, least=0)
    donor = small("actor", "the donor", optional=True, of=NODES)
    copyset = members("nodes", "the nodes on which the copies lie from now on", NODES)


class Emptied(AtNode, kind=44, word="emptied"):
    """A node is empty: of this log, everything up to this LSN lies on others, and nothing above it counted on it."""

    version = number("version", "the version of the event log", optional=True, least=0)
