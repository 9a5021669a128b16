"""Who answers for a stream of NATS: only what its leader says of it counts.

Justified by nats-server 2.12.1, server/jetstream_api.go, jsStreamInfoRequest: a server that has just started may answer
without leading. Seen so: of 10,510 answers in nine seconds after a restart, 118 came from it, without the last record.
"""

from __future__ import annotations

import pytest

nats_api = pytest.importorskip("nats.js.api", reason="needs the optional group live")

from conformance.record.nats_link import is_of_leader  # noqa: E402 - needs it, too

OTHERS = [nats_api.PeerInfo(name=name, current=True) for name in ("n0", "n2")]


@pytest.mark.parametrize(
    ("leader", "replicas", "counts"),
    [
        ("n1", OTHERS, True),
        ("n0", OTHERS, False),
        (None, OTHERS, False),
        ("n1", None, True),
    ],
)
def test_only_the_leader_speaks_for_a_stream(leader: str | None, replicas: list[object] | None, counts: bool) -> None:
    group = nats_api.ClusterInfo(leader=leader, replicas=replicas)
    config, state = nats_api.StreamConfig(name="log"), nats_api.StreamState(0, 0, 0, 0, 0)
    assert is_of_leader(nats_api.StreamInfo(config, state, cluster=group)) is counts
