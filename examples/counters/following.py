"""How traces of counters are followed by the text: which step of it each event claims to be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from examples.counters import Raised, Told
from examples.counters.text import Counting, Reader, Value
from reference_impl.following.checker import Followed
from reference_impl.following.claims import CannotFollow, Claim, Duty, EventRow, Unfounded
from spec.language.protocol.sorts import Sort
from spec.language.protocol.states import Domains


class CounterGuide:
    """Reads the events of one counter."""

    def __init__(self) -> None:
        self._most = 0
        self._readers: dict[str, int] = {}

    @property
    def world(self) -> Domains:
        """All values up to the greatest that was spoken of."""
        return Domains(Counting, {Value: self._most + 1, Reader: max(1, len(self._readers))})

    def called(self, sort: type[Sort], element: int) -> str:
        """Values as they are, readers by the names of their recorders."""
        return str(element) if sort is Value else list(self._readers)[element]

    def duties(self, event: EventRow) -> Iterator[Duty]:
        """What an event claims.

        Raises:
            CannotFollow: nobody knows what the counter stood at.
        """
        total = event["total"]
        if total is None:
            raise CannotFollow("nobody knows what the counter stood at")
        if total < 0:
            yield Unfounded("a counter stands at 0 or more")
        self._most = max(self._most, total)
        if event["kind"] == Raised.kind:
            yield Claim("put", (total,))
        else:
            yield Claim("tell", (self._readers.setdefault(event["recorder"], len(self._readers)), total))


FOLLOWED: Final = Followed(
    family="counters",
    text="counting",
    subject=lambda event: event["counter"],
    guide=lambda _: CounterGuide(),
    needs=(Raised.word, Told.word),
    leaves_out="nothing",
)
"""What a package offers as an entry point of ``quorate.abstractions``."""
