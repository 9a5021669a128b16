"""The service that Restate calls while it is recorded: one counter per key. Served by hypercorn as `app`."""

from __future__ import annotations

import restate

counter = restate.VirtualObject("Counter")


@counter.handler()
async def add(context: restate.ObjectContext, amount: int) -> int:
    """Add to the counter of the called key and return its new value."""
    value = (await context.get("value", type_hint=int) or 0) + amount
    context.set("value", value)
    return value


app = restate.app([counter])
