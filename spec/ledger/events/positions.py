"""Positions in a ledger: a copy is an entry and, in its low bits, the member of the ensemble that the copy is for.

Members of an ensemble are numbered from 0, in the order in which the metadata names them: BookKeeper,
client/RoundRobinDistributionSchedule.java.
"""

from __future__ import annotations

from typing import Final

from spec.language.orders import Position, declared

COPY: Final = declared(Position("copy", "entry", "member", spelt="entry {}, member {}"))
