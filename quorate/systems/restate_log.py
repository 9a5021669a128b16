"""The service that makes logs of Restate's state: a virtual object for each, which Restate calls. Served as `app`.

Source: Restate documentation, Services (a handler of a virtual object runs alone for its key, but for those of kind
``shared``) and State (it comes with the call, as it was then). A record is the state of its LSN.
"""

from __future__ import annotations

import restate

BATCH = 50
"""How many records a reader is given at once."""

log = restate.VirtualObject("Log")


@log.handler()
async def append(context: restate.ObjectContext, payload: str) -> int:
    """Store a record after the last one; its LSN."""
    lsn = 1 + (await context.get("last", type_hint=int) or 0)
    context.set(str(lsn), payload)
    context.set("last", lsn)
    return lsn


@log.handler()
async def trim(context: restate.ObjectContext, upto: int) -> None:
    """Clear every record up to an LSN, this one included."""
    trimmed_to, last = await _ends(context)
    for lsn in range(trimmed_to + 1, min(upto, last) + 1):
        context.clear(str(lsn))
    context.set("trimmed_to", max(trimmed_to, min(upto, last)))


@log.handler(kind="shared")
async def read(context: restate.ObjectSharedContext, start: int) -> dict[str, int | list[str]]:
    """The LSN up to which all is trimmed, the last one, and records from an LSN on that is behind the former."""
    trimmed_to, last = await _ends(context)
    lsns = range(max(start, trimmed_to + 1), min(start + BATCH - 1, last) + 1)
    records = [await context.get(str(lsn), type_hint=str) or "" for lsn in lsns]
    return {"trimmed_to": trimmed_to, "last": last, "records": records}


async def _ends(context: restate.ObjectContext | restate.ObjectSharedContext) -> tuple[int, int]:
    trimmed_to = await context.get("trimmed_to", type_hint=int) or 0
    return trimmed_to, await context.get("last", type_hint=int) or 0


app = restate.app([log])
