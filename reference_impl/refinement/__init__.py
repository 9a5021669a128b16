"""Refinement: every step of the reference machine is a step of the proved text, or a stutter.

``refine`` follows a simulated run; ``exhaust`` follows everything that a small machine can do.
"""

from reference_impl.refinement.broken import Broken
from reference_impl.refinement.exhausted import Exhausted
from reference_impl.refinement.runs import Refinement, refine, without_loss
from reference_impl.refinement.small import Bounds, exhaust

__all__ = [
    "Bounds",
    "Broken",
    "Exhausted",
    "Refinement",
    "exhaust",
    "refine",
    "without_loss",
]
