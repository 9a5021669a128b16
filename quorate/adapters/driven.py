"""A driven log: an adapter, synchronous or not, behind plain calls whose answers are checked."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from conformance.record.errors import PackagesUnavailable
from quorate.adapters.at_once import at_once, by_threads
from quorate.adapters.errors import AdapterError, AdapterFailed, AdapterNonsense, AdapterUnavailable, NotAnAdapter
from quorate.adapters.protocol import (
    CAPABILITIES,
    TIMEOUT_S,
    UNKNOWN_OUTCOMES,
    AtEnd,
    Gap,
    Indefinite,
    Lsn,
    Record,
    Refused,
    Step,
)
from quorate.errors import BadLsn
from quorate.positions import epoch_and_esn
from spec.events import GAP_KINDS
from spec.promises import PROMISES

ONE_NODE: Final = ("log",)
"""The nodes of a log whose adapter names none."""

_SEALER: Final = "\0"
"""Who ends epochs: nobody whom a client could be called."""

_OVER: Final = object()
"""What is given where an iterator has ended."""


class Driven:
    """One new log of an adapter.

    Args:
        factory: makes the adapter of a new and empty log.
        timeout_s: how long a coroutine of it may take.

    Raises:
        NotAnAdapter: what the factory makes lacks something, or describes itself wrongly.
        AdapterUnavailable: what it needs cannot be had here.
        AdapterFailed: the factory raises an error.

    Attributes:
        can: the capabilities that it has, by name.
        system: what the software is called.
        promises: what it promises.
        nodes: whom faults may hit.
    """

    def __init__(self, factory: Callable[[], Any], timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s, self._loop = timeout_s, asyncio.Runner()
        self._clients: dict[str, Any] = {}
        try:
            self._adapter = self._call("the factory", factory)
            self._ask_what_it_is()
        except Exception:
            self._loop.close()
            raise

    def _ask_what_it_is(self) -> None:
        for name in ("append", "read"):
            if not callable(getattr(self._adapter, name, None)):
                what = f"{type(self._adapter).__name__} has no method {name}"
                raise NotAnAdapter(what, "every adapter has append and read", "docs/reference/adapter-protocol.md")
        self.can = frozenset(name for name in CAPABILITIES if callable(getattr(self._adapter, name, None)))
        self.system = str(getattr(self._adapter, "system", type(self._adapter).__name__))
        self.promises = self._texts("promises", ())
        self.nodes = self._texts("nodes", ONE_NODE)
        if unknown := set(self.promises) - set(PROMISES):
            known = f"known are {', '.join(PROMISES)}"
            raise NotAnAdapter(f"it promises {', '.join(sorted(unknown))}", known, "quorate rules promises")

    def append(self, client: str, payload: bytes) -> Lsn:
        """Append, as one of the clients.

        Raises:
            Refused, Indefinite, TimeoutError, ConnectionError: as the adapter says.
            AdapterError: another of its kinds, for whatever else it does.
        """
        return self._lsn("append", self._call("append", self._client(client).append, payload))

    def answers(self, appends: Sequence[tuple[str, bytes]], *, seals: bool = False) -> list[Lsn | Exception]:
        """Append as several clients at once; gives what each is told, in this order: an LSN, or why there is none.

        Coroutines run together; so do threads, one for each client, if clients have adapters of their own. Otherwise
        one append follows the other.

        Args:
            appends: who appends what.
            seals: end the epoch, too, once the first of them has asked; it is no client who does.

        Raises:
            AdapterError: one of its kinds, for whatever the adapter does that none may do.
        """
        methods = {client: self._client(client).append for client, _ in appends}
        seals = seals and "seal" in self.can
        every = [*methods.values(), *([self._adapter.seal] if seals else ())]
        if all(map(inspect.iscoroutinefunction, every)):
            together = [methods[client](payload) for client, payload in appends]
            together[1:1] = [self._adapter.seal()] if seals else ()
            said = self._loop.run(at_once(together, self._timeout_s))
            if seals and isinstance(sealed := said.pop(1), Exception) and not isinstance(sealed, UNKNOWN_OUTCOMES):
                raise sealed if isinstance(sealed, AdapterError) else _failed("seal", sealed)
            return [self._answer(one) for one in said]
        calls: list[tuple[str, Callable[[], Lsn | Exception]]] = []
        calls += [(client, partial(self._told, client, payload)) for client, payload in appends]
        calls[1:1] = [(_SEALER, self._sealed)] if seals else ()
        in_turn = len(every) == 1 or "client" not in self.can
        told = [call() for _, call in calls] if in_turn else by_threads(calls)
        return told[:1] + told[2:] if seals else told

    def _told(self, client: str, payload: bytes) -> Lsn | Exception:
        try:
            return self.append(client, payload)
        except (Refused, *UNKNOWN_OUTCOMES) as error:
            return error

    def _sealed(self) -> Lsn | Exception:
        with suppress(*UNKNOWN_OUTCOMES):
            self.do("seal")
        return 0

    def _answer(self, said: Any) -> Lsn | Exception:
        if isinstance(said, Refused | Indefinite | TimeoutError | ConnectionError):
            return said
        if isinstance(said, Exception):
            raise said if isinstance(said, AdapterError) else _failed("append", said)
        return self._lsn("append", said)

    def read(self, client: str, start: Lsn) -> Iterator[Step]:
        """Read, as one of the clients; never ends, for after the end it asks again.

        Raises:
            Indefinite, TimeoutError, ConnectionError: as the adapter says.
            AdapterError: another of its kinds, for whatever else it does.
        """
        while True:
            steps, at_end = self._steps(self._call("read", self._client(client).read, start)), False
            for step in steps:
                at_end = isinstance(step, AtEnd)
                start = step.lsn if isinstance(step, AtEnd) else start
                yield step
            if not at_end:
                why = "where there is nothing more, the last step is AtEnd"
                raise AdapterNonsense("read ended without AtEnd", why, "yield AtEnd(lsn), the LSN that comes next")

    def tail(self, client: str) -> Lsn:
        """The LSN from which on nothing lies, as a client is told.

        Raises:
            Indefinite, TimeoutError, ConnectionError: as the adapter says.
            AdapterError: another of its kinds, for whatever else it does.
        """
        own = self._client(client)
        return self._lsn("tail", self._call("tail", own.tail if hasattr(own, "tail") else self._adapter.tail))

    def holds(self, node: str) -> list[Record]:
        """What a node holds.

        Raises:
            Indefinite, TimeoutError, ConnectionError: as the adapter says.
            AdapterError: another of its kinds, for whatever else it does.
        """
        said = self._call("holds", self._adapter.holds, node)
        records = list(said) if isinstance(said, Iterable) else [said]
        if wrong := [one for one in records if not isinstance(one, Record)]:
            raise AdapterNonsense(f"holds gave {wrong[0]!r:.80}", "it gives records", "[Record(lsn, payload), ...]")
        for record in records:
            self._checked(record)
        return records

    def do(self, name: str, *words: Any) -> None:
        """Let the adapter do what it can: ``trim``, ``crash``, and the like.

        Raises:
            Indefinite, TimeoutError, ConnectionError: as the adapter says.
            AdapterError: another of its kinds, for whatever else it does.
        """
        self._call(name, getattr(self._adapter, name), *words)

    def close(self) -> None:
        """The log is not needed any more."""
        if "close" in self.can:
            with suppress(*UNKNOWN_OUTCOMES):
                self.do("close")
        self._loop.close()

    def _client(self, name: str) -> Any:
        if "client" not in self.can:
            return self._adapter
        if name not in self._clients:
            self._clients[name] = self._call("client", self._adapter.client, name)
        return self._clients[name]

    def _call(self, name: str, method: Callable[..., Any], *words: Any) -> Any:
        """What a method gives, awaited if need be."""
        try:
            said = method(*words)
            return self._awaited(said) if inspect.isawaitable(said) else said
        except (Refused, *UNKNOWN_OUTCOMES, AdapterError):
            raise
        except PackagesUnavailable as missing:
            raise AdapterUnavailable(f"{missing.what} cannot be had", missing.why, missing.advice) from missing
        except Exception as error:
            raise _failed(name, error) from error

    def _awaited(self, said: Awaitable[Any]) -> Any:
        (found,) = self._loop.run(at_once([said], self._timeout_s))
        if isinstance(found, BaseException):
            raise found
        return found

    def _steps(self, said: Any) -> Iterator[Step]:
        """The steps of a read, each checked."""
        if not isinstance(said, AsyncIterator | Iterator):
            given = f"read gave {type(said).__name__}"
            raise AdapterNonsense(given, "it gives an iterator, asynchronous or not", "yield each step")
        following: Callable[..., Any] = anext if isinstance(said, AsyncIterator) else next
        while (step := self._call("read", following, said, _OVER)) is not _OVER:
            yield self._checked(step)

    def _checked(self, step: Any) -> Step:
        match step:
            case Record(lsn, bytes()) | AtEnd(lsn):
                self._lsn("read", lsn)
                return step
            case Gap(first, last, reason) if reason in GAP_KINDS:
                if epoch_and_esn(self._lsn("read", first)) <= epoch_and_esn(self._lsn("read", last)):
                    return step
                raise AdapterNonsense(f"read gave {step!r:.80}", "it ends before it begins", "first, then last")
        why = f"a step is a Record of bytes, an AtEnd, or a Gap whose reason is one of {', '.join(GAP_KINDS)}"
        raise AdapterNonsense(f"read gave {step!r:.80}", why, "docs/reference/adapter-protocol.md")

    def _lsn(self, name: str, said: Any) -> Lsn:
        try:
            epoch_and_esn(said)
        except BadLsn as error:
            raise AdapterNonsense(f"{name} gave {error.what}", error.why, error.advice) from None
        lsn: Lsn = said
        return lsn

    def _texts(self, name: str, otherwise: tuple[str, ...]) -> tuple[str, ...]:
        said = getattr(self._adapter, name, otherwise)
        if isinstance(said, str) or not all(isinstance(one, str) for one in said):
            raise NotAnAdapter(f"{name} is {said!r:.40}", "it is a sequence of texts", f'{name} = ("...", "...")')
        return tuple(said)


def _failed(name: str, error: Exception) -> AdapterFailed:
    said = f"{type(error).__name__}: {error}"
    why = "an adapter raises Refused, Indefinite, TimeoutError or ConnectionError if its log fails"
    return AdapterFailed(f"{name} raised {said:.200}", why, "mend the adapter, or raise one of these")
