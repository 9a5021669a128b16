"""Cases of audits: a ledger, what its bookies say that they have of it, and which category it comes to.

A bookie answers with the entries that it has, or with an error: NoSuchLedgerExists stands for none, any other for no
answer. Names that end in ``_shipped`` follow releases 4.10 to 4.18. A scenario has what three gauges show after a run
over ``ledgers``, named by the ids of other cases, or over ``ranges`` of them: as shipped, unless other numbers are said
to be. Ledgers that its file does not have may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from conformance.vectors.cases import VectorsFile
from conformance.vectors.differences import answered
from conformance.vectors.fields import NOTES, Fields
from spec.ledger.availability.encoding import ENTRY_MAX
from spec.ledger.availability.shipped import grouped_as_shipped
from spec.ledger.durability import Durability, Findings, category, findings, findings_as_shipped, is_judged
from spec.ledger.errors import BadLedger
from spec.ledger.metadata import NO_ENTRY, Metadata, Segment, State, check
from spec.ledger.schedule import Quorums
from spec.ledger.violations import GAUGES, gauges, gauges_as_shipped

ENTRIES_MAX: Final = 100_000
SIZE_MAX: Final = 100
NOBODY_HAS_IT: Final = "NoSuchLedger"
"""How the error begins that stands for an empty answer: BookKeeper, client/BKException.java."""

SKIPPED, SILENT = "skipped", "unavailable"
WORDS: Final = {
    Durability.NO_REPLICA: "none",
    Durability.BELOW_ACK_QUORUM: "below_aq",
    Durability.BELOW_WRITE_QUORUM: "below_wq",
    Durability.WHOLE: "ok",
}
"""How cases call what a ledger comes to."""

MEANT, SHIPPED = "expected", "shipped"
Runner = Callable[[Fields], tuple[str, ...]]


class Audit(NamedTuple):
    """What is found of a ledger, as meant and as shipped; nothing where it is skipped."""

    quorums: Quorums
    meant: Findings | None
    shipped: Findings | None


def seen(case: Fields) -> tuple[str, ...]:
    """How a case differs from what is found of its ledger.

    Raises:
        DamagedVectors: the case is no case of an audit.
    """
    audit, expected = _audit(case), case.below("expected")
    meant, shipped = _told(audit.meant, audit.quorums), _told(audit.shipped, audit.quorums)
    answers = meant | {f"{name}_shipped": said for name, said in shipped.items()}
    answers["shipped_is_wrong"] = meant != shipped
    for name in (SILENT, f"{SILENT}_shipped"):
        if set(expected.every(name, _share, ())) == set(answers[name]):
            answers[name] = expected.raw(name)  # in whatever order
    return answered(expected, answers)


def seen_among(file: VectorsFile) -> Runner:
    """What looks at scenarios over a file's ledgers."""
    ledgers = {case["id"]: case for case in file.main}

    def seen_scenario(case: Fields) -> tuple[str, ...]:
        ranges = _ranges(case, next((name for name in case if "ranges" in name), "ledgers"))
        audits = [
            [_audit(Fields(ledgers[name], f"{file.path}, case {name}")) for name in names if name in ledgers]
            for names in ranges
        ]
        absent = [sum(name not in ledgers for name in names) for names in ranges]
        return tuple(_wrong_gauges(case, audits, absent))

    return seen_scenario


def _wrong_gauges(case: Fields, audits: list[list[Audit]], absent: list[int]) -> Iterator[str]:
    """What is expected of gauges and can be neither what they show, nor that and ledgers that are not here."""
    meant = [[category(one.meant, one.quorums) for one in some if one.meant] for some in audits]
    shipped = [[category(one.shipped, one.quorums) for one in some if one.shipped] for some in audits]
    shown = {False: (gauges(meant), sum(absent)), True: (gauges_as_shipped(shipped), sum(absent[-1:]))}
    said = list(_gauges(case, case.expected()))
    if not said:
        raise case.refuse("nothing is expected", "there are no gauges", f"one of {', '.join(GAUGES.values())}")
    plain = not any(is_shipped for _, is_shipped, _ in said)
    for gauge, is_shipped, number in said:
        counts, more = shown[plain if is_shipped is None else is_shipped]
        if not counts[gauge] <= number <= counts[gauge] + more:
            yield f"{gauge}{' as shipped' if is_shipped else ''}: expected {number}, seen {counts[gauge]}"


