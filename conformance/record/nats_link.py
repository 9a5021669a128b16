"""A client of NATS JetStream without coroutines: each method asks once, and waits for the answer or its time-out.

Sources: NATS documentation, JetStream, Publish acknowledgements and Message deduplication (``Nats-Msg-Id``); JetStream
wire API, STREAM.INFO, STREAM.MSG.GET (answered by the stream's leader; error 10037, no message found), STREAM.PURGE.
nats-server 2.12.1, server/jetstream_api.go, jsStreamInfoRequest: for ten seconds after its start, the server that the
stream was first placed on answers STREAM.INFO, too, whoever leads, and with what its own disk has.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import nats
from nats.aio.client import Client
from nats.errors import Error, MaxPayloadError
from nats.js import JetStreamContext
from nats.js.api import Placement, PubAck, StorageType, StreamConfig, StreamInfo
from nats.js.errors import APIError

_CALL_S: Final = 2.0
_CONNECT_S: Final = 30.0
_NO_MESSAGE_FOUND: Final = 10037
_T = TypeVar("_T")


class Delivered(NamedTuple):
    """A message as a consumer is given it: its sequence in the stream, and how many more wait for the consumer."""

    sequence: int
    payload: bytes
    pending: int


class Link:
    """A connection to a cluster, which goes to another server when its own is silent.

    Args:
        ports: where the servers listen, on loopback.
        name: what the client is called.

    Raises:
        TimeoutError: no server takes the connection.
    """

    def __init__(self, ports: Sequence[int], name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()
        self._connection = self._wait(_connected(ports, name), _CONNECT_S)
        self._stream: JetStreamContext = self._connection.jetstream(timeout=_CALL_S)

    def create(self, stream: str, *, replicas: int, in_memory: bool = False, node: str | None = None) -> None:
        """Make a stream of the subject with its name. Raises TimeoutError when it cannot be made now."""
        made = StreamConfig(
            name=stream,
            subjects=[stream],
            num_replicas=replicas,
            storage=StorageType.MEMORY if in_memory else StorageType.FILE,
            placement=None if node is None else Placement(tags=[node]),
        )
        self._wait(self._stream.add_stream(made))

    def publish(self, stream: str, payload: bytes, identity: str | None = None) -> PubAck:
        """Append a message, and wait for its acknowledgement; one of a known identity is not stored again.

        Raises:
            ValueError: the client's library refuses a message of this size.
            TimeoutError: no acknowledgement came, or nobody leads the stream.
        """
        headers = None if identity is None else {"Nats-Msg-Id": identity}
        try:
            return self._wait(self._stream.publish(stream, payload, headers=headers))
        except MaxPayloadError as error:
            raise ValueError(str(error)) from error

    def info(self, stream: str) -> StreamInfo:
        """What the stream's leader says of it. Raises TimeoutError when none answers, or another server is quicker."""
        said = self._wait(self._stream.stream_info(stream))
        if not is_of_leader(said):
            raise TimeoutError("a server answered that does not lead the stream")
        return said

    def get(self, stream: str, sequence: int) -> bytes | None:
        """The message at a sequence, as the stream's leader has it; None if it finds none.

        Raises:
            TimeoutError: none answers.
        """

        async def asked() -> bytes | None:
            try:
                return (await self._stream.get_msg(stream, seq=sequence)).data or b""
            except APIError as error:
                if error.err_code == _NO_MESSAGE_FOUND:
                    return None
                raise

        return self._wait(asked())

    def purge(self, stream: str, upto: int) -> None:
        """Delete all messages up to a sequence, this one included. Raises TimeoutError when nobody answers."""
        self._wait(self._stream.purge_stream(stream, seq=upto + 1))

    def deliver(self, stream: str) -> Iterator[Delivered]:
        """What an ordered consumer is given, from the first message to where nothing is pending.

        Raises:
            TimeoutError: it is given nothing in time.
        """
        taken = self._wait(self._stream.subscribe(stream, ordered_consumer=True))
        while True:
            message = self._wait(taken.next_msg(timeout=_CALL_S))
            told = message.metadata
            yield Delivered(told.sequence.stream, message.data, told.num_pending)
            if not told.num_pending:
                self._wait(taken.unsubscribe())
                return

    def close(self) -> None:
        """Leave the cluster."""
        try:
            self._wait(self._connection.close())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _wait(self, asked: Coroutine[Any, Any, _T], seconds: float = 2 * _CALL_S) -> _T:
        """The answer; the library's errors and its silence are time-outs, since a later try may succeed."""

        async def in_time() -> _T:
            async with asyncio.timeout(seconds):
                return await asked

        try:
            return asyncio.run_coroutine_threadsafe(in_time(), self._loop).result()
        except MaxPayloadError:
            raise
        except Error as error:
            raise TimeoutError(f"{type(error).__name__}: {error}") from error


def is_of_leader(said: StreamInfo) -> bool:
    """Whether the server that says so leads the stream: it names a leader, and not among its other replicas."""
    group = said.cluster
    return group is not None and bool(group.leader) and group.leader not in {one.name for one in group.replicas or ()}


async def _connected(ports: Sequence[int], name: str) -> Client:
    async def unheard(_: Exception) -> None:
        """Errors of a connection that is made anew are expected here."""

    return await nats.connect(
        servers=[f"nats://127.0.0.1:{port}" for port in ports],
        name=name,
        error_cb=unheard,
        connect_timeout=2,
        reconnect_time_wait=0.1,
        max_reconnect_attempts=-1,
        ping_interval=1,
        max_outstanding_pings=2,
    )
