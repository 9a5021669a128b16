"""``quorate simulate --refine``: hold every step of a simulated run to the proved text; its events are not judged."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from conformance.cli_parts import Progress
from spec.verdicts import EXIT_CODES

if TYPE_CHECKING:
    from reference_impl.plan import SimulationPlan
    from reference_impl.refinement import Refinement


def refined(plan: SimulationPlan, arguments: Namespace, progress: Progress) -> int:
    """Follow a run; gives the exit code."""
    from reference_impl.refinement import refine

    progress("following the machine")
    found = refine(plan)
    progress.close()
    print(json.dumps(as_json(found), indent=2) if arguments.format == "json" else "\n".join(lines(found)))
    return EXIT_CODES[found.verdict]


def lines(found: Refinement) -> list[str]:
    """What people read."""
    counts = f"{found.steps:,} steps of the machine, {found.stutters:,} of them stutters; the text took "
    delivery = f"the text of delivery took {action_counts(found.delivery.by_action)}"
    broken = [one.text() for one in (found.broken, found.delivery.broken) if one is not None]
    return [*broken, counts + action_counts(found.by_action), delivery, str(found.verdict)]


def action_counts(by_action: Mapping[str, int]) -> str:
    """How often each action was taken."""
    return ", ".join(f"{action} {number:,}" for action, number in by_action.items())


def as_json(found: Refinement) -> dict[str, Any]:
    """The same for machines."""
    return {
        "verdict": str(found.verdict),
        "steps": found.steps,
        "stutters": found.stutters,
        "by_action": dict(found.by_action),
        "broken": None if found.broken is None else found.broken.text().splitlines(),
        "delivery": {
            "by_action": dict(found.delivery.by_action),
            "broken": None if found.delivery.broken is None else found.delivery.broken.text().splitlines(),
        },
    }
