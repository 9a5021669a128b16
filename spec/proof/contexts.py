"""Contexts of z3 that stay whole when another thread collects garbage.

Python frees a z3 term in the thread that happens to collect it, also while z3 works in another: its calls release the
interpreter's lock. Without more the counts of references race, and z3 crashes or searches for ever (Z3, pull request
6332: such calls are queued on request).
"""

from __future__ import annotations

from typing import Any

import z3


def undisturbed(context: z3.Context) -> Any:
    """The context, which from now on frees terms only between its own calls, whoever lets go of them."""
    z3.Z3_enable_concurrent_dec_ref(context.ref())
    return context