def _gauges(
    part: Fields, names: Iterable[str], gauge: str = "", *, is_shipped: bool | None = None
) -> Iterator[tuple[str, bool | None, int]]:
    """Each number that is expected of a gauge, and whether as shipped, if some name on the way to it says."""
    for name in (name for name in names if name not in NOTES):
        of = next((one for one in GAUGES.values() if name.startswith(one)), gauge)
        variant = is_shipped if name in {MEANT, of} else SHIPPED in name or bool(is_shipped)
        if isinstance(part.raw(name), Mapping):
            inside = part.below(name)
            yield from _gauges(inside, inside, of, is_shipped=variant)
        elif of:
            yield of, variant, part.number(name)
        else:
            raise part.refuse_name("no such gauge", name, f"one of {', '.join(GAUGES.values())}")


def _ranges(case: Fields, name: str) -> list[tuple[str, ...]]:
    """Ranges of ledgers, by id; a plain list is one range."""
    inside = case.members(name)
    if not any(isinstance(inside.raw(place), list) for place in inside):
        return [case.every(name, Fields.text)]
    return [inside.every(place, Fields.text) for place in inside]


def _audit(case: Fields) -> Audit:
    metadata, answers = _metadata(case.below("ledger")), case.below("bookie_answers")
    if not is_judged(metadata, is_marked=case.below("ledger").flag("marked_underreplicated", default=False)):
        return Audit(metadata.quorums, None, None)
    held = {bookie: entries for bookie in answers if (entries := _answer(answers, bookie)) is not None}
    return Audit(
        metadata.quorums,
        findings(metadata, {bookie: frozenset(entries) for bookie, entries in held.items()}),
        findings_as_shipped(metadata, {bookie: grouped_as_shipped(entries) for bookie, entries in held.items()}),
    )


def _told(found: Findings | None, quorums: Quorums) -> dict[str, Any]:
    """What a case may expect of findings."""
    if found is None:
        return {"category": SKIPPED, "missing_replica_count": {}, SILENT: []}
    return {
        "category": WORDS[category(found, quorums)],
        "missing_replica_count": {str(entry): count for entry, count in found.missing.items()},
        SILENT: sorted({(share.segment, share.bookie) for share in found.silent}),
    }


def _metadata(given: Fields) -> Metadata:
    state = given.choice("state", State.__members__)
    sizes = (given.number(name, least=1, most=SIZE_MAX) for name in ("ensemble_size", "write_quorum", "ack_quorum"))
    segments = given.below("segments")
    firsts = sorted(segments.numbered(ENTRY_MAX).items())
    is_closed = state is State.CLOSED
    last = given.number("last_entry_id", least=NO_ENTRY, most=ENTRY_MAX) if is_closed else None
    if last is not None and firsts and last - firsts[0][0] >= ENTRIES_MAX:
        raise given.refuse_part("the ledger is too long", "last_entry_id", f"at most {ENTRIES_MAX} entries")
    metadata = Metadata(
        Quorums(*sizes),
        tuple(Segment(first, segments.every(name, Fields.text)) for first, name in firsts),
        state,
        last,
        0 if is_closed else None,
    )
    try:
        return check(metadata, "ledger")
    except BadLedger as wrong:
        raise given.refuse(wrong.what, wrong.why, wrong.advice) from wrong


def _answer(answers: Fields, bookie: str) -> tuple[int, ...] | None:
    """The entries of a bookie's answer; None where it gave none."""
    if isinstance(answers.raw(bookie), str):
        return () if answers.text(bookie).startswith(NOBODY_HAS_IT) else None
    return (
        answers.every(bookie, lambda inside, place: inside.number(place, most=ENTRY_MAX)) if bookie in answers else None
    )


def _share(expected: Fields, place: str) -> tuple[int, str]:
    """The first entry of a segment, and a bookie."""
    pair = expected.members(place, 2)
    segment, bookie = pair
    return pair.number(segment), pair.text(bookie)
