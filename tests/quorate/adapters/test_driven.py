"""A driven log gives what its adapter says, whether it is made of coroutines or not, and refuses what has no meaning.

Justified by docs/reference/adapter-protocol.md, In Python.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from threading import Barrier
from typing import Any

import pytest

from conformance.record.errors import PackagesUnavailable
from quorate import AtEnd, Gap, Indefinite, Record, Refused
from quorate.adapters.driven import Driven
from quorate.adapters.errors import AdapterError, AdapterFailed, AdapterNonsense, AdapterUnavailable, NotAnAdapter
from tests.support.adapters import AsyncMemory, Memory

PATIENCE_S = 20.0


@pytest.mark.parametrize("factory", [Memory, AsyncMemory])
def test_plain_methods_and_coroutines_are_driven_alike(factory: Callable[[], Any]) -> None:
    with closing(Driven(factory)) as log:
        steps = log.read("r", 0)
        assert next(steps) == AtEnd(0)
        assert [log.append("w", payload) for payload in (b"a", b"b")] == [0, 1]
        assert list(islice(steps, 4)) == [Record(0, b"a"), Record(1, b"b"), AtEnd(2), AtEnd(2)]


def test_what_an_adapter_can_do_is_found_by_name() -> None:
    with closing(Driven(AsyncMemory)) as log:
        assert log.can == {"tail", "trim"}
        assert (log.system, log.promises, log.nodes) == ("AsyncMemory", ("real_time_order",), ("log",))
        assert log.tail("r") == 0
        with pytest.raises(Indefinite):
            log.do("trim", 3)


def test_each_client_may_have_an_adapter_of_its_own() -> None:
    class Clients(Memory):
        def __init__(self) -> None:
            super().__init__()
            self.named: list[str] = []

        def client(self, name: str) -> Memory:
            self.named.append(name)
            return self

    made: list[Clients] = []

    def factory() -> Clients:
        made.append(Clients())
        return made[-1]

    with closing(Driven(factory)) as log:
        for client in ("w1", "w2", "w1"):
            log.append(client, b"a")
    assert made[0].named == ["w1", "w2"]


class Meeting(Memory):
    """A log each append of which waits until another one is under way."""

    def __init__(self) -> None:
        super().__init__()
        self.barrier = Barrier(2, timeout=PATIENCE_S)

    def client(self, name: str) -> Memory:
        assert name
        return self

    def append(self, payload: bytes) -> int:
        self.barrier.wait()
        return super().append(payload)


class AsyncMeeting(AsyncMemory):
    """The same as coroutines."""

    def __init__(self) -> None:
        super().__init__()
        self.barrier = asyncio.Barrier(2)

    async def append(self, payload: bytes) -> int:
        await self.barrier.wait()
        return await super().append(payload)


@pytest.mark.parametrize("factory", [Meeting, AsyncMeeting])
def test_clients_append_at_once_if_they_can(factory: Callable[[], Any]) -> None:
    with closing(Driven(factory, PATIENCE_S)) as log:
        told = log.answers([("w1", b"a"), ("w2", b"b")])
        assert sorted(told, key=repr) == [0, 1]
        given = {step.payload: step.lsn for step in islice(log.read("r", 0), 2) if isinstance(step, Record)}
        assert given == dict(zip((b"a", b"b"), told, strict=True))


@pytest.mark.parametrize("append", ["sync", "async"])
def test_what_each_is_told_at_once_is_kept_and_mistakes_are_named(append: str) -> None:
    class Odd(Memory):
        def append(self, payload: bytes) -> int:
            raise {b"a": Refused, b"b": TimeoutError}.get(payload, KeyError)("no")

    class AsyncOdd(Odd):
        async def append(self, payload: bytes) -> int:  # type: ignore[override]
            return super().append(payload)

    with closing(Driven(Odd if append == "sync" else AsyncOdd, PATIENCE_S)) as log:
        told = log.answers([("w1", b"a"), ("w2", b"b")])
        assert [type(one) for one in told] == [Refused, TimeoutError]
        with pytest.raises(AdapterFailed, match="append raised KeyError"):
            log.answers([("w1", b"a"), ("w2", b"c")])


class Sealing(Memory):
    """A log whose epochs end, and that notes when."""

    nodes = ("a",)

    def __init__(self) -> None:
        super().__init__()
        self.done: list[bytes] = []

    def append(self, payload: bytes) -> int:
        self.done.append(payload)
        return super().append(payload)

    def seal(self) -> None:
        self.done.append(b"seal")

    def holds(self, node: str) -> list[Record]:
        assert node == "a"
        return [Record(lsn, payload) for lsn, payload in enumerate(self.records)]


class AsyncSealing(AsyncMemory):
    """The same as coroutines."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[bytes] = []

    async def append(self, payload: bytes) -> int:
        self.done.append(payload)
        return await super().append(payload)

    async def seal(self) -> None:
        self.done.append(b"seal")


class ClientsSealing(Sealing):
    """The same with clients of its own, which are asked from threads."""

    def client(self, name: str) -> Memory:
        assert name
        return self


