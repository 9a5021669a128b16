"""Cases of acknowledgements that several nodes give to one call, in the order in which they arrive.

``expect_rfc`` is what they should come to, ``observed`` what a real gateway made of them.
"""

from __future__ import annotations

from typing import Final

from conformance.vectors.differences import Explained
from conformance.vectors.fields import Fields
from spec.segment.iterator.choices import BY_SEGMENT, Merge
from spec.segment.iterator.definition import merged

LAST: Final = "last_acknowledgement"
"""The class of difference: the gateway answers what the last node said."""


def seen(case: Fields) -> Explained | tuple[str, ...]:
    """How the definition differs from what should be; else whether what was observed departs from it, and how.

    Raises:
        DamagedVectors: the case has no acknowledgements, or says nothing of them.
    """
    acks = case.every("acks_in_arrival_order", lambda inside, place: inside.flag(place))
    if not acks:
        raise case.refuse_part("no acknowledgements", "acks_in_arrival_order", "at least one")
    defined, last = merged(acks, BY_SEGMENT.merge), merged(acks, Merge.LAST)
    if (said := case.flag("expect_rfc")) is not defined:
        return (f"expected {said}, defined {defined}",)
    observed = case.flag("observed", default=defined)
    if observed is defined:
        return ()
    return Explained((LAST,)) if observed is last else (f"observed {observed}, defined {defined}",)
