"""Guards of recovery's decisions: what an epoch's tail becomes follows from what an f-majority told.

Which answers reached the recovery is hidden. So the question is whether some of the nodes that promised suffice without
those that told the contrary: the more nodes, the better they suffice, so the largest such set decides it.
"""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.log.copies import Nodes
from reference_impl.log.quorums import Quorums
from reference_impl.log.statuses import Statuses
from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import Epoch, Held, Log, Recovering
from reference_impl.replay.streams import Content
from reference_impl.replay.trace_events import TraceEvent
from spec.events import BRIDGE, HOLE, RECORD, Clean, Mutate, NewEpoch, Store

Precedence = tuple[int, int]
BEFORE_ALL: Precedence = (-1, -1)
WORDS = {RECORD: "a record", HOLE: "a hole", BRIDGE: "the bridge"}


def objection(log: Log, number: int, recovery: int, esn: int, content: Content) -> Against | None:
    """Why a recovery cannot have decided this of an ESN; None if it can."""
    epoch, recovering = log.epoch(number), log.recovering(number, recovery)
    if epoch.quorums is None or epoch.nodeset is None:
        return None
    if content in recovering.stored.get(esn, ()):
        return None
    if esn < 1:
        return Against("an ESN from 1 on", f"ESN {esn}")
    becomes, digest = content
    contrary = frozenset[int]()
    if becomes == RECORD:
        best = max((_precedence(held) for _, held in _told(recovering, esn) if held.content == content), default=None)
        if best is None:
            return Against("a record that some node told of", f"payload {digest}, which nobody told")
        contrary = frozenset(_overrule(recovering, esn, content, best))
    elif becomes == HOLE:
        last = max((above for told in recovering.told.values() for above in told), default=0)
        if esn > last:
            return Against(
                f"nothing but the bridge above ESN {last}, the last that was told of", f"a hole at ESN {esn}"
            )
        contrary = frozenset(_insist_in_stream(log, epoch, recovering, recovery, esn))
    else:
        before = esn - 1
        if before > epoch.good and not any(held.becomes == RECORD for _, held in _told(recovering, before)):
            return Against(f"the bridge right after a record; ESN {before} is none", f"the bridge at ESN {esn}")
        after = {above for told in recovering.told.values() for above in told if above >= esn}
        insist = (_insist_in_stream(log, epoch, recovering, recovery, above) for above in after)
        contrary = frozenset[int]().union(*insist)
    return _too_few(log, epoch, recovering, recovery, contrary, f"{WORDS[becomes]} at ESN {esn}")


def _too_few(
    log: Log, epoch: Epoch, recovering: Recovering, recovery: int, contrary: Nodes, what: str
) -> Against | None:
    """The nodes that promised, without those who told the contrary, do not suffice under any table since."""
    quorums, nodeset = epoch.quorums, epoch.nodeset
    if quorums is None or nodeset is None:
        return None
    if recovering.heard is not None:
        told = sorted(contrary & recovering.heard)
        return Against(f"no node that recovery {recovery} heard to tell otherwise", f"{told}: {what}") if told else None
    promised = frozenset(node for node in nodeset if (shard := log.shards.get(node)) and shard.promised >= recovery - 1)
    heard = promised - contrary
    cluster = log.cluster
    for version in range(cluster.newest.version, recovering.since - 1, -1):
        if (statuses := cluster.statuses.get(version)) is not None and _suffice(quorums, heard, nodeset, statuses):
            return None
    return Against(
        f"nodes that promised recovery {recovery} and suffice to decide {what}",
        f"{sorted(heard)}" + (f"; {sorted(contrary)} told of a record" if contrary else ""),
    )


def _suffice(quorums: Quorums, heard: Nodes, nodeset: Nodes, statuses: Statuses) -> bool:
    """No copyset can hide from these nodes, and they can hold one."""
    answering = heard - statuses.gone
    return quorums.can_replicate(answering) and quorums.is_f_majority(answering, nodeset, statuses)


