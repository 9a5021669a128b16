"""Both machines of recovery decide alike, where they can be asked the same: LogDevice, Recovery, Bridge record.

``reference_impl.log.outcomes`` knows neither streams nor statuses, and reads digests from above the last known good
ESN; its copies here are those that both can hold.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reference_impl.log.copies import Copy
from reference_impl.log.lsn import lsn_of
from reference_impl.log.outcomes import decide
from reference_impl.log.repair.digest import digest_of
from reference_impl.log.repair.held import Held
from reference_impl.log.repair.plan import finished, plan_of
from reference_impl.log.storage_messages import Digested
from spec.events import BRIDGE, HOLE, RECORD
from tests.support.machines import machine_of
from tests.support.repairs import bridge, by_recovery, by_sequencer, chosen, flat, hole

SHARDS, SEAL = 4, 9
MACHINE = machine_of(SHARDS, 2)
KINDS = {RECORD: by_recovery, HOLE: hole, BRIDGE: bridge}

copies = st.one_of(
    st.integers(1, 3).map(lambda wave: (Copy(RECORD, 0, 0, wave, frozenset()), by_sequencer(wave))),
    st.tuples(st.sampled_from(sorted(KINDS)), st.integers(1, 4)).map(
        lambda said: (Copy(said[0], 0, said[1], 1, frozenset()), KINDS[said[0]](said[1]))
    ),
)
digests = st.lists(st.dictionaries(st.integers(1, 6), copies), min_size=SHARDS, max_size=SHARDS)


@given(told=digests, known_good=st.integers(0, 3))
def test_where_the_epoch_ends_and_what_it_holds(told: list[dict[int, tuple[Copy, Held]]], known_good: int) -> None:
    answers = [
        Digested(1, SEAL, shard, 0, known_good, tuple((lsn_of(1, esn), one) for esn, (one, _) in sorted(held.items())))
        for shard, held in enumerate(told)
    ]
    good, outcomes = decide(answers, MACHINE)
    digest = digest_of((shard, esn, one) for shard, held in enumerate(told) for esn, (_, one) in sorted(held.items()))
    asked = chosen(flat(SHARDS, 2), SEAL, known_good)._replace(knows_tail=True)
    plan, done = plan_of(digest, asked), finished(digest, asked)
    records = [esn for esn, entry in done.items() if esn > good and not entry.target.is_hole]
    assert [outcome.esn for outcome in outcomes if outcome.becomes == RECORD] == records
    assert (outcomes[-1].esn, outcomes[-1].becomes) == (plan.bridge_esn, BRIDGE)
