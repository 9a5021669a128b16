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


def by_threads(calls: Sequence[tuple[str, Callable[[], Answer]]]) -> list[Answer]:
    """What calls give, in their order, if everybody calls on a thread of their own, one call after the other.

    Args:
        calls: who calls what.

    Raises:
        AdapterError: one of its kinds, if a call raises it.
    """
    told = dict[int, Answer]()

    def one(caller: str) -> None:
        for place, (who, call) in enumerate(calls):
            if who == caller:
                told[place] = call()

    callers = dict.fromkeys(caller for caller, _ in calls)
    with ThreadPoolExecutor(len(callers)) as pool:
        list(pool.map(one, callers))
    return [told[place] for place in range(len(calls))]
