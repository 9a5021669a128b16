"""A state machine at the level of the adapter: each rule is one kind of step, chosen as the suite chooses it.

What fails is made small by Hypothesis, kept in its database of failures, and printed as named steps; the failure has
the story, and the line that does it again. Source: Hypothesis, Stateful tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from hypothesis import strategies as st
from hypothesis.control import current_build_context, currently_in_test_context
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from hypothesis.strategies import DrawFn, SearchStrategy

from quorate.adapters.driven import Driven
from quorate.adapters.protocol import TIMEOUT_S
from quorate.strategies.drawn import Drawn
from quorate.strategies.histories import focus_of
from quorate.strategies.holding import TRACES, failure_of
from quorate.suite.guarantees import EVERYTHING
from quorate.suite.planning import Focus, Made
from quorate.suite.running import Run, Running
from quorate.suite.steps import Step

NEEDS: Final = {"tail": "tail", "trim": "trim", "seal": "seal", "sealed": "seal", "look": "holds", "jump": "jump_clock"}
"""What an adapter must be able to do for a kind of step; for all others it need not be able to do anything besides."""


@st.composite
def made_for(draw: DrawFn, focus: Focus, nodes: Sequence[str]) -> Made:
    """Who takes part in a history."""
    return Made(Drawn(draw), focus, nodes)


class LogMachine(RuleBasedStateMachine):
    """A log under test; ``machine_of`` makes a class of it for an adapter.

    Attributes:
        factory: makes the adapter of a new and empty log.
        focus: what histories are to have more of.
        rules_held: ids of the rules that judge them.
        traces: the folder for the trace of a failure.
        timeout_s: how long a coroutine of the adapter may take.
    """

    factory: ClassVar[Any]
    focus: ClassVar[Focus]
    rules_held: ClassVar[Sequence[str]]
    traces: ClassVar[Path]
    timeout_s: ClassVar[float]

    def __init__(self) -> None:
        super().__init__()
        self.log = Driven(type(self).factory, self.timeout_s)
        self.running, self.steps = Running(self.log), list[Step]()
        self.made: Made | None = None
        self.goes_on = True

    @initialize(made=st.runner().flatmap(lambda machine: made_for(machine.focus, machine.log.nodes)))
    def begin(self, made: Made) -> None:
        """Clients are there."""
        self.made = made

    def do(self, step: Step) -> None:
        """Do one step; what an adapter does that none may do ends the history."""
        self.goes_on = False
        self.steps.append(step)
        self.running.do(step)
        self.goes_on = True

    def teardown(self) -> None:
        """End the history as every one ends, and judge it.

        Raises:
            GuaranteeBroken: it breaks a rule.
        """
        try:
            if self.made is None or not self.goes_on:
                return
            for step in self.made.ending():
                self.do(step)
        finally:
            self.log.close()
        ran = Run(tuple(self.steps), self.running.recording.header(), tuple(self.running.lines))
        told_once = not currently_in_test_context() or current_build_context().is_final
        failure = failure_of(ran, type(self).factory, self.rules_held, self.traces, wholly=told_once)
        if failure is not None:
            raise failure


def steps_of(kind: str) -> SearchStrategy[Any]:
    """Steps of a kind that fit what was done so far."""
    return st.runner().flatmap(lambda machine: _step(kind, machine.made)).filter(lambda step: step is not None)


@st.composite
def _step(draw: DrawFn, kind: str, made: Made) -> Step | None:
    return made.step(kind, Drawn(draw))


def machine_of(
    factory: Callable[[], Any],
    about: str | Focus = "",
    rules: Sequence[str] = EVERYTHING,
    *,
    traces: Path = TRACES,
    timeout_s: float = TIMEOUT_S,
) -> type[LogMachine]:
    """The state machine of an adapter; its ``TestCase`` is a test.

    Args:
        factory: makes the adapter of a new and empty log.
        about: what histories are to have more of, or the name of the guarantee that says so.
        rules: ids of the rules that judge them.
        traces: the folder for the trace of a failure.
        timeout_s: how long a coroutine of the adapter may take.

    Raises:
        ValueError: no guarantee has this name.
    """
    focus = focus_of(about)
    said = {"focus": focus, "rules_held": tuple(rules), "traces": traces, "timeout_s": timeout_s}
    taken = {kind: _rule_of(kind) for kind, weight in focus.kinds.items() if weight}
    name = f"MachineOf{getattr(factory, '__name__', 'Log')}"
    return type(name, (LogMachine,), {**said, **taken, "factory": staticmethod(factory)})


def _rule_of(kind: str) -> Any:
    def take(machine: LogMachine, step: Step) -> None:
        machine.do(step)

    take.__name__ = kind
    needed = precondition(lambda machine: NEEDS.get(kind) in {None, *machine.log.can})
    return needed(rule(step=steps_of(kind))(take))
