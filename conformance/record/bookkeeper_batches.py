"""Many questions to a cluster of BookKeeper at once: all are on their way together, and come back as one answer.

Its own client asks. A question that brings no answer in time, or is refused, spoils none of the others.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any, Final

from conformance.record.errors import BookKeeperSaid
from conformance.record.java_functions import FAILED, FUNCTION, FUTURE, STRING, Functions, Later
from reference_impl.ledger.checker.state import Versioned
from spec.ledger.availability.encoding import encode
from spec.ledger.errors import LedgerError
from spec.ledger.forms.versions import read
from spec.ledger.marks import Mark

Pair = tuple[int, str]
"""A ledger and a bookie."""

UNKNOWN_LEDGER: Final = "NoSuchLedgerExists"
"""What BookKeeper's errors are called that say of a bookie, or of the metadata server, that it knows no such ledger."""

MARK_READERS: Final = 8
"""How many marks are looked for side by side: BookKeeper's client waits for each."""

_PACKAGE: Final = "org.apache.bookkeeper"
_ID: Final = f"{_PACKAGE}.net.BookieId"
_LONG: Final = "java.lang.Long"
_OBJECT: Final = "java.lang.Object"
_OPTIONAL: Final = "java.util.Optional"


class Batches:
    """Asks for marks, metadata, and what bookies have of ledgers; nothing is changed.

    Args:
        java: makes functions in a JVM that has BookKeeper's client.
        admin, ledgers, marks: the client's parts that know bookies, metadata and marks.
        answer_ms: how long each answer may take.
    """

    def __init__(self, java: Functions, admin: Any, ledgers: Any, marks: Any, answer_ms: int) -> None:
        asked = (_marks(java, marks), _metadata(java, ledgers), _lists(java, admin))
        self._marks, self._metadata, self._lists = (
            java.together(java.in_time(asking, told, answer_ms)) for asking, told in asked
        )

    def marks(self, ledgers: Sequence[int]) -> Later[Mapping[int, Mark | None]]:
        """The under-replication mark of each ledger, if it has one.

        Whoever waits for them is told by BookKeeperSaid if the metadata server gives no answer.
        """
        lines = self._marks([*map(str, ledgers)])
        return lambda: dict(zip(ledgers, map(_mark, lines()), strict=True))

    def metadata(self, ledgers: Sequence[int]) -> Later[Mapping[int, Versioned | LedgerError | None]]:
        """The metadata of each ledger, or why it cannot be read; none if there is no such ledger.

        Whoever waits for it is told by BookKeeperSaid if the metadata server gives no answer.
        """
        lines = self._metadata([*map(str, ledgers)])
        return lambda: dict(zip(ledgers, map(_versioned, lines()), strict=True))

    def lists(self, pairs: Sequence[Pair]) -> Later[Mapping[Pair, bytes | None]]:
        """The entries of each ledger that each bookie has, as they are sent; none where it gives no answer."""
        lines = self._lists([f"{ledger} {bookie}" for ledger, bookie in pairs])
        return lambda: dict(zip(pairs, map(_entries, lines()), strict=True))


def _marks(java: Functions, marks: Any) -> tuple[Any, Any]:
    """How it is asked for the mark of a ledger, and how the answer is told: nothing, or its time and its replicas."""
    owner = f"{_PACKAGE}.meta.LedgerUnderreplicationManager"
    marked = java.then(_ledger(java), java.method(owner, "getLedgerUnreplicationInfo", "long", of=marks))
    readers = java.threads(MARK_READERS)
    later = java.method(FUTURE, "thenApplyAsync", FUNCTION, "java.util.concurrent.Executor")
    asking = java.then(
        java.method(FUTURE, "completedFuture", _OBJECT), java.given(later, java.instance(marked), readers)
    )
    mark = f"{_PACKAGE}.meta.UnderreplicatedLedger"
    since = java.then(java.method(mark, "getCtime"), java.method(_LONG, "toString", "long"))
    joined = java.method(STRING, "join", "java.lang.CharSequence", "java.lang.Iterable", of=" ")
    replicas = java.then(java.method(mark, "getReplicaList"), joined)
    told = java.then(
        java.method(_OPTIONAL, "ofNullable", _OBJECT),
        java.given(java.method(_OPTIONAL, "map", FUNCTION), java.instance(_pasted(java, since, replicas))),
        java.given(java.method(_OPTIONAL, "orElse", _OBJECT), ""),
    )
    return asking, told


