"""Holding: one history is done to a new log and judged, and what breaks is told with a line that does it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from quorate.adapters.protocol import TIMEOUT_S
from quorate.suite.guarantees import EVERYTHING, Guarantee
from quorate.suite.judging import Broken, judged
from quorate.suite.running import Run, run
from quorate.suite.steps import Plan, plan_of
from quorate.suite.telling import GuaranteeBroken, broken_guarantee

HELD: Final = Guarantee("history", "A history keeps every rule that it is held to.", EVERYTHING)

TRACES: Final = Path(".quorate")
"""Where traces of failures are left, if nobody says otherwise."""

SOMEWHERE: Final = "MODULE:FACTORY"
"""What stands in a line to paste for a factory that cannot be imported."""


def hold(
    factory: Callable[[], Any],
    history: Plan | str,
    rules: Sequence[str] = EVERYTHING,
    *,
    traces: Path = TRACES,
    timeout_s: float = TIMEOUT_S,
) -> Run:
    """Do a history to a new log, and judge what clients saw; gives the run, whose ``events`` can be looked at.

    Args:
        factory: makes the adapter of a new and empty log.
        history: steps, or the line that says them.
        rules: ids of the rules.
        traces: the folder for the trace of a failure.
        timeout_s: how long a coroutine of the adapter may take.

    Raises:
        GuaranteeBroken: a rule is broken; the text tells how, and has a line that does it again.
        AdapterError: one of its kinds, if the adapter does what none may do.
    """
    ran = run(plan_of(history) if isinstance(history, str) else history, factory, timeout_s)
    if failure := failure_of(ran, factory, rules, traces):
        raise failure
    return ran


def failure_of(
    ran: Run, factory: Callable[[], Any], rules: Sequence[str], traces: Path, *, wholly: bool = True
) -> GuaranteeBroken | None:
    """What is to be told of a run that broke a rule; None if it broke none.

    Args:
        ran: the run.
        factory: what made its adapter.
        rules: ids of the rules.
        traces: the folder for its trace.
        wholly: leave the trace and tell the story; else only say which rules are broken.
    """
    broken, _ = judged(ran, tuple(rules))
    if not broken:
        return None
    if not wholly:
        return GuaranteeBroken(", ".join(broken))
    command = f"pytest --quorate-adapter {name_of(factory)}"
    return broken_guarantee(HELD, Broken(ran, broken), trace=traces / f"{HELD.name}.jsonl", command=command, seed="")


def name_of(factory: Callable[[], Any]) -> str:
    """How a factory is named on a command line; a hint where it cannot be imported."""
    name = getattr(factory, "__qualname__", "<unknown>")
    return SOMEWHERE if "<" in name else f"{factory.__module__}:{name}"
