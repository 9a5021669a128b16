"""Steps: what is done to a log, one word after the other, so that a whole history can be pasted.

A history is ``w1 append a; w1 append b; r1 drain``. Any part of it is a history, too: what a step needs and does not
find, it makes, or it does nothing. Source: this is the project's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from quorate.adapters.errors import AdapterError

FAULTS: Final = {"crash": "restart", "pause": "resume", "partition": "heal"}
"""What may happen to a node, and what undoes it."""


PLACES: Final = ("beginning", "end", "border")
"""Where a reader may begin, besides at LSNs that clients know."""


class BadSteps(AdapterError):
    """A history that was pasted does not say what is to be done."""


@dataclass(frozen=True, slots=True)
class Append:
    """A client appends. If it is ``unheard``, the client gives up before the answer comes, whatever the log does."""

    client: str
    payload: str
    unheard: bool = False

    def __str__(self) -> str:
        return f"{self.client} append {self.payload}{' unheard' if self.unheard else ''}"


@dataclass(frozen=True, slots=True)
class Together:
    """Clients append at once: all of them ask before any is answered; the log is asked in this order.

    If it ``seals``, the epoch ends while they are under way: after the first of them has asked.
    """

    appends: tuple[tuple[str, str], ...]
    seals: bool = False

    def __str__(self) -> str:
        parts = [f"{client} {payload}" for client, payload in self.appends]
        return "together " + " + ".join([*parts, *["seal"] * self.seals])


@dataclass(frozen=True, slots=True)
class Hear:
    """A client that gave up hears after all what became of the last append that it gave up."""

    client: str

    def __str__(self) -> str:
        return f"{self.client} hear"


@dataclass(frozen=True, slots=True)
class Seek:
    """A reader begins to read.

    At the ``beginning``, at an LSN that some client knows (``#2``), just after the last one (``end``), or just after
    the last one of the epoch before the newest (``border``).
    """

    client: str
    where: str

    def __str__(self) -> str:
        return f"{self.client} seek {self.where}"


@dataclass(frozen=True, slots=True)
class Take:
    """A reader reads on for so many steps."""

    client: str
    steps: int

    def __str__(self) -> str:
        return f"{self.client} take {self.steps}"


@dataclass(frozen=True, slots=True)
class Drain:
    """A reader reads on until it is told that it is at the end."""

    client: str

    def __str__(self) -> str:
        return f"{self.client} drain"


@dataclass(frozen=True, slots=True)
class Tail:
    """A reader asks where the log ends."""

    client: str

    def __str__(self) -> str:
        return f"{self.client} tail"


@dataclass(frozen=True, slots=True)
class Trim:
    """Somebody asks that everything up to an LSN be deleted that some client knows."""

    known: int

    def __str__(self) -> str:
        return f"trim #{self.known}"


@dataclass(frozen=True, slots=True)
class Seal:
    """Somebody ends the epoch."""

    def __str__(self) -> str:
        return "seal"


@dataclass(frozen=True, slots=True)
class Look:
    """Somebody looks at what a node holds."""

    node: str

    def __str__(self) -> str:
        return f"look {self.node}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a node begins, or is undone."""

    what: str
    node: str

    def __str__(self) -> str:
        return f"{self.what} {self.node}"


@dataclass(frozen=True, slots=True)
class Jump:
    """A node's clock jumps."""

    node: str
    by_ms: int

    def __str__(self) -> str:
        return f"jump {self.node} {self.by_ms}"


Step: TypeAlias = Append | Together | Hear | Seek | Take | Drain | Tail | Trim | Seal | Look | Fault | Jump
Plan: TypeAlias = tuple[Step, ...]
"""What is done, in order."""


def text_of(plan: Iterable[Step]) -> str:
    """A history as one line."""
    return "; ".join(map(str, plan))


def plan_of(text: str) -> Plan:
    """The history that a line says.

    Raises:
        BadSteps: it says none.
    """
    return tuple(_step(part.strip()) for part in text.split(";") if part.strip())


def _step(text: str) -> Step:
    match text.split():
        case ["together", *_]:
            pairs = [part.split() for part in text.removeprefix("together").split("+")]
            seals = pairs[-1] == ["seal"]
            pairs = pairs[:-1] if seals else pairs
            if pairs and all(len(pair) == 2 for pair in pairs):  # noqa: PLR2004 - a client and a payload
                return Together(tuple((client, payload) for client, payload in pairs), seals)
        case [client, "append", payload]:
            return Append(client, payload)
        case [client, "append", payload, "unheard"]:
            return Append(client, payload, unheard=True)
        case [client, "hear"]:
            return Hear(client)
        case [client, "seek", where] if where in PLACES or _is_known(where):
            return Seek(client, where)
        case [client, "take", number] if number.isdecimal():
            return Take(client, int(number))
        case [client, "drain"]:
            return Drain(client)
        case [client, "tail"]:
            return Tail(client)
        case ["trim", known] if _is_known(known):
            return Trim(int(known[1:]))
        case ["seal"]:
            return Seal()
        case ["look", node]:
            return Look(node)
        case [what, node] if what in {*FAULTS, *FAULTS.values()}:
            return Fault(what, node)
        case ["jump", node, by_ms] if by_ms.removeprefix("-").isdecimal():
            return Jump(node, int(by_ms))
    raise BadSteps(f"step {text!r:.60}", "no step is written so", "copy the line from a failure", "--quorate-steps")


def _is_known(word: str) -> bool:
    """Whether a word means an LSN that some client knows, such as ``#2``."""
    return word[:1] == "#" and word[1:].isdecimal()
