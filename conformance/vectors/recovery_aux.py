"""Cases of what recovery needs around it: seals, epoch recovery metadata and purging.

``kind`` says which. LSNs are written ``e<epoch>n<esn>``; ``erm`` is an epoch's recovery metadata.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.findings import Findings
from conformance.vectors.recovery_cases.metadata import metadata_findings
from conformance.vectors.recovery_cases.purges import delete_findings, single_findings, unclean_findings
from conformance.vectors.recovery_cases.seals import epoch_info_findings, seal_findings

KINDS: Final[dict[str, Callable[[Fields], Findings]]] = {
    "seal": seal_findings,
    "seal_epoch_info": epoch_info_findings,
    "get_epoch_recovery_metadata": metadata_findings,
    "purge_single_epoch": single_findings,
    "purge_delete": delete_findings,
    "purge_unclean_epochs": unclean_findings,
}
"""What a case may be about."""


def seen(case: Fields) -> tuple[str, ...]:
    """Where the reference machine does otherwise than a case expects, each difference in one clause.

    Raises:
        DamagedVectors: the case is none of these.
    """
    return case.choice("kind", KINDS)(case).differences()
