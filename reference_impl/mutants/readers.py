"""Mutants of readers."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from reference_impl.log.lsn import ESN_MAX, epoch_of, lsn_of
from reference_impl.log.machine import Machine
from reference_impl.log.reader import Reader, Step, step_of
from reference_impl.mutants.registry import mutant
from spec.events import BRIDGE, DATALOSS, HOLE

REMEMBERED = 8
"""LSNs below the next one of which a careless reader still takes copies."""


@mutant("next_step")
def delivers_latest_first(reader: Reader, machine: Machine) -> Step | None:
    """A reader delivers the latest record of its buffer first.

    LogDevice, Read path, Re-ordering: the reader waits for the record of the first row. A stack for a queue.
    """
    lsn = max(reader.buffer, default=None)
    return None if lsn is None else step_of(lsn, reader.buffer[lsn])


def wants_again(reader: Reader, lsn: int) -> bool:
    """Copies of what was given a while ago are taken again."""
    return lsn >= reader.next_lsn - REMEMBERED


@mutant("next_step", wants=wants_again)
def delivers_every_copy(reader: Reader, machine: Machine) -> Step | None:
    """A reader delivers a record again when another node sends its copy.

    LogDevice, Read path, De-duplication: the reader drops copies that it already has.
    """
    old = next((lsn for lsn in reader.buffer if lsn <= reader.next_lsn), None)
    return None if old is None else step_of(old, reader.buffer[old])


def _first_after_missing(reader: Reader) -> int | None:
    """The first LSN that was received, if the next one was not."""
    return min(reader.buffer) if reader.buffer and reader.next_lsn not in reader.buffer else None


def _step_at_next(reader: Reader) -> Step | None:
    found = reader.buffer.get(reader.next_lsn)
    return None if found is None else step_of(reader.next_lsn, found)


@mutant("next_step")
def skips_silently(reader: Reader, machine: Machine) -> Step | None:
    """A reader passes over LSNs that have not arrived, and says nothing.

    LogDevice, common/client_read_stream/ClientReadStream.cpp: records and gaps partition what is read.
    """
    following = _first_after_missing(reader)
    return _step_at_next(reader) if following is None else Step(reader.next_lsn, following - 1, None)


@mutant("next_step")
def loss_without_f_majority(reader: Reader, machine: Machine) -> Step | None:
    """A reader reports data loss as soon as one node has sent something later.

    LogDevice, Read path, Gap detection algorithm: without an f-majority the reader stalls.
    """
    following = _first_after_missing(reader)
    return _step_at_next(reader) if following is None else Step(reader.next_lsn, following - 1, DATALOSS)


@mutant("next_step")
def hole_reported_without_plug(reader: Reader, machine: Machine) -> Step | None:
    """A reader reports what has not arrived as a hole.

    LogDevice, Read path, Reporting gaps: the hole plug is written by the recovery process.
    """
    missing = _first_after_missing(reader) is not None
    return Step(reader.next_lsn, reader.next_lsn, HOLE) if missing else _step_at_next(reader)


@mutant("next_step")
def bridge_reported_for_missing(reader: Reader, machine: Machine) -> Step | None:
    """A reader takes what has not arrived for the end of the epoch.

    LogDevice, Recovery, Bridge record: only the bridge tells readers to advance to the next epoch.
    """
    end = lsn_of(epoch_of(reader.next_lsn), ESN_MAX)
    return Step(reader.next_lsn, end, BRIDGE) if _first_after_missing(reader) is not None else _step_at_next(reader)
