"""Memory: what is freed is kept for what is asked for next.

The C library gives large blocks back to the system when they are freed, and asks for them anew; then the system clears
them, page by page. Judging columns of millions of rows, that takes as long as judging.

Source: mallopt(3), and glibc's ``malloc.h`` for the numbers.
"""

from __future__ import annotations

import ctypes
from typing import Final

CHOICES: Final = {"M_TRIM_THRESHOLD": (-1, -1), "M_MMAP_MAX": (-4, 0), "M_ARENA_MAX": (-8, 1)}
"""What is chosen, with its number and value: to give nothing back, to map no block alone, and one heap for all."""


def keep_what_is_freed() -> bool:
    """From now on this process keeps what it frees, and its threads share it; False where that cannot be chosen."""
    try:
        choose = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return all(map(choose, *zip(*CHOICES.values(), strict=True)))
