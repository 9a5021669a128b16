"""Books in columns: what plain events of clients say together, all of them at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from spec.client.bookkeeping.books import Books
from spec.client.bookkeeping.fields import REASON, WHO, WHY
from spec.client.bookkeeping.knowledge import NOTHING
from spec.client.bookkeeping.recording import UPTO, Recording
from spec.client.columns.answers import answers_of
from spec.client.columns.deliveries import Deliveries, Shown, deliveries_of
from spec.client.columns.early import early_deliveries
from spec.client.columns.ends import Ends, ends_of
from spec.client.columns.knowing import NONE, Known, known_by_client, known_of_log
from spec.client.columns.page import Page
from spec.client.columns.plain import Plain
from spec.client.columns.reads import Steps, steps_of
from spec.columns.books import BookEntries
from spec.columns.column import Column, Raw
from spec.columns.order import places
from spec.events import IN_SILENCE, TRIM, Gap, Passed, Trim
from spec.language.bookkeeping import Event


def said_in_columns(raw: Raw, recording: Recording) -> BookEntries | None:
    """What the books of clients say of all events of a trace at once; None where these are not plain.

    What does not hang on each other is done by two threads.

    Args:
        raw: the columns that books read, and the sets that they fill in, of all events of clients, copies and
            decisions, in any order; ``recorder`` holds places in the header.
        recording: how they were recorded.
    """
    plain = Plain.of(raw, recording)
    ends = None if plain is None else ends_of(plain)
    if plain is None or ends is None:
        return None
    with ThreadPoolExecutor(1) as beside:
        showing, stepping = beside.submit(Shown.of, plain), beside.submit(steps_of, plain)
        opening = beside.submit(Page, plain)
        answers, shown = answers_of(plain), showing.result()
        deliveries = deliveries_of(plain, shown, answers)
        judging_early = beside.submit(early_deliveries, plain, deliveries, answers)
        known, heard = _known(plain, shown, deliveries, ends)
        steps, page, early = stepping.result(), opening.result(), judging_early.result()
        passing = beside.submit(_passed, plain, steps)
        page.fill_begins()
        page.fill_answers(answers, known)
        page.fill("since", steps.rows, steps.since, steps.is_followed)
        page.fill("after", ends.rows, heard.sure)
        page.fill("perhaps_after", ends.rows, heard.told)
        page.fill_deliveries(deliveries, known, early)
        page.fill_odd_deliveries(shown, deliveries, answers, known, early)
        return BookEntries(page.whole(beside), passing.result())


def _known(plain: Plain, shown: Shown, deliveries: Deliveries, ends: Ends) -> tuple[Known, Known]:
    """The LSNs that were known when appends began, by row, and when readers asked for the end."""
    of_begins, of_ends = (Known(np.full(many, NONE), np.full(many, NONE)) for many in (len(plain.own), len(ends.rows)))
    if not plain.recording.real_time:
        own = known_by_client(plain, shown)
        of_begins.sure[plain.begins], of_begins.told[plain.begins] = own
    asked = plain.begins if plain.recording.real_time else plain.begins[:0]
    for log in shown.logs(plain) if len(asked) or len(ends.rows) else ():
        begins, here = asked[plain.log[asked] == log], places(plain.log[ends.rows] == log)
        before = known_of_log(plain, shown, deliveries, log, begins, ends.asked.some(here))
        for whole, rows, mine in zip((of_begins, of_ends), (begins, here), before, strict=True):
            whole.sure[rows], whole.told[rows] = mine
    lsns = np.append(shown.lsns, NOTHING)
    return Known(*(lsns[known] for known in of_begins)), Known(*(lsns[known] for known in of_ends))


def _passed(plain: Plain, steps: Steps) -> Raw:
    """What readers passed over for no reason that counts."""
    upto = plain.lsn[steps.rows] - 1
    silent = steps.is_followed & (steps.since <= upto)
    rows, since, upto = steps.rows[silent], steps.since[silent], upto[silent]
    found = [Column(column) for column in (rows, since, upto)]
    trimmed = [
        (row, *(plain.recording.lsn(one, names) for names in (("epoch", "esn"), UPTO)), one[REASON])
        for row, one in _untrimmed(plain)
    ]
    extra = np.array(trimmed, np.int64).reshape(-1, 4).T
    row, since, upto = (np.concatenate([column.value, more]) for column, more in zip(found, extra[:3], strict=True))
    why = np.concatenate([np.full(len(rows), IN_SILENCE), extra[3]])
    order = np.argsort(row, kind="stable")
    bits = plain.recording.esn_bits
    columns = {
        "kind": np.full(len(order), Passed.kind),
        "seq": np.arange(1, len(order) + 1),
        "log": plain.log[row[order]],
        WHO: plain.actor[row[order]],
        WHY: why[order],
        **{name: column[order] >> bits for name, column in (("epoch", since), ("upto_epoch", upto))},
        **{name: column[order] & (1 << bits) - 1 for name, column in (("esn", since), ("upto_esn", upto))},
    }
    time = Column(plain.time[row[order]], np.full(len(order), plain.has_clocks))
    return {"time_ns": time, **{name: Column(column) for name, column in columns.items()}}


def _untrimmed(plain: Plain) -> list[tuple[int, Event]]:
    """What was not trimmed, or may not have been, of what readers were told to be trimmed."""
    gaps = places(plain.is_of(Gap.kind))
    gaps = gaps[plain.value(REASON)[gaps] == TRIM]
    if not len(gaps):
        return []
    books = Books(plain.recording)
    for place in places(plain.raw["kind"].value == Trim.kind).tolist():
        books.look(plain.event_at(place, ("kind", "seq", "time_ns", "log", "epoch", "esn")))
    names = ("kind", "seq", "time_ns", "log", WHO, "epoch", "esn", *UPTO)
    events = ((row, plain.event_at(int(plain.rows[row]), names)) for row in gaps.tolist())
    return [(row, found) for row, event in events for found in books.untrimmed(event) if found is not None]
