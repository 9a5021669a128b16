"""Refinement of delivery: every step of nodes that ship and of readers is a step of the proved text of delivery.

The text is its form ``InTransit``: what nodes sent counts when the reader takes it.
"""

from reference_impl.refinement.delivery.broken import Broken
from reference_impl.refinement.delivery.runs import DeliveryFollower, DeliveryRefinement
from reference_impl.refinement.delivery.small import Bounds, exhaust

__all__ = ["Bounds", "Broken", "DeliveryFollower", "DeliveryRefinement", "exhaust"]