@pytest.mark.parametrize("kind", [Sealing, AsyncSealing, ClientsSealing])
def test_an_epoch_ends_while_appends_are_under_way(kind: Callable[[], Any]) -> None:
    made: list[Any] = []

    def factory() -> Any:
        made.append(kind())
        return made[-1]

    with closing(Driven(factory, PATIENCE_S)) as log:
        told = log.answers([("w1", b"a"), ("w2", b"b")], seals=True)
        assert sorted(told, key=repr) == [0, 1]
    assert sorted(made[0].done) == [b"a", b"b", b"seal"]
    if kind is not ClientsSealing:  # threads may be asked in any order
        assert made[0].done == [b"a", b"seal", b"b"]


def test_a_mistake_in_a_seal_is_named_and_a_log_without_epochs_is_not_sealed() -> None:
    class Odd(AsyncSealing):
        async def seal(self) -> None:
            raise KeyError("no")

    with closing(Driven(Odd, PATIENCE_S)) as log, pytest.raises(AdapterFailed, match="seal raised KeyError"):
        log.answers([("w1", b"a"), ("w2", b"b")], seals=True)
    with closing(Driven(Memory, PATIENCE_S)) as log:
        assert log.answers([("w1", b"a")], seals=True) == [0]


def test_what_a_node_holds_is_checked() -> None:
    with closing(Driven(Sealing)) as log:
        log.append("w", b"a")
        assert log.holds("a") == [Record(0, b"a")]

    class Odd(Sealing):
        said: Any = None

        def holds(self, node: str) -> Any:  # noqa: ARG002 - it says the same of all
            return self.said

    for Odd.said in (None, [AtEnd(0)], [Record("x", b"")], [Record(0, "text")]):  # type: ignore[arg-type]
        with closing(Driven(Odd)) as log, pytest.raises(AdapterNonsense):
            log.holds("a")


def test_a_coroutine_that_takes_too_long_is_indefinite() -> None:
    with closing(Driven(lambda: AsyncMemory(slow=True), timeout_s=0.001)) as log, pytest.raises(TimeoutError):
        log.append("w", b"a")


def test_what_the_log_says_passes_and_what_the_adapter_does_is_named() -> None:
    class Angry(Memory):
        error: type[Exception] = Refused

        def append(self, payload: bytes) -> int:
            raise self.error(f"no {len(payload)} bytes")

    for error in (Refused, Indefinite, TimeoutError, ConnectionResetError):
        Angry.error = error
        with closing(Driven(Angry)) as log, pytest.raises(error):
            log.append("w", b"a")
    Angry.error = KeyError
    with closing(Driven(Angry)) as log, pytest.raises(AdapterFailed, match="append raised KeyError"):
        log.append("w", b"a")


def given(*steps: Any) -> Callable[[], Any]:
    """Return a factory of logs that give these steps, whatever they hold."""

    class Saying(Memory):
        def read(self, start: object) -> Iterator[Any]:  # noqa: ARG002 - a read begins somewhere
            return iter(steps)

    return Saying


@pytest.mark.parametrize(
    "step",
    [
        None,
        "a",
        Record(0, "text"),  # type: ignore[arg-type]
        Record(-1, b""),
        Record(True, b""),
        AtEnd("7"),  # type: ignore[arg-type]
        Gap(0, 1, "because"),
        Gap(1, 0, "hole"),
    ],
)
def test_a_step_without_meaning_is_nonsense(step: Any) -> None:
    with closing(Driven(given(step))) as log, pytest.raises(AdapterNonsense):
        next(log.read("r", 0))


def test_a_read_that_ends_without_saying_so_is_nonsense() -> None:
    with closing(Driven(given(Record(0, b"a")))) as log, pytest.raises(AdapterNonsense, match="without AtEnd"):
        list(islice(log.read("r", 0), 2))


def test_an_lsn_without_meaning_is_nonsense() -> None:
    class Odd(Memory):
        def append(self, payload: bytes) -> Any:  # noqa: ARG002 - it forgets
            return None

    with closing(Driven(Odd)) as log, pytest.raises(AdapterNonsense, match="append gave LSN None"):
        log.append("w", b"a")


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"append": None}, NotAnAdapter),
        ({"read": None}, NotAnAdapter),
        ({"promises": ("speed",)}, NotAnAdapter),
        ({"nodes": "abc"}, NotAnAdapter),
        ({"read": lambda _self, _start: [AtEnd(0)]}, AdapterNonsense),
        ({"__init__": lambda self: self.nothing}, AdapterFailed),
    ],
)
def test_what_is_no_adapter_is_refused_by_name(said: dict[str, Any], error: type[AdapterError]) -> None:
    with pytest.raises(error, match="Try: "):
        next(Driven(type("Odd", (Memory,), said)).read("r", 0))


def test_an_adapter_whose_packages_cannot_be_had_is_not_to_be_mended() -> None:
    def factory() -> Memory:
        raise PackagesUnavailable("Go", "it is not on PATH", "install it")

    with pytest.raises(AdapterUnavailable, match=r"^adapter: Go cannot be had: it is not on PATH\. Try: install it\.$"):
        Driven(factory)
