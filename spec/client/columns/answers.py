"""Answers: which append each is about, whether its client was told before, and which appends are still open.

Source: the books of one client, ``spec.client.bookkeeping.writers``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from spec.client.bookkeeping.books import ANSWERS, CERTAIN
from spec.client.bookkeeping.writers import BEFORE, NEVER, REMEMBERED
from spec.client.columns.plain import Plain
from spec.columns.column import Array, Mask
from spec.columns.order import places
from spec.events import Ack, Indefinite, Refused

NO_ROW: Final = -1
"""Instead of a row: there is none."""


@dataclass(frozen=True)
class Answers:
    """Answers of plain events, each with its append.

    Attributes:
        rows: the answers.
        named: the row of the event that each names; NO_ROW if nobody recorded one.
        begun: the row in which the append began that each is about; NO_ROW if it is about none that is open.
        repeated: of refusals, whether the client had been told so before.
        begun_before: of acknowledgements, whether the append began.
        open: the appends of which nobody was told for certain what became, in the order in which books have them.
    """

    rows: Array
    named: Array
    begun: Array
    repeated: Mask
    begun_before: Array
    open: Array


def answers_of(plain: Plain) -> Answers:
    """All answers of plain events."""
    rows = places(plain.is_of(*ANSWERS))
    named = named_rows(plain, rows)
    begun = np.where(_is_append_of(plain, rows, named), named, NO_ROW)
    odd = _odd(plain, begun)
    found, repeated = _in_their_turn(plain, rows, begun, odd)
    begun = np.where(found, begun, NO_ROW)
    before = np.full(len(rows), BEFORE)
    unmatched = places((begun == NO_ROW) & plain.is_of(Ack.kind)[rows]).tolist() if plain.recording.appends else []
    begins = _begins_of_clients(plain) if unmatched else {}
    for place in unmatched:
        if _never_began(plain, begins, int(rows[place]), int(named[place])):
            before[place] = NEVER
    differs = (begun != NO_ROW) & plain.has_digest[rows] & (plain.digest[rows] != plain.digest[begun])
    before[differs] = NEVER
    return Answers(rows, named, begun, repeated, before, _open(plain, rows, begun))


def named_rows(plain: Plain, rows: Array) -> Array:
    """The row that some rows name, of the same recorder; NO_ROW if there is none."""
    recorder, seq = plain.recorder[rows], plain.version[rows]
    at = np.minimum(plain.at(recorder, seq), len(plain.own) - 1)
    return np.where((plain.recorder[at] == recorder) & (plain.seq[at] == seq), at, NO_ROW)


def _is_append_of(plain: Plain, rows: Array, named: Array) -> Mask:
    """Whether an append of the same client to the same log began there."""
    same = (plain.log[named] == plain.log[rows]) & (plain.actor[named] == plain.actor[rows])
    is_append: Mask = (named != NO_ROW) & plain.is_begin[named] & same
    return is_append


def _odd(plain: Plain, begun: Array) -> Array:
    """The answers to appends that have several, or that did not begin."""
    times = np.bincount(begun[begun != NO_ROW], minlength=len(plain.own))
    return places((begun == NO_ROW) | (times[begun] > 1))


def _in_their_turn(plain: Plain, rows: Array, begun: Array, odd: Array) -> tuple[Mask, Mask]:
    """Whether an append that began is open to each answer, and whether each refusal is a repetition."""
    found, repeated = begun != NO_ROW, np.zeros(len(rows), np.bool_)
    closed, refused = set[int](), set[tuple[int, ...]]()
    for place in odd.tolist():
        row, append = int(rows[place]), int(begun[place])
        if append != NO_ROW:
            found[place] = append not in closed
            if plain.kind[row] != Indefinite.kind:
                closed.add(append)
        if plain.kind[row] == Refused.kind:
            which = tuple(int(one[row]) for one in (plain.log, plain.actor, plain.recorder, plain.version))
            repeated[place] = which in refused
            refused.add(which)
    return found, repeated


def _begins_of_clients(plain: Plain) -> dict[tuple[int, int], Array]:
    """Where the appends of each client to each log began."""
    order, starts = plain.clients(plain.begins)
    groups = np.split(plain.begins[order], starts[1:])
    return {(int(plain.log[mine[0]]), int(plain.actor[mine[0]])): mine for mine in groups if len(mine)}


def _never_began(plain: Plain, begins: Mapping[tuple[int, int], Array], row: int, named: int) -> bool:
    """Whether no append of this client to this log began where an answer says, as far as that is still remembered."""
    mine = begins.get((int(plain.log[row]), int(plain.actor[row])), plain.begins[:0])
    latest = mine[: np.searchsorted(mine, row)][-REMEMBERED:]
    is_recent = len(latest) < REMEMBERED or bool(plain.seq[latest[0]] < plain.version[row])
    return is_recent and named not in latest.tolist()


def _open(plain: Plain, rows: Array, begun: Array) -> Array:
    """Client after client: the appends that it gave up, as it did so, and those without an answer, as they began."""
    is_open = np.zeros(len(plain.own), np.bool_)
    is_open[plain.begins] = True
    is_certain = plain.is_of(*CERTAIN)[rows] & (begun != NO_ROW)
    is_open[begun[is_certain]] = False
    given_up = np.full(len(plain.own), NO_ROW)
    gave_up = (begun != NO_ROW) & ~is_certain
    given_up[begun[gave_up]] = rows[gave_up]
    left = places(is_open)
    order, starts = plain.clients(plain.writing)
    first = np.empty(len(plain.own), np.int64)
    firsts = np.minimum.reduceat(plain.writing[order], starts) if len(starts) else starts
    first[plain.writing[order]] = np.repeat(firsts, np.diff([*starts, len(order)]))
    since = np.where(given_up[left] == NO_ROW, left, given_up[left])
    return left[np.lexsort((since, given_up[left] == NO_ROW, first[left]))]
