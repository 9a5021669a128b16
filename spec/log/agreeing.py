"""Agreeing: which decisions of recoveries stand, and which copies of a hole plug or a bridge count together.

A recovery that begins anew under its seal hears other nodes, and may decide otherwise; then its last word counts.

A recovery that was preempted leaves its plug on a few nodes. When a later one has written something else there, and one
after that the same plug again to other nodes, no recovery ever put it on them all: whoever hears of the older copies
hears of what overruled them, too. So copies count together as long as no recovery between theirs wrote otherwise.

Source: LogDevice, common/EpochRecovery.cpp, restart; common/Digest.cpp: of what nodes tell of an ESN, that of the
latest recovery wins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from spec.events import CORRECTED, RECORD, STANDING, WITHDRAWN, Mutate, Store
from spec.language.events import column

Event: TypeAlias = dict[str, Any]

DECIDED: Final = column(Mutate.becomes)
DECIDER: Final = column(Mutate.recovery)
STANDS: Final = column(Mutate.standing)
STORED: Final = column(Store.becomes)
WRITER: Final = column(Store.recovery)
TOGETHER: Final = column(Store.plug_copies)


def with_agreement(events: Sequence[Event]) -> list[Event]:
    """The events at one LSN; decisions say whether they stand, and plugs who has a copy that counts with others."""
    decisions = [event for event in events if event["kind"] == Mutate.kind]
    stores = [event for event in events if event["kind"] == Store.kind]
    together = plug_copies(stores)
    said: list[Event] = []
    for event in events:
        if event["kind"] == Mutate.kind:
            said.append(event | {STANDS: standing(event, decisions)})
        elif event["kind"] == Store.kind:
            said.append(event | {TOGETHER: together.get(event[STORED])})
        else:
            said.append(event)
    return said


def standing(decision: Event, decisions: Sequence[Event]) -> int | None:
    """Whether the recovery that decided this for an LSN decided otherwise there, before or later.

    None where that cannot be told: by whom it was decided, or which of two recorders saw its part first.
    """
    others = [one for one in decisions if one[DECIDED] != decision[DECIDED]]
    if decision[DECIDER] is None:
        return None if others else STANDING
    of_mine = [one for one in others if one[DECIDER] in (decision[DECIDER], None)]
    if any(one[DECIDER] is None or one["recorder"] != decision["recorder"] for one in of_mine):
        return None
    if any(one["seq"] > decision["seq"] for one in of_mine):
        return WITHDRAWN
    return CORRECTED if of_mine else STANDING


def plug_copies(stores: Sequence[Event]) -> dict[int, frozenset[int] | None]:
    """Of each plug that nodes stored at one LSN, who has a copy that counts with the others.

    Where there are several such sets, the one with most nodes. None where somebody did not say whose recovery wrote a
    copy, and that decides.
    """
    plugs = {store[STORED] for store in stores} - {RECORD}
    return {plug: _most(plug, stores) for plug in plugs}


def _most(plug: int, stores: Sequence[Event]) -> frozenset[int] | None:
    mine = [store for store in stores if store[STORED] == plug]
    by = {store[WRITER] for store in mine}
    others = {store[WRITER] for store in stores if store[STORED] != plug}
    if not others:
        return frozenset(store["node"] for store in mine)
    if None in by or (len(by) > 1 and None in others):
        return None
    on = defaultdict[int, set[int]](set)
    for store in mine:
        on[store[WRITER]].add(store["node"])
    sets = [frozenset[int]().union(*(on[recovery] for recovery in run)) for run in _runs(by, others)]
    return max(reversed(sets), key=len)


def _runs(recoveries: Iterable[int], others: Iterable[int | None]) -> list[list[int]]:
    """Recoveries that wrote one thing, in order, cut where another wrote something else."""
    runs: list[list[int]] = []
    for recovery in sorted(recoveries):
        if runs and not any(other is not None and runs[-1][-1] <= other <= recovery for other in others):
            runs[-1].append(recovery)
        else:
            runs.append([recovery])
    return runs
