"""The bytes of many answers are read at once as each is read alone, damaged ones among them.

Justified by BookKeeper, BP-34, Public Interfaces, as ``spec.ledger.availability.encoding`` reads it.
"""

from __future__ import annotations

from random import Random

import pyarrow as pa

from spark_checks.audit.lists import FAULTS, decode
from spec.ledger.availability import encoding
from spec.ledger.availability.groups import Groups, SequenceGroup
from spec.ledger.errors import LedgerError
from tests.support.audited import random_list


def damaged(rng: Random, data: bytes) -> bytes:
    """The same bytes with one changed where that tells, or cut short, or lengthened."""
    changed = bytearray(data)
    changed[rng.choice((3, 4, 7, 40, rng.randrange(len(data)), rng.randrange(len(data))))] = rng.randrange(256)
    return rng.choice((bytes(changed), bytes(changed), data[: rng.randrange(len(data))], data + b"\0"))


def read_alone(data: bytes | None) -> Groups | None:
    """What an answer says by the specification; None where it cannot be read, or has an entry below 0."""
    try:
        groups = () if data is None else encoding.decode(data)
    except LedgerError:
        return None
    return None if any(group.first_start < 0 for group in groups) else groups


def test_answers_are_read_at_once_as_each_alone(rng: Random) -> None:
    whole = [random_list(rng, rng.sample(range(40), rng.randrange(20))) for _ in range(3000)]
    said = [None if rng.random() < 0.1 else damaged(rng, one) if rng.random() < 0.4 else one for one in whole]
    read = decode(pa.array([b"behind a slice", *said], pa.binary())[1:])
    begins, _, first, last, size, period = (column.tolist() for column in read.groups)
    groups = list(map(SequenceGroup, first, last, size, period))
    at_once = [
        None if fault else tuple(groups[begin:end])
        for fault, begin, end in zip(read.faults.tolist(), begins, begins[1:], strict=False)
    ]
    assert at_once == list(map(read_alone, said))
    assert {FAULTS[fault] for fault in read.faults} == set(FAULTS)


def test_no_answer_at_all() -> None:
    read = decode(pa.array([], pa.binary()))
    assert (len(read.faults), read.groups.begins.tolist()) == (0, [0])
