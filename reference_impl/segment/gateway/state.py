"""The state of an iterator over several nodes: the gateway's parts, and each node's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from reference_impl.segment.gateway.messages import CallRequest, Data, Reply
from reference_impl.segment.iterator.channels import Readings, opened_all
from reference_impl.segment.iterator.state import Setting
from reference_impl.segment.storage import Store
from spec.segment.iterator.choices import Merge
from spec.segment.iterator.definition import Answer


@dataclass(frozen=True)
class Wiring:
    """How an iterator's parts are connected.

    Attributes:
        setting: what it was opened with.
        message_samples: how many samples a message carries at most.
        wire_messages: how many messages wait between a node and the gateway at most.
        output_messages: how many messages wait for the caller at most.
        acknowledges_first: a node acknowledges a request before it sends what it read, as the document has it.
        merge: what the synchronizer makes of acknowledgements.
    """

    setting: Setting
    message_samples: int = 100
    wire_messages: int = 4
    output_messages: int = 4
    acknowledges_first: bool = True
    merge: Merge = Merge.ALL


@dataclass(frozen=True)
class Peer:
    """A node's part: its iterator, the requests that it has yet to carry out, and the replies on their way.

    Attributes:
        readings: its iterator of the channels that it leads.
        requests: what it was asked and has not carried out, the first first.
        sending: replies that wait for room on the wire.
        wire: replies that are on their way to the gateway.
        is_up: it has not died.
    """

    readings: Readings
    requests: tuple[CallRequest, ...] = ()
    sending: tuple[Reply, ...] = ()
    wire: tuple[Reply, ...] = ()
    is_up: bool = True


@dataclass(frozen=True)
class Session:
    """An iterator as its gateway has it.

    Attributes:
        peers: the nodes that lead its channels, the gateway's own among them if it leads any.
        number: the number of the last call.
        is_closing: the last call was to close.
        acks: the acknowledgements of the last call, in the order in which they came; None once it was answered.
        heard: the nodes that they came from.
        ended: the nodes that have sent all that they will.
        output: what waits for the caller.
        error: the first error of any node.
        answer: the answer to the last call, once there is one.
    """

    peers: Mapping[int, Peer]
    number: int = 0
    is_closing: bool = False
    acks: tuple[bool, ...] | None = None
    heard: frozenset[int] = frozenset()
    ended: frozenset[int] = frozenset()
    output: tuple[Data, ...] = ()
    error: str | None = None
    answer: Answer | None = field(default=None)

    def with_peer(self, node: int, peer: Peer) -> Session:
        """The same with another state of one node's part."""
        return replace(self, peers={**self.peers, node: peer})


Stores = Mapping[int, Mapping[str, Store]]
"""What each node stores of each channel."""


def opened_session(leaders: Mapping[str, int], wiring: Wiring) -> Session:
    """An iterator of these channels, each led by a node: exactly one part on each of those nodes.

    Synnax, Segment distribution, Opening an Iterator: channels are grouped by their leaseholders.
    """
    groups: dict[int, list[str]] = {}
    for channel, node in leaders.items():
        groups.setdefault(node, []).append(channel)
    return Session({node: Peer(opened_all(tuple(some), wiring.setting)) for node, some in sorted(groups.items())})