def _metadata(java: Functions, ledgers: Any) -> tuple[Any, Any]:
    """How it is asked for the metadata of a ledger, and how the answer is told: its version and its bytes."""
    asked = java.method(f"{_PACKAGE}.meta.LedgerManager", "readLedgerMetadata", "long", of=ledgers)
    versioned, form = f"{_PACKAGE}.versioning.Versioned", f"{_PACKAGE}.meta.LedgerMetadataSerDe"
    version = java.then(
        java.method(versioned, "getVersion"),
        java.method(f"{_PACKAGE}.versioning.LongVersion", "getLongVersion"),
        java.method(_LONG, "toString", "long"),
    )
    written = java.method(form, "serialize", f"{_PACKAGE}.client.api.LedgerMetadata", of=java.new(form))
    data = java.then(java.method(versioned, "getValue"), written, java.in_text())
    return java.then(_ledger(java), asked), _pasted(java, version, data)


def _lists(java: Functions, admin: Any) -> tuple[Any, Any]:
    """How a bookie is asked for its entries of a ledger, and how the answer is told: in the bytes of the wire."""
    owner, words = f"{_PACKAGE}.client.BookKeeperAdmin", "org.apache.commons.lang3.StringUtils"
    before, after = (
        java.given(java.method(words, name, STRING, STRING), " ") for name in ("substringBefore", "substringAfter")
    )
    asking = java.both(
        java.method(owner, "asyncGetListOfEntriesOfLedger", _ID, "long", of=admin),
        java.then(after, java.method(_ID, "parse", STRING)),
        java.then(before, _ledger(java)),
    )
    answer = f"{_PACKAGE}.util.AvailabilityOfEntriesOfLedger"
    return asking, java.then(java.method(answer, "serializeStateOfEntriesOfLedger"), java.in_text())


def _ledger(java: Functions) -> Any:
    """From a line to the number of a ledger."""
    return java.method(_LONG, "parseLong", STRING)


def _pasted(java: Functions, first: Any, second: Any) -> Any:
    """A line, of two that are made of the same, with a space between."""
    spaced = java.then(second, java.method(STRING, "concat", STRING, of=" "))
    return java.both(java.method(STRING, "concat", STRING), first, spaced)


def _mark(line: str) -> Mark | None:
    since_ms, *replicas = _unless_failed(line).split(" ")
    if not since_ms:
        return None
    return Mark(tuple(filter(None, replicas)), int(since_ms) if int(since_ms) > 0 else None)


def _versioned(line: str) -> Versioned | LedgerError | None:
    try:
        version, data = _unless_failed(line).split(" ")
        return Versioned(read(b64decode(data)), int(version))
    except LedgerError as damage:
        return damage
    except BookKeeperSaid as said:
        if UNKNOWN_LEDGER in said.name:
            return None
        raise


def _entries(line: str) -> bytes | None:
    """What a bookie answers; a ledger that it does not know has no entries there."""
    try:
        return b64decode(_unless_failed(line))
    except BookKeeperSaid as said:
        return encode(()) if UNKNOWN_LEDGER in said.name else None


def _unless_failed(line: str) -> str:
    """What a line says.

    Raises:
        BookKeeperSaid: it says what was thrown.
    """
    if not line.startswith(FAILED):
        return line
    kind, _, message = line.removeprefix(FAILED).partition(": ")
    raise BookKeeperSaid(kind.rpartition(".")[2].rpartition("$")[2].removeprefix("BK"), message)
