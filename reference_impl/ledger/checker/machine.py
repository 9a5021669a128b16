"""The check of one ledger as a state machine: what it asks next, and what it makes of an answer.

BookKeeper, BP-34, High Level Logic. Before anything is reported it looks for a mark once more and reads the metadata
again; a ledger whose bookies were out of reach is put aside, and reported only after it was checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from reference_impl.kernel.decision import decision
from reference_impl.ledger.checker.judging import bookies_of, misplaced, silent_bookies, violations
from reference_impl.ledger.checker.messages import (
    Action,
    Answered,
    AskBookie,
    AskStanding,
    DelayPassed,
    LookForMark,
    MarkSeen,
    MetadataDamaged,
    MetadataSeen,
    Question,
    ReadMetadata,
    StandingSeen,
)
from reference_impl.ledger.checker.state import Check, Ending, Settings, Stage, Versioned
from spec.ledger.marks import Mark, is_too_old
from spec.ledger.metadata import Metadata
from spec.ledger.violations import Category, Violation


@decision
def looks_for_mark_again() -> bool:
    """Before a report it is looked for a mark once more."""
    return True


@decision
def reads_metadata_again() -> bool:
    """Before a report the metadata is read again."""
    return True


@decision
def is_unchanged(read: Versioned | None, again: Versioned) -> bool:
    """What was found holds if the metadata is as it was: else the ledger is checked anew."""
    return read == again


@decision
def waits_for_silent(check: Check) -> bool:
    """A ledger whose bookies were out of reach is put aside, once."""
    return not check.is_delayed


@decision
def is_checked(metadata: Metadata) -> bool:
    """Only ledgers that are closed are checked further."""
    return metadata.is_closed


@decision
def held_to(metadata: Metadata) -> Metadata:
    """What bookies have is held to the metadata as it was read."""
    return metadata


@decision
def is_skipped(mark: Mark) -> bool:  # noqa: ARG001 - a decision takes what others may decide by
    """A ledger that has a mark is skipped."""
    return True


@decision
def is_overdue(mark: Mark, now_ms: int, grace_ms: int, seen_ms: int | None) -> bool:
    """A mark that stands for more than acceptable time is a violation."""
    return is_too_old(mark, now_ms, grace_ms, seen_ms)


@decision
def blamed(
    ledger: int, silent: tuple[str, ...], registered: frozenset[str], known_down: frozenset[str]
) -> tuple[Violation, ...]:
    """A bookie that stays silent is a violation, unless it is unregistered and known to be down."""
    return silent_bookies(ledger, silent, registered, known_down)


@decision
def reported(found: tuple[Violation, ...]) -> tuple[Violation, ...]:
    """Whatever is found is reported, once."""
    return found


def wanted(check: Check) -> tuple[Question, ...]:
    """What a check asks next, in any order; nothing while it is put aside, and once it is done."""
    match check.stage:
        case Stage.MARK | Stage.MARK_AGAIN:
            return (LookForMark(check.ledger),)
        case Stage.METADATA | Stage.METADATA_AGAIN:
            return (ReadMetadata(check.ledger),)
        case Stage.BOOKIES:
            return tuple(AskBookie(check.ledger, bookie) for bookie in check.unheard)
        case Stage.STANDING:
            return (AskStanding(check.silent),)
        case Stage.ASIDE | Stage.DONE:
            return ()


def step(check: Check, action: Action, settings: Settings) -> Check | None:
    """The check after it was told something; None where it did not ask for that.

    Raises:
        TooLarge: the ledger has more entries than can be looked at one by one.
    """
    handle = HANDLERS.get((check.stage, type(action)))
    return None if handle is None else handle(check, action, settings)


def _see_mark(check: Check, action: MarkSeen, settings: Settings) -> Check:
    """A mark that stands too long is a violation; with any other the ledger is skipped."""
    if action.mark is None:
        return check.waiting_for(Stage.METADATA)
    seen_ms = settings.first_seen_ms.get(check.ledger)
    if not settings.decides(is_skipped)(action.mark):
        return check.waiting_for(Stage.METADATA)
    if not settings.decides(is_overdue)(action.mark, action.now_ms, settings.grace_ms, seen_ms):
        return check.ended(Ending.MARKED)
    since_ms = min(time for time in (action.mark.marked_ms, seen_ms) if time is not None)
    found = Violation(check.ledger, Category.MARKED_TOO_LONG, bookies=action.mark.replicas, since_ms=since_ms)
    return check.ended(Ending.REPORTED, found)


def _learn(check: Check, action: MetadataSeen, settings: Settings) -> Check:
    """Only closed ledgers are checked further, against all bookies that should have something of them.

    Nobody is asked about a ledger that an earlier run found sound, if that stands and its ensembles are allowed.
    """
    if action.found is None:
        return check.ended(Ending.GONE)
    if not settings.decides(is_checked)(action.found.metadata):
        return check.ended(Ending.NOT_CLOSED)
    read = action.found._replace(metadata=settings.decides(held_to)(action.found.metadata))
    stands = settings.earlier.stands(check.ledger, *read)
    if stands and not any(misplaced(check.ledger, read.metadata, settings.policy)):
        return check._replace(read=read).ended(Ending.STANDING)
    return _go_on(check._replace(stage=Stage.BOOKIES, read=read, asked=bookies_of(read.metadata), heard=()), settings)


def _hear(check: Check, action: Answered, settings: Settings) -> Check | None:
    """A bookie that was asked has answered, or has not."""
    if action.bookie not in check.unheard:
        return None
    return _go_on(check._replace(heard=(*check.heard, (action.bookie, action.entries))), settings)


def _look_again(check: Check, action: MarkSeen, settings: Settings) -> Check:
    """A ledger that has a mark by now is skipped."""
    if action.mark:
        return check.ended(Ending.MARKED)
    again = settings.decides(reads_metadata_again)()
    return check.waiting_for(Stage.METADATA_AGAIN) if again else _conclude(check, settings)


def _compare(check: Check, action: MetadataSeen, settings: Settings) -> Check:
    """If the metadata changed, the ledger is checked anew; else what was found holds."""
    if action.found is None or not settings.decides(is_unchanged)(check.read, action.found):
        return _learn(check, action, settings)
    return _conclude(check, settings)


def _conclude(check: Check, settings: Settings) -> Check:
    """Report what was found, unless bookies were silent."""
    if not check.silent:
        return check.ended(Ending.REPORTED, *_found(check, settings))
    return check.waiting_for(Stage.ASIDE if settings.decides(waits_for_silent)(check) else Stage.STANDING)


def _judge_silence(check: Check, action: StandingSeen, settings: Settings) -> Check:
    """What is known of the ledger is reported, and silent bookies that should not be."""
    silent = settings.decides(blamed)(check.ledger, check.silent, action.registered, action.known_down)
    wrong = (*_found(check, settings), *silent)
    return check.ended(Ending.REPORTED if wrong else Ending.BOOKIES_DOWN, *wrong)


def _begin_again(check: Check, _action: DelayPassed, _settings: Settings) -> Check:
    """A ledger that was put aside is checked once more, from the beginning."""
    return Check(check.ledger, is_delayed=True)


def _give_up(check: Check, action: MetadataDamaged, _settings: Settings) -> Check:
    """What cannot be read is not judged."""
    return check.ended(Ending.UNREADABLE, why=action.why)


HANDLERS: Final[Mapping[tuple[Stage, type], Callable[[Check, Any, Settings], Check | None]]] = {
    (Stage.MARK, MarkSeen): _see_mark,
    (Stage.METADATA, MetadataSeen): _learn,
    (Stage.METADATA, MetadataDamaged): _give_up,
    (Stage.BOOKIES, Answered): _hear,
    (Stage.MARK_AGAIN, MarkSeen): _look_again,
    (Stage.METADATA_AGAIN, MetadataSeen): _compare,
    (Stage.METADATA_AGAIN, MetadataDamaged): _give_up,
    (Stage.ASIDE, DelayPassed): _begin_again,
    (Stage.STANDING, StandingSeen): _judge_silence,
}
"""What a check makes of what it is told, by what it waits for."""


def _go_on(check: Check, settings: Settings) -> Check:
    """Once all bookies are heard, a ledger is sound, or it is looked at again before anything is reported."""
    if check.unheard:
        return check
    is_suspect = bool(check.silent or _found(check, settings))
    if not is_suspect:
        return check.ended(Ending.SOUND)
    return check.waiting_for(Stage.MARK_AGAIN if settings.decides(looks_for_mark_again)() else Stage.METADATA_AGAIN)


def _found(check: Check, settings: Settings) -> tuple[Violation, ...]:
    """What is wrong with the ledger by what is known."""
    read = check.read
    found = violations(check.ledger, read.metadata, check.answers, settings.policy) if read else ()
    return settings.decides(reported)(found)
