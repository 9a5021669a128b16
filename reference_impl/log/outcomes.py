"""Outcomes: what a recovery makes of the copies that nodes tell it of, in the words of ``reference_impl.log.repair``.

LogDevice, Recovery, Log recovery and Bridge record; common/Digest.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from reference_impl.log.copies import Copy, Nodes, Outcome
from reference_impl.log.lsn import esn_of
from reference_impl.log.repair.bridges import NOWHERE
from reference_impl.log.repair.held import Held
from reference_impl.log.repair.mutation import Becomes, Mutation
from reference_impl.log.repair.plan import Plan
from spec.events import BRIDGE, HOLE, RECORD

WAVE_BITS: Final = 20
"""A recovery's copies are numbered by its seal epoch, and below that by wave: later rounds overrule earlier ones."""

KINDS: Final = {Becomes.RECORD: RECORD, Becomes.HOLE: HOLE, Becomes.BRIDGE: BRIDGE}


def precedence(copy: Copy) -> tuple[int, int]:
    """Copies of later recoveries overrule earlier ones, and all of them the sequencer's; then the later wave."""
    return copy.recovery, copy.wave


def number_of(recovery: int, wave: int) -> int:
    """The number of what a recovery stores in a wave. LogDevice has the seal epoch alone: common/Mutator.cpp."""
    return recovery << WAVE_BITS | wave


def held_of(copy: Copy) -> Held:
    """A copy as the rules of recovery see it."""
    number = number_of(copy.recovery, copy.wave) if copy.recovery else copy.wave
    is_hole = copy.becomes != RECORD
    return Held(number, copy.recovery > 0, is_hole, copy.becomes == BRIDGE, copy.in_stream, digest=copy.digest)


def copies_by_esn(copies: Iterable[tuple[int, Copy]]) -> tuple[tuple[int, Held], ...]:
    """A node's copies of one epoch, by LSN, as its digest: by ESN."""
    return tuple((esn_of(lsn), held_of(copy)) for lsn, copy in copies)


def outcome_of(mutation: Mutation) -> Outcome:
    """What a mutation makes of its ESN."""
    becomes, target = KINDS[mutation.becomes], mutation.target
    if becomes != RECORD or target is None:
        return Outcome(mutation.esn, becomes, 0)
    return Outcome(mutation.esn, becomes, target.digest, target.in_stream)


def outcomes_of(plan: Plan) -> tuple[Outcome, ...]:
    """What becomes of every ESN up to the bridge; what lies beyond it is purged, where LogDevice stores holes."""
    return tuple(outcome_of(mutation) for mutation in plan.decided if _counts(plan, mutation.esn))


def needed(plan: Plan) -> Mapping[int, tuple[Outcome, Nodes]]:
    """What must be stored up to the bridge, by ESN, and who must take it because it holds something else."""
    mutations = [mutation for mutation in plan.mutations if _counts(plan, mutation.esn)]
    return {mutation.esn: (outcome_of(mutation), mutation.required) for mutation in mutations}


def _counts(plan: Plan, esn: int) -> bool:
    return plan.bridge_esn == NOWHERE or esn <= plan.bridge_esn
