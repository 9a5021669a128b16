"""NATS JetStream behind the adapter protocol: a cluster of three servers for all logs, and a stream for each.

Sources: NATS documentation, JetStream, Streams (replicas, storage type, placement), Publish acknowledgements, Message
deduplication; JetStream wire API. A log is a stream, and its LSNs are the stream's sequences. Records are read one by
one from the stream's leader; a consumer would read whichever replica it came to.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import count
from typing import Any, Final

from conformance.record.go import NATS_SERVER, build
from conformance.record.live import require_live
from conformance.record.nats import VERSION
from quorate.adapters.protocol import AtEnd, Gap, Indefinite, Record, Refused
from quorate.systems.nodes import Faults, Nodes, folder_until_exit

ANSWER_S: Final = 12.0
"""How long a client tries again where a replica may take over: longer than a failover takes."""

ANSWER_ALONE_S: Final = 1.0
"""The same where nobody can take over."""

_PAUSE_S: Final = 0.1
_HOME: Final = 0
"""The node of streams that are on one alone."""

_STREAMS: Final = count()


@cache
def servers() -> NatsServers:
    """The cluster of this process, started when the first log is made; it ends with the process.

    Raises:
        PackagesUnavailable: Go, a module or the client library cannot be had.
        ClusterFailed: the cluster does not start.
    """
    require_live("nats")
    from conformance.record.nats_cluster import NatsCluster  # noqa: PLC0415 - needs the optional group `live`

    program = build(NATS_SERVER)
    folder, ending = folder_until_exit("nats")
    cluster = ending.enter_context(NatsCluster(folder, program))
    cluster.start()
    return NatsServers(cluster)


class NatsServers(Nodes):
    """The cluster, and what happened to its nodes."""

    def new_stream(self, link: Any, *, replicas: int, in_memory: bool) -> str:
        """A stream that nobody has, with a leader, while all servers serve.

        Raises:
            ClusterFailed: the servers do not make it in time.
        """
        self.heal()
        self.cluster.wait_ready()
        stream = f"log{next(_STREAMS)}"
        node = f"n{_HOME}" if replicas == 1 else None
        self.cluster.create(link, stream, replicas=replicas, in_memory=in_memory, node=node)
        return stream


class Client:
    """One client of a stream, with a connection of its own.

    Args:
        link: the connection.
        stream: the log.
        answer_s: how long to try again, in seconds.
        name: what the client is called.
    """

    def __init__(self, link: Any, stream: str, answer_s: float, name: str) -> None:
        self._link, self._stream, self._answer_s, self._name = link, stream, answer_s, name
        self._appends = count()

    def append(self, payload: bytes) -> int:
        """Append a record, and wait until NATS says that it is safe; what is tried again has the same identity.

        Raises:
            Refused: the record is too large for the client library.
            Indefinite: some try may have reached the log.
        """
        identity = f"{self._name}:{next(self._appends)}"
        try:
            return int(self._ask(partial(self._link.publish, self._stream, payload, identity)).seq)
        except ValueError as error:
            raise Refused(str(error)) from error
        except TimeoutError as error:
            raise Indefinite(str(error)) from error

    def read(self, start: int) -> Iterator[Record | Gap | AtEnd]:
        """Read from an LSN on; what was purged before it was read is a trim, and what is not found a hole.

        Raises:
            TimeoutError: no leader answers.
        """
        position = max(start, 1)
        while True:
            first, end = self._reach()
            if position < first:
                yield Gap(position, first - 1, "trim")
                position = first
            elif position >= end:
                yield AtEnd(position)
            else:
                payload = self._ask(partial(self._link.get, self._stream, position))
                position += 1
                if payload is not None:
                    yield Record(position - 1, payload)
                elif position <= self._reach()[0]:
                    yield Gap(position - 1, position - 1, "trim")
                else:
                    yield Gap(position - 1, position - 1, "hole")

    def tail(self) -> int:
        """The LSN after the last, as the stream's leader says.

        Raises:
            TimeoutError: no leader answers.
        """
        return self._reach()[1]

    def close(self) -> None:
        """No answer is awaited any more."""
        self._link.close()

    def _reach(self) -> tuple[int, int]:
        """The first LSN that is left, and the one after the last."""
        state = self._ask(partial(self._link.info, self._stream)).state
        return state.first_seq, state.last_seq + 1

    def _ask(self, ask: Any) -> Any:
        """The answer of the first try that gets one.

        Raises:
            TimeoutError: none does, as the last one says.
        """
        until = time.monotonic() + self._answer_s
        while True:
            try:
                return ask()
            except TimeoutError:
                if time.monotonic() > until:
                    raise
            time.sleep(_PAUSE_S)  # where nobody leads, the servers say so at once


class Nats(Faults, Client):
    """A stream as a log: one client of its own, more on demand, and the servers that have it as its nodes.

    Args:
        replicas: how many servers have the stream: one or three.
        in_memory: whether they have it in memory only.
    """

    system = f"nats {VERSION}"
    promises: Sequence[str] = ("real_time_order",)

    def __init__(self, replicas: int, *, in_memory: bool = False) -> None:
        self.servers, self._others = servers(), list[Client]()
        self.nodes = tuple(str(node) for node in range(_HOME, _HOME + replicas))
        link = self.servers.cluster.link("client")
        stream = self.servers.new_stream(link, replicas=replicas, in_memory=in_memory)
        super().__init__(link, stream, ANSWER_ALONE_S if replicas == 1 else ANSWER_S, "client")

    def client(self, name: str) -> Client:
        """Another client of the same stream."""
        link = self.servers.cluster.link(name)
        self._others.append(Client(link, self._stream, self._answer_s, f"{name}-{len(self._others)}"))
        return self._others[-1]

    def trim(self, upto: int) -> None:
        """Delete all records up to an LSN.

        Raises:
            TimeoutError: no leader answers.
        """
        upto = min(upto, self.tail() - 1)
        if upto > 0:
            self._ask(partial(self._link.purge, self._stream, upto))

    def restart(self, node: str) -> None:
        """Start a server that was killed, and wait until its replica has caught up."""
        super().restart(node)
        self.servers.cluster.wait_ready([int(node)])

    def resume(self, node: str) -> None:
        """Let a server go on, and wait until its replica has caught up."""
        super().resume(node)
        self.servers.cluster.wait_ready([int(node)])

    def close(self) -> None:
        """Nobody asks any more; the stream stays, since its cluster ends with the process."""
        self.servers.heal()
        for client in self._others:
            client.close()
        super().close()


replicated = partial(Nats, 3)
"""A stream of three replicas in files: an append is acknowledged when two of them have it."""

single = partial(Nats, 1, in_memory=True)
"""A stream of one replica in memory: a crash of its server loses it all, and NATS documents that."""
