"""What a block leaves behind is small, can be sent to another process, and is merged only with what belongs to it."""

import pickle
from random import Random

import numpy as np
import pytest

from spec.columns import blocks
from spec.columns.blocks import check, check_block, merge
from spec.columns.column import Column, Raw
from spec.columns.dimensions import dimensions_of, gather
from spec.columns.mistakes import MixedParts
from spec.columns.plan import needed_columns, needed_columns_of_dimensions
from spec.events import Ack, Outcome, Positioned, Release, Store
from spec.language.declare import View, along, any_of, max_of, min_of, set_of
from spec.language.handles import Bool, known
from spec.language.parameters import Parameters
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule, rule
from tests.support.cuts import differences, drawn, piece_of
from tests.support.probe_rules import PROBE_RULES
from tests.support.random_traces import parameters_for, random_events, raw_of

PARAMETERS = parameters_for(5)


class Record(View, one_per=(Positioned.log, Positioned.lsn)):
    """One LSN of a long log."""

    lsn, in_log = Positioned.lsn, along(Positioned.log)
    copies, acked, stored_at = set_of(Store.node), any_of(Ack), min_of(Store.time)
    release = in_log.next(min_of(Release.time))
    before = in_log.previous(lsn)
    highest = in_log.highest(max_of(Outcome.upto))
    earliest = in_log.lowest(min_of(Release.time))
    latest = in_log.highest(stored_at)


@rule("long.released", cite="none: a probe of what waits")
def released_later(record: Record) -> Bool:
    """A record is released after it is stored."""
    return known(record.stored_at).implies(record.stored_at < record.release)


@rule("long.rising", cite="none: a probe of what waits")
def rising(record: Record) -> Bool:
    """LSNs rise."""
    return known(record.before).implies(record.before < record.lsn)


@rule("long.highest", cite="none: a probe of what waits")
def nothing_read_twice(record: Record) -> Bool:
    """Nothing is covered before it is stored."""
    return record.acked | ~known(record.highest)


@rule("long.in_time", cite="none: a probe of what a bound settles")
def released_in_time(record: Record) -> Bool:
    """A record is released at most so much later than it is stored."""
    return known(record.earliest) & record.earliest.not_after(record.stored_at + 400)


@rule("long.not_before", cite="none: a probe of what a bound does not settle")
def released_after_it_is_stored(record: Record) -> Bool:
    """A record is stored before every release that covers it."""
    return record.stored_at <= record.earliest


@rule("long.not_earlier", cite="none: a probe of what a bound settles")
def times_rise(record: Record) -> Bool:
    """Something is stored no earlier than the record, as far up to it."""
    return known(record.latest) & (record.stored_at <= record.latest)


LONG = [released_later, rising, nothing_read_twice]


def long_log(records: int, release_every: int) -> Raw:
    """One log in one epoch: each record is stored and acknowledged, some are released."""
    kinds = np.tile(np.array([7, 8, 13], np.int8), records)
    esn = np.repeat(np.arange(1, records + 1), 3)
    keep = (kinds != 13) | (esn % release_every == 0)
    zero = np.zeros(int(keep.sum()), np.int64)
    raw = {name: Column(zero) for name in needed_columns(LONG)}
    raw["kind"], raw["esn"], raw["epoch"] = Column(kinds[keep]), Column(esn[keep]), Column(zero + 1)
    raw["time_ns"] = Column(esn[keep] + (kinds[keep] == 13))
    return raw


def test_a_part_can_be_sent() -> None:
    """Workers judge blocks and hand back parts."""
    events, parameters, _ = drawn(4)
    raw = raw_of(events, parameters)
    tables = gather(dimensions_of(PROBE_RULES), [raw], parameters)
    middle = len(events) // 2
    parts = [
        check_block(PROBE_RULES, piece_of(raw, a, b), parameters, tables)
        for a, b in ((0, middle), (middle, len(events)))
    ]
    sent = [pickle.loads(pickle.dumps(part)) for part in parts]  # noqa: S301 - our own bytes
    judged = merge(PROBE_RULES, sent, parameters, tables, close=True).judgement
    assert differences(PROBE_RULES, ReferenceEvaluator(events, parameters).judge(PROBE_RULES), judged) == []


def test_a_long_log_leaves_few_rows() -> None:
    """A block in the middle of one endless epoch keeps the rows at its borders, not the rows between."""
    parameters = Parameters(size=5)
    raw = long_log(20_000, release_every=10)
    part = check_block(LONG[:2], piece_of(raw, 12_000, 30_000), parameters, {})
    assert 0 < part.waiting < 40
    assert len(pickle.dumps(part)) < 10_000


