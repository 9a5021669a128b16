"""The suite as tests of pytest: one for the adapter, one for each guarantee, or one for a history that was pasted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from conformance.trace.errors import TraceError
from quorate.adapters.driven import Driven
from quorate.adapters.errors import AdapterError
from quorate.adapters.trial import try_adapter
from quorate.suite.guarantees import EVERYTHING, GUARANTEES, Guarantee
from quorate.suite.judging import Broken, Findings, find, judged
from quorate.suite.setting import Setting, setting_of
from quorate.suite.steps import Plan, plan_of
from quorate.suite.summary import PREFIX
from quorate.suite.telling import GuaranteeBroken, NothingAsked, broken_guarantee, nothing_asked

SUITE: Final = "quorate"
"""What ids of its tests begin with."""

PASTED: Final = Guarantee("steps", "A history that was pasted keeps every rule on clients.", EVERYTHING)


def suite_of(session: pytest.Session) -> Suite:
    """The suite, as the options say; its tests are selected like all others.

    Raises:
        UsageError: an option says what it may not.
    """
    steps: str | None = session.config.getoption("--quorate-steps")
    try:
        setting, plan = setting_of(session.config), None if steps is None else plan_of(steps)
    except AdapterError as error:
        raise pytest.UsageError(str(error)) from None
    return Suite.from_parent(session, name=SUITE, nodeid=SUITE, setting=setting, plan=plan)


class Suite(pytest.Collector):
    """The tests of one log."""

    def __init__(self, *, setting: Setting, plan: Plan | None, **words: Any) -> None:
        super().__init__(**words)
        self.setting, self.plan = setting, plan

    def collect(self) -> Iterator[pytest.Item]:
        """The trial of the adapter and all guarantees, in order; of a pasted history one test alone."""
        if self.plan is not None:
            yield StepsItem.from_parent(self, name=PASTED.name, setting=self.setting, plan=self.plan)
            return
        yield AdapterItem.from_parent(self, name="adapter", setting=self.setting)
        for one in GUARANTEES:
            yield GuaranteeItem.from_parent(self, name=one.name, setting=self.setting, guarantee=one)


class SuiteItem(pytest.Item):
    """A test of the suite."""

    def __init__(self, *, setting: Setting, **words: Any) -> None:
        super().__init__(**words)
        self.setting = setting

    def say(self, **properties: object) -> None:
        """Put what was found into reports, beside the outcome."""
        self.user_properties += [(f"{PREFIX}{name}", str(value)) for name, value in properties.items()]

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it stands: in no file."""
        return self.path, None, self.nodeid

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is told of a failure: of those that have a name, their text and no trace of calls.

        The text is told once; a summary, which pytest never shortens in a continuous integration, has its first line.
        """
        if not isinstance(excinfo.value, GuaranteeBroken | NothingAsked | AdapterError | TraceError):
            return super().repr_failure(excinfo, style)
        shown = excinfo.getrepr(style="value", chain=False)
        if shown.reprcrash is not None:
            shown.reprcrash.message = str(excinfo.value).partition("\n")[0]
        return shown

    def ask(self, guarantee: Guarantee, findings: Findings) -> None:
        """Say what came of a guarantee that was asked for; skip where nothing broke what can never be shown to hold.

        Raises:
            GuaranteeBroken: it is broken.
            NothingAsked: nothing was judged.
        """
        conditions, broken = self.setting.conditions, findings.broken
        counts = {"histories": findings.histories, "asked": findings.asked, "instances": findings.instances.total()}
        self.say(**counts, seed=conditions.seed)
        if broken is not None:
            trace = self.setting.traces / f"{guarantee.name}.jsonl"
            self.say(verdict="violated", rules=" ".join(broken.rules), trace=trace)
            raise broken_guarantee(guarantee, broken, trace=trace, command=self.setting.command, seed=conditions.seed)
        if not findings.instances:
            self.say(verdict="unknown")
            if guarantee.never_shown:
                pytest.skip(nothing_asked(guarantee, findings))
            raise NothingAsked(nothing_asked(guarantee, findings))
        self.say(verdict="holds", unasked=" ".join(rule for rule in guarantee.rules if rule not in findings.instances))


class AdapterItem(SuiteItem):
    """The trial of the adapter itself."""

    def runtest(self) -> None:
        """Try it."""
        conditions = self.setting.conditions
        for said in try_adapter(conditions.factory, conditions.timeout_s):
            self.add_report_section("call", "tried", f"{said}\n")


class GuaranteeItem(SuiteItem):
    """A guarantee, asked by many histories."""

    def __init__(self, *, guarantee: Guarantee, **words: Any) -> None:
        super().__init__(**words)
        self.guarantee = guarantee

    def runtest(self) -> None:
        """Ask for it.

        Raises:
            GuaranteeBroken: it is broken.
            NothingAsked: histories ask for it, and nothing was judged.
            AdapterError: one of its kinds, if the adapter does what none may do.
        """
        conditions, guarantee = self.setting.conditions, self.guarantee
        with closing(Driven(conditions.factory, conditions.timeout_s)) as log:
            can, nodes = log.can, log.nodes
        if lacking := [name for name in guarantee.needs if name not in can]:
            self.say(verdict="not asked")
            pytest.skip(f"the adapter has no {' and no '.join(lacking)}")
        findings = find(guarantee, conditions, nodes)
        if not findings.asked:
            self.say(verdict="unknown", histories=findings.histories, asked=0, instances=0)
            pytest.skip(nothing_asked(guarantee, findings))
        self.ask(guarantee, findings)


class StepsItem(SuiteItem):
    """A history that was pasted."""

    def __init__(self, *, plan: Plan, **words: Any) -> None:
        super().__init__(**words)
        self.plan = plan

    def runtest(self) -> None:
        """Do what it says, and judge it by every rule on clients.

        Raises:
            GuaranteeBroken: it breaks one.
            NothingAsked: there was nothing to judge.
            AdapterError: one of its kinds, if the adapter does what none may do.
        """
        ran = self.setting.conditions.run(self.plan)
        rules, instances = judged(ran, PASTED.rules)
        self.ask(PASTED, Findings(1, 1, instances, Broken(ran, rules) if rules else None))
