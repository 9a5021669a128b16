"""Locking: one process at a time works on a store. When it ends, however it does, the next may."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from conformance.store.errors import InUse, NoStore

NAME: Final = "lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep others from a store as long as the block lasts.

    Raises:
        InUse: another process works on it.
        NoStore: the folder cannot be made, or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / NAME).open("ab")
    except OSError as error:
        raise NoStore("no store", error.strerror or str(error), "a folder that can be written").at(folder) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InUse("the store is in use", "another process works on it", "wait for it, or end it").at(
                folder
            ) from None
        yield
