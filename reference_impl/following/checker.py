"""The checker: all events of a trace, each followed in the text of its subject."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from reference_impl.following.claims import EventRow, Guide
from reference_impl.following.engine import Refused, Text
from reference_impl.following.wording import said_by, why
from spec.language.parameters import Parameters


class Counts(Protocol):
    """What following has come to."""

    @property
    def taken(self) -> int:
        """How many events were followed or passed over."""
        ...

    @property
    def passed_over(self) -> Mapping[int, int]:
        """How many events there are of each kind, by number, of which no text speaks."""
        ...

    @property
    def steps(self) -> int:
        """How many steps texts took."""
        ...

    @property
    def choices(self) -> int:
        """How often an event could be several steps, since nobody recorded which."""
        ...

    @property
    def subjects(self) -> int:
        """How many texts were followed."""
        ...


class Checker(Counts, Protocol):
    """Takes the events of a trace as steps of texts, and counts what it does."""

    def step(self, event: EventRow, /) -> Refusal | None:
        """Take an event as a step; after a refusal all texts are where they were.

        Raises:
            CannotFollow: nothing certain can be said from here on.
        """
        ...


class Follows(Protocol):
    """How the traces of a family are followed."""

    @property
    def family(self) -> str:
        """The family's name."""
        ...

    @property
    def text(self) -> str:
        """The name of the text."""
        ...

    @property
    def needs(self) -> tuple[str, ...]:
        """The kinds of event, by word, of which all must be recorded."""
        ...

    @property
    def leaves_out(self) -> str:
        """What of the family's events the text does not speak of, for people."""
        ...

    def checker(self, parameters: Parameters) -> Checker:
        """What follows a trace with such parameters."""
        ...


@dataclass(frozen=True)
class Followed:
    """How the traces of a family are followed whose texts are each about one subject, and read by a guide.

    Attributes:
        family: the family's name.
        text: the name of the text.
        subject: what an event is about that has a text of its own, such as a ledger; None: the event is passed over.
        guide: who reads the events of one subject.
        needs: the kinds of event, by word, of which all must be recorded.
        leaves_out: what of the family's events the text does not speak of, for people.
        is_apart: subjects are the partitions by which traces are sorted, so that each may be followed by itself.
    """

    family: str
    text: str
    subject: Callable[[EventRow], Hashable | None]
    guide: Callable[[Parameters], Guide]
    needs: tuple[str, ...]
    leaves_out: str
    is_apart: bool = False

    def checker(self, parameters: Parameters) -> FollowingChecker:
        """What follows a trace with such parameters."""
        return FollowingChecker(self, parameters)


@dataclass(frozen=True)
class Refusal:
    """An event that is no step of its text.

    Attributes:
        number: the event's place in the order of following, from 1.
        claims: the step that it claims to be, in words.
        reasons: what forbids it: the guards that fail, or what is not as the event says.
        sentence: what the step is, by the text; "" where the event is none.
        cite: where that comes from.
    """

    number: int
    event: Mapping[str, Any]
    claims: str
    reasons: tuple[str, ...]
    sentence: str
    cite: str

    ordered = True
    """Another order of events of different recorders might be followed further."""


class FollowingChecker:
    """Takes events as steps.

    Attributes:
        taken: how many events were followed or passed over.
        passed_over: the kinds of event that no text speaks of, by number.
    """

    def __init__(self, followed: Followed, parameters: Parameters) -> None:
        self._followed, self._parameters = followed, parameters
        self._texts: dict[Hashable, Text] = {}
        self.taken = 0
        self.passed_over = Counter[int]()

    @property
    def steps(self) -> int:
        """How many steps texts took."""
        return sum(text.taken for text in self._texts.values())

    @property
    def choices(self) -> int:
        """How often an event could be several steps, since nobody recorded which."""
        return sum(text.choices for text in self._texts.values())

    @property
    def subjects(self) -> int:
        """How many texts were followed."""
        return len(self._texts)

    def step(self, event: EventRow) -> Refusal | None:
        """Take an event as a step; after a refusal all texts are where they were.

        Raises:
            CannotFollow: nothing certain can be said from here on.
        """
        subject = self._followed.subject(event)
        if subject is None:
            self.passed_over[event["kind"]] += 1
        else:
            text = self._texts.get(subject)
            if text is None:
                text = self._texts[subject] = Text(self._followed.guide(self._parameters))
            refused = text.step(event)
            if refused is not None:
                return self._refusal(event, text, refused)
        self.taken += 1
        return None

    def _refusal(self, event: EventRow, text: Text, refused: Refused) -> Refusal:
        clause = text.clause_of(refused.claim)
        sentence, cite = ("", "") if clause is None else (clause.sentence, clause.cite)
        return Refusal(self.taken + 1, event, said_by(text, refused), tuple(why(text, refused)), sentence, cite)
