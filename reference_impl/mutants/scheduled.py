"""Mutants that random runs do not show, however long: a schedule is directed to where each of them does harm.

They are no part of the kill matrix, which asks what random runs show.
"""

from __future__ import annotations

from reference_impl.log.repair.digest import Digest, Entry
from reference_impl.log.repair.plan import BridgesFrom, Plan, Round, plan_of
from reference_impl.mutants.registry import mutant


@mutant(plan_of)
def filtered_before_bridges(digest: Digest, chosen: Round) -> Plan:
    """A recovery leaves out nodes that take no writes before it looks for the bridges of earlier recoveries.

    LogDevice, EpochRecovery::startMutations, Digest::removeNodeIf and Digest::applyBridgeRecords: the order of its
    steps forgets a bridge that only a read-only shard holds, and revives what an earlier recovery had closed out.
    """
    return plan_of(digest, chosen._replace(bridges_from=BridgesFrom.MUTATION_SET))


def _without_bridges(entry: Entry) -> Entry:
    """A bridge is a hole like any other."""
    return entry._replace(copies={shard: held._replace(is_bridge=False) for shard, held in entry.copies.items()})


@mutant(plan_of)
def bridges_end_nothing(digest: Digest, chosen: Round) -> Plan:
    """A recovery ends an epoch after the last record that it finds, though an earlier one has ended it before that.

    LogDevice, Digest::applyBridgeRecords: a bridge overrules all that lies above it with a lower precedence.
    """
    return plan_of({esn: _without_bridges(entry) for esn, entry in digest.items()}, chosen)
