"""At once: several calls of one log under way together, as coroutines or on threads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Answer = TypeVar("Answer")


async def at_once(calls: Sequence[Awaitable[Any]], timeout_s: float) -> list[Any]:
    """What calls give that run together, in their order; of one that fails or takes too long, the error."""
    in_time = (asyncio.wait_for(call, timeout_s) for call in calls)
    return await asyncio.gather(*in_time, return_exceptions=True)


def by_threads(ask: Callable[[str, bytes], Answer], appends: Sequence[tuple[str, bytes]]) -> list[Answer]:
    """What clients are told, each of which is asked on a thread of its own, one append after the other.

    Args:
        ask: what a client is told of one append.
        appends: who appends what.

    Raises:
        AdapterError: one of its kinds, if ``ask`` raises it.
    """
    told = dict[int, Answer]()

    def one(client: str) -> None:
        for place, (who, payload) in enumerate(appends):
            if who == client:
                told[place] = ask(client, payload)

    clients = dict.fromkeys(client for client, _ in appends)
    with ThreadPoolExecutor(len(clients)) as pool:
        list(pool.map(one, clients))
    return [told[place] for place in range(len(appends))]