def test_rows_after_the_last_release_wait() -> None:
    """They do until one comes, or the trace ends: that is what is not bounded."""
    parameters = Parameters(size=5)
    part = check_block(LONG[:1], long_log(1000, release_every=400), parameters, {})
    assert 200 <= part.waiting < 210
    closed = merge(LONG[:1], [part], parameters, {}, close=True)
    assert closed.waiting == 0
    assert sum(closed.judgement.counts.values()) == 1000


def test_few_rows_wait_for_more() -> None:
    """All of them do, and what is said of them in the end is what is said of them at once."""
    parameters = Parameters(size=5)
    raw = long_log(100, release_every=4)
    alone = [check_block(LONG, raw, parameters, {}, together=rows) for rows in (99, 100)]
    assert alone[0].waiting < 100 == alone[1].waiting
    assert not alone[1].judgement.counts
    closed = [merge(LONG, [part], parameters, {}, close=True).judgement for part in alone]
    assert closed[0] == closed[1]


def test_what_is_settled_does_not_wait_for_a_running_maximum() -> None:
    """The greatest value so far is open in a block that begins inside a log; a rule that is true anyway is judged."""
    parameters = Parameters(size=5)
    part = check_block(LONG[2:], piece_of(long_log(1000, release_every=400), 600, 1800), parameters, {})
    assert part.waiting < 5


@pytest.mark.parametrize("rule", [released_in_time, times_rise], ids=lambda rule: rule.id)
def test_what_a_bound_settles_does_not_wait(rule: Rule) -> None:
    """A lowest value may only fall and a highest may only rise: what gets truer by that is judged."""
    raw = long_log(1000, release_every=10)
    part = check_block([rule], piece_of(raw, 600, 1800), Parameters(size=5), {})
    assert part.waiting < 20
    assert sum(part.judgement.counts.values()) > 500


def test_what_a_bound_does_not_settle_waits() -> None:
    """Something less may come after the block: a record that must be before all of it cannot be judged in it."""
    raw = long_log(1000, release_every=10)
    part = check_block([released_after_it_is_stored], piece_of(raw, 600, 1800), Parameters(size=5), {})
    assert part.waiting > 500
    assert not part.judgement.counts


@pytest.mark.parametrize("together", [0, 2, blocks.ROWS_TOGETHER])
@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_check_merges_as_it_goes(at_once: int, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often what waits is merged, and however many rows wait for others, the answer is the reference's."""
    monkeypatch.setattr(blocks, "BLOCKS_MERGED", at_once)
    monkeypatch.setattr(blocks, "ROWS_TOGETHER", together)
    monkeypatch.setattr(blocks, "BLOCK", 1)
    for seed in range(6):
        events, parameters, rng = drawn(seed)
        raw = raw_of(events, parameters)
        tables = gather(dimensions_of(PROBE_RULES), [raw], parameters)
        size = rng.choice((1, 3, 10))
        pieces = [piece_of(raw, first, first + size) for first in range(0, len(events), size)]
        want = ReferenceEvaluator(events, parameters).judge(PROBE_RULES)
        assert differences(PROBE_RULES, want, check(PROBE_RULES, pieces, parameters, tables)) == []


def test_needed_columns_are_enough(rng: Random) -> None:
    """A reader may leave out what the selected rules do not read."""
    events = random_events(rng, 80, nodes=5, logs=2)
    raw = raw_of(events, PARAMETERS)
    want = ReferenceEvaluator(events, PARAMETERS).judge(PROBE_RULES)
    for one in PROBE_RULES:
        dimensions = dimensions_of([one])
        few = {name: raw[name] for name in needed_columns([one])}
        keys = {name: raw[name] for name in needed_columns_of_dimensions(dimensions)}
        assert differences([one], want, check([one], [few], PARAMETERS, gather(dimensions, [keys], PARAMETERS))) == []


def test_parts_that_overlap_are_refused(rng: Random) -> None:
    raw = raw_of(random_events(rng, 60, nodes=5, logs=3), PARAMETERS)
    parts = [check_block(LONG, piece_of(raw, a, b), PARAMETERS, {}) for a, b in ((0, 40), (20, 60))]
    with pytest.raises(MixedParts, match="overlap"):
        merge(LONG, parts, PARAMETERS, {})


def test_parts_of_other_rules_are_refused(rng: Random) -> None:
    raw = raw_of(random_events(rng, 60, nodes=5, logs=3), PARAMETERS)
    part = check_block(LONG[:2], raw, PARAMETERS, {})
    with pytest.raises(MixedParts, match="other rules"):
        merge(LONG, [part], PARAMETERS, {})
