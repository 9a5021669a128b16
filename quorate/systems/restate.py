"""Restate behind the adapter protocol: a cluster of three nodes for all logs, and a virtual object for each.

Restate gives its own replicated log to no client, so a log is what it keeps for us: the state of an object to which
calls append (`restate_log`). Each call and each change of state is a record of Restate's log, so what that loses,
doubles or reorders shows. LSNs are counted from 1.

Sources: Restate documentation, Invoke a handler over HTTP (a request with an ``idempotency-key`` is carried out once,
however often it is sent) and Cluster deployment (replication 2 of 3 nodes tolerates the failure of one).
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache, partial
from itertools import count, cycle
from types import MappingProxyType
from typing import Any, Final

from conformance.record.live import require_live
from conformance.record.npm import RESTATE_LOCK, install
from conformance.record.restate import VERSION
from conformance.record.restate_cluster import NODES, RestateCluster, Service
from quorate.adapters.protocol import AtEnd, Gap, Indefinite, Record, Refused
from quorate.systems.nodes import Faults, Nodes, folder_until_exit

ANSWER_S: Final = 20.0
"""How long a client tries again, now here, now there: longer than a failover takes, on a busy machine, too."""

CALL_S: Final = 3.0
"""How long it waits for the answer to one try."""

MAJORITY: Final = 2
"""Nodes without which nothing is stored, and nobody leads."""

_AGAIN_S: Final = 0.1
_NEVER_SENT: Final = 0
_NO_ANSWER: Final = -1
_SUCCESS: Final = range(200, 300)
_REFUSALS: Final = range(400, 500)
_LOG: Final = Service("quorate.systems.restate_log:app", "/Log/readiness/read")
_LOGS: Final = count()


@cache
def nodes() -> RestateNodes:
    """The cluster of this process, started when the first log is made; it ends with the process.

    Raises:
        PackagesUnavailable: Restate, or a library for its services, cannot be had.
        ClusterFailed: the cluster does not start.
    """
    require_live("hypercorn", "restate")
    modules = install(RESTATE_LOCK)
    folder, ending = folder_until_exit("restate")
    cluster = ending.enter_context(RestateCluster(folder, modules, _LOG))
    cluster.start()
    return RestateNodes(cluster)


class RestateNodes(Nodes):
    """The cluster, and what happened to its nodes; where a majority of them runs, each of these serves."""

    def restart(self, node: int) -> None:
        """Start a node that was killed, and wait until all that run serve, if they can."""
        super().restart(node)
        self._wait()

    def resume(self, node: int) -> None:
        """Let a paused node go on, and wait until all that run serve, if they can."""
        super().resume(node)
        self._wait()

    def _wait(self) -> None:
        running = [node for place, node in enumerate(NODES) if place not in self.dead | self.paused]
        if len(running) >= MAJORITY:
            self.cluster.wait_serving(running)


class Client:
    """One client of a log, which asks one node after the other.

    Args:
        every: the cluster.
        log: the key of the object.
        name: what the client is called.
        has_keys: whether an append that is tried again has the key by which Restate knows it.
    """

    def __init__(self, every: RestateNodes, log: str, name: str, *, has_keys: bool) -> None:
        self._nodes, self._log, self._name, self._has_keys = every, log, name, has_keys
        self._appends, self._ingresses, self._calls = count(), cycle(every.cluster.ingresses), ExitStack()

    def append(self, payload: bytes) -> int:
        """Append a record, and wait until Restate says that the call is done.

        Raises:
            Refused: no node has taken the call.
            Indefinite: one may have.
        """
        key = {"idempotency-key": f"{self._name}:{next(self._appends)}"} if self._has_keys else {}
        return int(self._ask("append", payload.decode("latin-1"), key))

    def read(self, start: int) -> Iterator[Record | Gap | AtEnd]:
        """Read from an LSN on; what was trimmed before it was read is a trim.

        Raises:
            TimeoutError: no node answers.
        """
        position = max(start, 1)
        while True:
            said = self._look(position)
            if position <= said["trimmed_to"]:
                yield Gap(position, said["trimmed_to"], "trim")
                position = said["trimmed_to"] + 1
            for payload in said["records"]:
                position += 1
                yield Record(position - 1, payload.encode("latin-1"))
            if position > said["last"]:
                yield AtEnd(position)

    def tail(self) -> int:
        """The LSN after the last.

        Raises:
            TimeoutError: no node answers.
        """
        return int(self._look(1)["last"]) + 1

    def close(self) -> None:
        """No answer is awaited any more."""
        self._calls.close()

    def _look(self, start: int) -> Any:
        try:
            return self._ask("read", start)
        except (Refused, Indefinite) as error:
            raise TimeoutError(str(error)) from error

    def _ask(self, handler: str, body: object, key: Mapping[str, str] = MappingProxyType({})) -> Any:
        """The answer of the first node that gives one.

        Raises:
            Refused: none has taken the call.
            Indefinite: one may have.
        """
        until = time.monotonic() + ANSWER_S
        outcome: type[Exception] = Refused
        while True:
            try:
                status, said = self._try(f"/Log/{self._log}/{handler}", json.dumps(body), key)
            except ConnectionRefusedError as error:
                status, said = _NEVER_SENT, str(error)
            except (OSError, http.client.HTTPException) as error:
                status, said = _NO_ANSWER, type(error).__name__
            if status in _SUCCESS:
                return json.loads(said or "null")
            outcome = outcome if status in (_NEVER_SENT, *_REFUSALS) else Indefinite
            if status in _REFUSALS or time.monotonic() > until:
                raise outcome(said)
            time.sleep(_AGAIN_S)

    def _try(self, path: str, body: str, key: Mapping[str, str]) -> tuple[int, str]:
        """The status and the text that the next node answers.

        Nobody hangs up on one that is silent: what it was asked it may do later, as behind a proxy that tries again.
        """
        connection = http.client.HTTPConnection("127.0.0.1", next(self._ingresses), timeout=CALL_S)
        self._calls.callback(connection.close)
        connection.request("POST", path, body, {"content-type": "application/json", "connection": "close", **key})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


class Restate(Faults, Client):
    """An object's state as a log: one client of its own, more on demand, and the nodes of the cluster.

    Args:
        has_keys: whether an append that is tried again has the key by which Restate knows it.
    """

    system = f"restate {VERSION}"
    promises: Sequence[str] = ("real_time_order",)
    nodes = tuple(str(place) for place, _ in enumerate(NODES))

    def __init__(self, *, has_keys: bool) -> None:
        self.servers = every = nodes()
        every.heal()
        super().__init__(every, f"log{next(_LOGS)}", "client", has_keys=has_keys)
        self._others = list[Client]()

    def client(self, name: str) -> Client:
        """Another client of the same log."""
        self._others.append(Client(self._nodes, self._log, f"client-{name}", has_keys=self._has_keys))
        return self._others[-1]

    def trim(self, upto: int) -> None:
        """Clear all records up to an LSN.

        Raises:
            Indefinite: no node says that it is done.
        """
        self._ask("trim", upto)

    def close(self) -> None:
        """Nobody asks any more; the object stays, since its cluster ends with the process."""
        for client in self._others:
            client.close()
        super().close()
        self.servers.heal()


keyed = partial(Restate, has_keys=True)
"""Appends with an idempotency key each: Restate carries one out once, however often it is sent."""

unkeyed = partial(Restate, has_keys=False)
"""Appends without: what is sent again, because nobody answered, may be stored again, and Restate documents that."""
