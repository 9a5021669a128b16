"""What can be wrong with a store, or with what it is to take in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa

from conformance.trace.errors import TraceError


class OtherTrace(TraceError):
    """The store keeps another trace: its header differs."""


class Altered(TraceError):
    """A file that was read before is no longer what it was."""


class NoStore(TraceError):
    """The folder holds something else, a store of another version, or one that is damaged."""


class SourceFailed(TraceError):
    """What is watched gives no more, however often it is asked."""


class InUse(TraceError):
    """Another process works on the store."""


UNDECODED: Final = (
    *(TraceError, OSError, LookupError, TypeError, ValueError, AttributeError),
    *(ArithmeticError, MemoryError, NotImplementedError, pa.ArrowException),
)
"""What comes of bytes that are not those that were written: lengths in them may be any, too."""


def damaged(why: str, where: Path) -> NoStore:
    """The error for a store that is not as it was left."""
    return NoStore("the store is damaged", why, "judge the trace in a new folder").at(where)


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Name what is wrong with a file that a store keeps: nobody but quorate writes it.

    Raises:
        NoStore: it is not there, or not what was written.
    """
    try:
        yield
    except (PermissionError, NoStore):
        raise
    except UNDECODED as error:
        raise damaged(f"this is not what quorate wrote: {type(error).__name__}", path) from None
