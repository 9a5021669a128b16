"""Who tells which text, and which texts nobody tells."""

from __future__ import annotations

from typing import Final

from reference_impl.telling.appending import AppendingTeller
from reference_impl.telling.delivery import DeliveryTeller
from reference_impl.telling.epoch import EpochTeller
from reference_impl.telling.mutation import MutationTeller
from reference_impl.telling.reads import ReadsTeller
from reference_impl.telling.recovery import RecoveryTeller
from reference_impl.telling.streams import StreamsTeller
from reference_impl.telling.teller import Teller

TELLERS: Final[dict[str, type[Teller]]] = {
    "appending": AppendingTeller,
    "recovery": RecoveryTeller,
    "reads": ReadsTeller,
    "epoch": EpochTeller,
    "streams": StreamsTeller,
    "mutation": MutationTeller,
    "delivery": DeliveryTeller,
}
"""Tellers by the name of their text."""

NOT_TOLD: Final = {
    "ledger": "its runs are those of ``ensemble_change`` without a change",
    "ensemble_change": "entries have numbers, and no LSNs: ``reference_impl.telling.ledgers`` tells it by itself",
    "leaseholder": "samples have times, and no LSNs: ``reference_impl.telling.segments`` tells it by itself",
    "segment_iterator": "its pieces have no times: rules on iterators judge recorded runs of the segment machine",
    "two_phase": "a transaction commits or aborts: no rule on traces speaks of transactions",
}
"""Texts that are not told as traces of a log, and why."""
