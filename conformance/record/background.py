"""Work that goes on beside a block of a scenario."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def in_background(name: str, work: Callable[[threading.Event], object]) -> Iterator[None]:
    """Work while the block runs; leaving it sets the event, and waits until the work is over."""
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(stop,), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
