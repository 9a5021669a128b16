"""What the rules of the log family speak about: LSNs, epochs, nodes in epochs, readers, who sends, and two tables."""

from __future__ import annotations

from spec.log.views.epochs import Description, Epoch, Plan
from spec.log.views.nodes import Instruction, NodeEpoch, NodeSlot, Obedience, Purge, Remnant
from spec.log.views.readers import Addition, Choosing, Conclusion, Lookup, Request, Shipment, Step, Turnabout, Wish
from spec.log.views.rebuilding import NewCopyset, Table
from spec.log.views.slots import Choice, Dismissal, Place, Slot
from spec.log.views.tables import (
    Cleanings,
    Deltas,
    Donations,
    Drains,
    Emptying,
    Faults,
    Hearings,
    Metadata,
    MetadataLogs,
    Outcomes,
    Plans,
    Retirements,
    Rounds,
    ScatteredReaders,
    Scatterings,
    Statuses,
    Tellings,
    Trims,
)

__all__ = [
    "Addition",
    "Choice",
    "Choosing",
    "Cleanings",
    "Conclusion",
    "Deltas",
    "Description",
    "Dismissal",
    "Donations",
    "Drains",
    "Emptying",
    "Epoch",
    "Faults",
    "Hearings",
    "Instruction",
    "Lookup",
    "Metadata",
    "MetadataLogs",
    "NewCopyset",
    "NodeEpoch",
    "NodeSlot",
    "Obedience",
    "Outcomes",
    "Place",
    "Plan",
    "Plans",
    "Purge",
    "Remnant",
    "Request",
    "Retirements",
    "Rounds",
    "ScatteredReaders",
    "Scatterings",
    "Shipment",
    "Slot",
    "Statuses",
    "Step",
    "Table",
    "Tellings",
    "Trims",
    "Turnabout",
    "Wish",
]