def _told(recovering: Recovering, esn: int) -> Iterator[tuple[int, Held]]:
    """The nodes that told this recovery of an ESN, and what."""
    for node, told in recovering.told.items():
        for held in told.get(esn, ()):
            yield node, held


def _precedence(held: Held) -> Precedence:
    """What overrules what; where nobody knows who wrote a copy that was rebuilt, it overrules nothing."""
    return BEFORE_ALL if held.rebuilt else (held.recovery, held.wave)


def _overrule(recovering: Recovering, esn: int, content: Content, best: Precedence) -> Iterator[int]:
    """The nodes that told, each time, of something else here or of a bridge here or below that overrules a record."""
    reaching = recovering.reaching(esn)
    for node, told in recovering.told.items():
        for other in reaching & told.keys():
            if all(
                _precedence(held) > best and ((other == esn and held.content != content) or held.becomes == BRIDGE)
                for held in told[other]
            ):
                yield node
                break


def _insist(recovering: Recovering, esn: int) -> Iterator[int]:
    """The nodes that told, each time, of a record here which no plug here and no bridge here or below overrules."""
    records = [
        (node, helds[0])
        for node, told in recovering.told.items()
        if len(helds := told.get(esn, ())) == 1 and helds[0].becomes == RECORD and not helds[0].rebuilt
    ]
    if not records:
        return
    reaching = recovering.reaching(esn)
    overruling = max(
        (
            (held.recovery, held.wave)
            for told in recovering.told.values()
            for other in reaching & told.keys()
            for held in told[other]
            if (other == esn and held.becomes == HOLE) or held.becomes == BRIDGE
        ),
        default=BEFORE_ALL,
    )
    yield from (node for node, held in records if _precedence(held) > overruling)


def _insist_in_stream(log: Log, epoch: Epoch, recovering: Recovering, recovery: int, esn: int) -> Iterator[int]:
    """The same; but nobody can insist on a record of a stream where an ESN below it may be missing or a hole."""
    if esn in epoch.streamed:
        for below in range(epoch.good + 1, esn):
            contrary = frozenset(_insist(recovering, below))
            if _too_few(log, epoch, recovering, recovery, contrary, WORDS[HOLE]) is None:
                return
    yield from _insist(recovering, esn)


@guard(
    "mutate.is_next",
    Mutate,
    cite="LogDevice, Recovery, Log recovery: every ESN above the last known good one gets an outcome",
    needs=(Store, Mutate),
)
def decides_one_after_the_other(log: Log, mutate: TraceEvent) -> Against | None:
    """A recovery decides every ESN from the last known good one to its bridge, one after the other, maybe twice."""
    if mutate.recovery is None or log.epoch(mutate.epoch).unnamed is not None:
        return None
    last, first = log.recovering(mutate.epoch, mutate.recovery).last, log.epoch(mutate.epoch).good + 1
    if (mutate.esn == last + 1) if last else (1 <= mutate.esn <= first):
        return None
    return Against(f"ESN {last + 1}" if last else f"ESN {first} at most, to begin with", f"ESN {mutate.esn}")


@guard(
    "mutate.is_replicated",
    Mutate,
    cite="LogDevice, Recovery, Log recovery: it replicates the outcome to the correct number of nodes",
    needs=(Store, NewEpoch),
    promise="recovery",
)
def outcome_is_replicated(log: Log, mutate: TraceEvent) -> Against | None:
    """What a recovery decides lies on nodes that can replicate it: it stored it there, or they told it."""
    epoch = log.epoch(mutate.epoch)
    if epoch.quorums is None or mutate.recovery is None or mutate.digest is None or epoch.unnamed is not None:
        return None
    content = mutate.becomes, mutate.digest
    recovering = log.recovering(mutate.epoch, mutate.recovery)
    said = recovering.stored.get(mutate.esn, {}).items()
    stored = {node for other, nodes in said if not any(map(differ, other, content)) for node in nodes}
    told = {node for node, held in _told(recovering, mutate.esn) if held.content == content}
    if epoch.quorums.can_replicate(frozenset(stored | told)):
        return None
    return Against(
        "nodes that can replicate it", f"recovery {mutate.recovery} knows it only on {sorted(stored | told)}"
    )


