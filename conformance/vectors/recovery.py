"""Cases of recovery on four levels: one digest, one epoch, the machine of one epoch, and a whole log.

``records`` or ``digest`` are what shards told, in order: each with its ``kind`` (NORMAL, MUTATED, HOLE, BRIDGE or
WRITE_STREAM) and the wave or seal epoch of its writer. What is expected depends on the level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.digests import digest_findings
from conformance.vectors.recovery_cases.epochs import epoch_findings
from conformance.vectors.recovery_cases.findings import Findings
from conformance.vectors.recovery_cases.logs import log_findings
from conformance.vectors.recovery_cases.machines import machine_findings

LEVELS: Final[dict[str, Callable[[Fields], Findings]]] = {
    "digest": digest_findings,
    "epoch_recovery": epoch_findings,
    "epoch_recovery_trace": machine_findings,
    "cluster": log_findings,
}
"""How much of a recovery a case is about."""


def seen(case: Fields) -> tuple[str, ...]:
    """Where the reference machine does otherwise than a case expects, each difference in one clause.

    Raises:
        DamagedVectors: the case is no case of recovery.
    """
    return case.choice("level", LEVELS)(case).differences()
