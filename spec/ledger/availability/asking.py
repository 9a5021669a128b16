"""How a bookie is asked which entries of a ledger it has, and what it answers.

BookKeeper, BP-34, Public Interfaces; bookkeeper-proto/src/main/proto/BookkeeperProtocol.proto.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from spec.ledger.availability.encoding import decode, encode
from spec.ledger.availability.groups import Groups
from spec.ledger.forms import binary
from spec.ledger.forms.messages import Field, Kind, Message, first, present

REQUEST: Final[Message] = (Field(1, "ledgerId", Kind.NUMBER, is_required=True),)
"""BookKeeper, BP-34, Public Interfaces: GetListOfEntriesOfALedgerRequest."""

RESPONSE: Final[Message] = (
    Field(1, "status", Kind.NUMBER, is_required=True, bits=32),
    Field(2, "ledgerId", Kind.NUMBER, is_required=True),
    Field(3, "availabilityOfEntriesOfLedger", Kind.BYTES),
)
"""BookKeeper, BP-34, Public Interfaces: GetListOfEntriesOfALedgerResponse."""

OK, NO_LEDGER = 0, 402
"""BookKeeper, BookkeeperProtocol.proto, StatusCode: EOK and ENOLEDGER."""


class Response(NamedTuple):
    """A bookie's answer.

    BookKeeper, BP-34, Public Interfaces: GetListOfEntriesOfALedgerResponse.

    Attributes:
        status: whether it could answer.
        ledger: the ledger in question.
        entries: its entries as bytes, if it could.
    """

    status: int
    ledger: int
    entries: bytes | None = None


def listed(indexed: AbstractSet[int], unflushed: AbstractSet[int]) -> bytes:
    """What a bookie says that it has: what its index or its memory names, whatever its entry log has of that.

    BookKeeper, BP-34, Public Interfaces; bookie/SortedLedgerStorage.java.
    """
    return encode(indexed | unflushed)


def groups_in(response: Response, ledger: int) -> Groups | None:
    """What a bookie has of a ledger by its answer: nothing if it knows no such ledger; None where it did not say.

    BookKeeper, replication/AuditorReplicasCheckTask.java: NoSuchLedgerExists is an empty list, other errors are none.

    Raises:
        LedgerError: it could answer, and its list cannot be read.
    """
    if response.ledger != ledger or response.status not in {OK, NO_LEDGER}:
        return None
    if response.status == NO_LEDGER:
        return ()
    return None if response.entries is None else decode(response.entries)


def write_request(ledger: int) -> bytes:
    """The message that asks a bookie for its entries of a ledger.

    BookKeeper, BP-34, Public Interfaces.
    """
    return binary.write(REQUEST, present(ledgerId=ledger))


def read_request(data: bytes) -> int:
    """The ledger that a bookie is asked about.

    BookKeeper, BP-34, Public Interfaces.

    Raises:
        Truncated: it ends early.
        Malformed: it is no such message.
    """
    return first(binary.read(REQUEST, data, "request for entries"), "ledgerId", int) or 0


def write_response(response: Response) -> bytes:
    """The message in which a bookie answers.

    BookKeeper, BP-34, Public Interfaces.
    """
    values = present(status=response.status, ledgerId=response.ledger, availabilityOfEntriesOfLedger=response.entries)
    return binary.write(RESPONSE, values)


def read_response(data: bytes) -> Response:
    """What a bookie answered.

    BookKeeper, BP-34, Public Interfaces.

    Raises:
        Truncated: it ends early.
        Malformed: it is no such message.
    """
    values = binary.read(RESPONSE, data, "answer with entries")
    status, ledger = (first(values, name, int) or 0 for name in ("status", "ledgerId"))
    return Response(status, ledger, first(values, "availabilityOfEntriesOfLedger", bytes))