@guard(
    "mutate.is_for_good",
    Mutate,
    cite="LogDevice, Recovery: a consistent and immutable state; what a recovery replicated no later one changes",
    promise="recovery",
)
def no_recovery_decides_otherwise(log: Log, mutate: TraceEvent) -> Against | None:
    """What one recovery decided, no other one changes."""
    content = mutate.becomes, mutate.digest
    for number, other in log.epoch(mutate.epoch).recoveries.items():
        before = other.decided.get(mutate.esn)
        if before is not None and any(map(differ, before, content)):
            return Against(f"{before}, as recovery {number} decided", f"{content}")
    return None


@change(Mutate)
def is_decided(log: Log, mutate: TraceEvent) -> None:
    """The outcome stands."""
    recovering = log.recovering(mutate.epoch, mutate.recovery or 0)
    is_unknown = mutate.digest is None and mutate.becomes == RECORD
    digest = log.epoch(mutate.epoch).appended.get(mutate.esn) if is_unknown else mutate.digest
    recovering.decided[mutate.esn] = (mutate.becomes, digest)
    recovering.last = 0 if mutate.becomes == BRIDGE else mutate.esn


@guard(
    "clean.is_next",
    Clean,
    cite="LogDevice, common/LogRecoveryRequest.cpp: the last clean epoch advances one epoch at a time",
    needs=(Clean,),
    promise="recovery",
)
def epochs_become_clean_in_order(log: Log, clean: TraceEvent) -> Against | None:
    """The last clean epoch advances one epoch at a time."""
    if clean.epoch == log.cleaned + 1:
        return None
    return Against(f"epoch {log.cleaned + 1}", f"epoch {clean.epoch}")


@guard(
    "clean.is_decided",
    Clean,
    cite="LogDevice, Recovery, Bridge record: its sequence number says where the epoch ends",
    needs=(Mutate,),
    promise="recovery",
)
def ends_at_the_decided_bridge(log: Log, clean: TraceEvent) -> Against | None:
    """An epoch is clean once its recovery has decided it up to the bridge, at this ESN."""
    decided = _decided(log.epoch(clean.epoch), clean)
    bridge = next((esn for esn in reversed(decided) if decided[esn][0] == BRIDGE), None)
    if bridge == clean.esn:
        return None
    expected = f"the bridge at ESN {bridge}" if bridge else f"a bridge that recovery {clean.recovery} decided"
    return Against(expected, f"ESN {clean.esn} by recovery {clean.recovery}")


@change(Clean)
def is_clean(log: Log, clean: TraceEvent) -> None:
    """The epoch is what this recovery decided."""
    epoch = log.epoch(clean.epoch)
    epoch.clean, epoch.bridge = _decided(epoch, clean), clean.esn
    log.cleaned = max(log.cleaned, clean.epoch)


def _decided(epoch: Epoch, clean: TraceEvent) -> dict[int, Content]:
    """What the recovery decided that cleans an epoch; where nobody knows which it was, one that decided its bridge.

    What was decided by nobody knows whom may all be its.
    """
    known = (one.decided for number, one in epoch.recoveries.items() if clean.recovery in (number, None))
    found = (decided for decided in known if clean.recovery is not None or decided.get(clean.esn, (None,))[0] == BRIDGE)
    unnamed = {} if epoch.unnamed is None else epoch.unnamed.decided
    return unnamed | next(found, {})


def kept(epoch: Epoch, esn: int) -> Content | None:
    """What an ESN of an epoch is by now: as its recovery decided, else as it was appended; None if nothing is known."""
    if epoch.clean is not None and (decided := epoch.clean.get(esn)) is not None:
        return decided
    return (RECORD, epoch.appended[esn]) if esn in epoch.appended and not esn > epoch.bridge > 0 else None
