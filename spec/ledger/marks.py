"""Under-replication marks: where one stands for a ledger, what it says, and how long it may stand.

BookKeeper, meta/ZkLedgerUnderreplicationManager.java.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from spec.ledger.errors import BadLedger, Malformed, TooLarge
from spec.ledger.forms import binary, text
from spec.ledger.forms.messages import BYTES_MAX, MARK, Field, Kind, Message, Values, every, first, present

ROOT: Final = "underreplication/ledgers"
WHERE: Final = "under-replication mark"
LEDGER_MAX: Final = (1 << 63) - 1
SECOND_MS: Final = 1000

_NAME: Final = re.compile(r"urL(\d{10,19})", re.ASCII)

_CHECK_TIME: Final[Message] = (Field(1, "checkAllLedgersCTime", Kind.NUMBER, is_required=True),)
"""BookKeeper, DataFormats.proto: when a check was last done; other kinds of check name the field otherwise."""


class Mark(NamedTuple):
    """Says that a ledger lacks copies.

    BookKeeper, DataFormats.proto, UnderreplicatedLedgerFormat.

    Attributes:
        replicas: the bookies whose copies are lost.
        marked_ms: when it was written, where that is told.
    """

    replicas: tuple[str, ...] = ()
    marked_ms: int | None = None

    def added(self, replicas: tuple[str, ...], now_ms: int) -> Mark:
        """The mark once more bookies are known to have lost their copies: its time is that of the last new one.

        BookKeeper, meta/ZkLedgerUnderreplicationManager.java, handleLedgerUnderreplicatedAlreadyMarked.
        """
        new = tuple(dict.fromkeys(replica for replica in replicas if replica not in self.replicas))
        return Mark(self.replicas + new, now_ms) if new else self


def path_of(ledger: int) -> str:
    """Where the mark of a ledger stands: four steps of its number in hexadecimal, then the number.

    BookKeeper, meta/ZkLedgerUnderreplicationManager.java, getUrLedgerZnode.

    Raises:
        BadLedger: no ledger has this number.
    """
    if not 0 <= ledger <= LEDGER_MAX:
        raise BadLedger("no such ledger", WHERE, f"{ledger}", f"0 to {LEDGER_MAX}")
    digits = f"{ledger:016x}"
    return "/".join([ROOT, *(digits[at : at + 4] for at in range(0, 16, 4)), f"urL{ledger:010d}"])


def ledger_at(path: str) -> int:
    """The ledger whose mark stands at a path.

    BookKeeper, meta/ZkLedgerUnderreplicationManager.java, getLedgerId.

    Raises:
        Malformed: no mark stands there.
    """
    found = _NAME.fullmatch(path.rpartition("/")[2])
    if found is None or int(found[1]) > LEDGER_MAX or not path.endswith(path_of(int(found[1]))):
        raise Malformed("no mark stands there", WHERE, f"{path[-80:]!r}", f"a path such as {path_of(1)}")
    return int(found[1])


def read(data: bytes) -> Mark:
    """What a mark says.

    BookKeeper, meta/ZkLedgerUnderreplicationManager.java: protocol buffers as text.

    Raises:
        TooLarge: no mark is of such size.
        Truncated: it ends early.
        Malformed: it is no such text.
    """
    if len(data) > BYTES_MAX:
        raise TooLarge("no mark is of such size", WHERE, f"{len(data)} bytes", f"at most {BYTES_MAX}")
    try:
        values = text.read(MARK, data.decode(), WHERE)
    except UnicodeDecodeError as wrong:
        raise Malformed("no text", WHERE, wrong.reason, "text in UTF-8") from wrong
    return Mark(tuple(every(values, "replica", str)), first(values, "ctime", int))


def write(mark: Mark) -> bytes:
    """A mark as text.

    BookKeeper, meta/ZkLedgerUnderreplicationManager.java, markLedgerUnderreplicatedAsync.
    """
    values: Values = {"replica": [*mark.replicas], **present(ctime=mark.marked_ms)}
    return text.write(MARK, values).encode()


def read_check_time_ms(data: bytes) -> int:
    """When a check was done last.

    BookKeeper, meta/ZkLedgerUnderreplicationManager.java, getReplicasCheckCTime: protocol buffers as bytes.

    Raises:
        Truncated: it ends early.
        Malformed: it is no such message.
    """
    found = first(binary.read(_CHECK_TIME, data, "time of a check"), _CHECK_TIME[0].name, int)
    return found or 0


def is_too_old(mark: Mark, now_ms: int, grace_ms: int, first_seen_ms: int | None = None) -> bool:
    """A mark stands longer than is acceptable, counted from when it was written or first seen, whichever is earlier.

    BookKeeper, BP-34, Intention: no ledger is marked for more than acceptable time.
    """
    since = [known for known in (mark.marked_ms, first_seen_ms) if known is not None]
    return bool(since) and now_ms - min(since) > grace_ms


def is_too_old_as_shipped(mark: Mark, now_ms: int, grace_s: int) -> bool:
    """A mark with a time is older by whole seconds; grace of 0 switches that off, and a new replica starts it anew.

    BookKeeper, replication/AuditorPlacementPolicyCheckTask.java, underreplicatedLedgerRecoveryGracePeriod.
    """
    return grace_s > 0 and mark.marked_ms is not None and (now_ms - mark.marked_ms) // SECOND_MS > grace_s
