"""Real systems that the suite asks, one process for each: a strong setting and a weak one, and what is said of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from conformance.record.errors import ClusterFailed
from quorate.suite.items import PASTED
from quorate.suite.summary import PREFIX
from tests.support.pytest_runs import run_in_turn

KILLED_IN_TURN: Final = (
    "w1 append a; w1 append b; crash 0; w1 append c; restart 0; crash 1; w1 append d; restart 1; "
    "crash 2; w1 append e; restart 2; r1 drain"
)
"""Whoever leads is among them."""

GUARANTEES: Final = (
    "adapter or no_loss or tail_honest or trim_honest or copies_agree or survives_seal or partition or clock_jump"
)
"""What a strong setting is asked besides; some of it no system lets us ask."""

TRIES: Final = 3
"""How often a weak setting is asked until it breaks: it does not promise to keep anything, nor to lose it."""

VERDICTS: Final = ("holds", "violated", "unknown", "not asked")

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "real-systems.md"

PROSE: Final = """# Real systems

What `pytest --quorate-adapter` said of four real systems, each under a strong setting and a weak one:
[Ask a real system](../how-to/ask-a-real-system.md). The tests start three servers of each on loopback, ask, and compare
with this page; `pytest tests/real/test_adapters.py --rewrite` renews it.

Strong settings are asked for [guarantees](guarantees.md), each by two histories that a seed decides, and by histories
that are written here. `crashes` kills each node in turn:

```text
{crashes}
```

`script` is the history by which the weak setting breaks, which is asked so until it does, three times at most. The
strong one holds in it; Kafka's would acknowledge nothing in it, which takes its clients minutes to believe, so it is
not asked.

{scripts}

Behind each guarantee stands how many of its histories ask for it, and how many instances of its rules were decided, and
of `script` and `crashes`, which all rules on clients judge, which of them are broken: in the run that made this page.
Of another run the tests hold the verdicts to it. `unknown`: no history asked, or none can show it. `not asked`: the
adapter cannot do what it takes.

{verdicts}
"""

MISSING: Final = re.compile(r"adapter: (.* cannot be had: .*)")
LATE: Final = re.compile(rf"{ClusterFailed.__name__}: (.*)")


@dataclass(frozen=True)
class System:
    """A system, and how it is asked.

    Attributes:
        strong: the adapter of a setting that keeps what it promises.
        weak: of one that does not promise so much.
        script: a history that shows it.
        why: what happens in it, under the weak setting.
        waits: whether the strong setting acknowledges nothing in it until time is up, so that it is not asked.
    """

    strong: str
    weak: str
    script: str
    why: str
    waits: bool = False


SYSTEMS: Final[Mapping[str, System]] = {
    "bookkeeper": System(
        "acks_two",
        "unrecovered",
        "w1 append a; w1 append b; r1 drain",
        "a reader that does not recover the ledger knows no end but the last one that its writer confirmed",
    ),
    "kafka": System(
        "acks_all",
        "acks_leader",
        "w1 append a; pause 1; pause 2; w1 append b; w1 append c; w1 append d; w1 append e; w1 append f; w1 append g; "
        "crash 0; resume 1; resume 2; w1 append h; r1 drain",
        "the leader acknowledges alone and dies, and a follower leads that knows nothing of it",
        waits=True,
    ),
    "nats": System(
        "replicated",
        "single",
        "w1 append a; w1 append b; crash 0; restart 0; w1 append c; r1 drain",
        "the one server that has the stream has it in memory, and dies",
    ),
    "restate": System(
        "keyed",
        "unkeyed",
        "w1 append a; pause 1; w1 append b; resume 1; w1 append c; r1 drain",
        "a node stands still, another one is asked the same, and the first does it later, too",
    ),
}


@dataclass(frozen=True)
class Answer:
    """What came of one guarantee, or of one history (``steps``): the properties of its test, and why it was skipped."""

    adapter: str
    name: str
    said: Mapping[str, str]
    skipped: str

    @property
    def verdict(self) -> str:
        """Holds, violated, unknown or not asked."""
        return self.said["verdict"]

    @property
    def rules(self) -> list[str]:
        """The rules that are broken."""
        return self.said.get("rules", "").split()


class NotHere(Exception):
    """A system that cannot be had here, and why."""


class NotReady(Exception):
    """Its cluster did not serve in time."""


def ask(name: str, folder: Path) -> list[Answer]:
    """Ask a system under its strong setting and its weak one, which share a cluster.

    Raises:
        NotHere: it cannot be had.
        NotReady: it does not serve in time, as happens on a busy machine.
        AssertionError: a test of the suite ended without a verdict.
    """
    asked = list(_asked(name, folder))
    weak = f"{name}:{SYSTEMS[name].weak}"
    told = run_in_turn(folder, [(TRIES if adapter == weak else 1, words) for adapter, _, words in asked])
    if missing := MISSING.search(told):
        raise NotHere(missing[1])
    if late := LATE.search(told):
        raise NotReady(late[1])
    return [answer for adapter, report, _ in asked for answer in _answers(adapter, report, told)]


def _asked(name: str, folder: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """Each adapter, the report of how it was asked, and the words that ask it."""
    system = SYSTEMS[name]
    questions = [
        ("guarantees", system.strong, ["--quorate-histories", "2", "-k", GUARANTEES]),
        ("crashes", system.strong, ["--quorate-steps", KILLED_IN_TURN]),
        *[("script", system.strong, ["--quorate-steps", system.script])] * (not system.waits),
        ("script", system.weak, ["--quorate-steps", system.script]),
    ]
    for what, setting, words in questions:
        adapter, report = f"{name}:{setting}", folder / setting / f"{what}.xml"
        yield adapter, report, ["--quorate-adapter", f"quorate.systems.{adapter}", f"--junitxml={report}", *words]


def _answers(adapter: str, report: Path, told: str) -> Iterator[Answer]:
    """What a report says; a history that was pasted is called as the report is."""
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - our own
        named = ((one.attrib["name"], one.attrib["value"]) for one in case.iter("property"))
        said = {name.removeprefix(PREFIX): value for name, value in named}
        skip = case.find("skipped")
        if case.attrib["name"] == "adapter":
            assert case.find("failure") is None, told
        else:
            assert "verdict" in said, told
            name = report.stem if case.attrib["name"] == PASTED.name else case.attrib["name"]
            yield Answer(adapter, name, said, "" if skip is None else skip.attrib["message"])


def page(answers: Sequence[Answer]) -> str:
    """The page, in Markdown."""
    scripts = [(f"`{name}:{one.weak}`", f"`{one.script}`", one.why) for name, one in SYSTEMS.items()]
    heading = ("adapter", *VERDICTS)
    adapters = dict.fromkeys(answer.adapter for answer in answers)
    rows = [(f"`{adapter}`", *(_cell(answers, adapter, verdict) for verdict in VERDICTS)) for adapter in adapters]
    return PROSE.format(
        crashes=KILLED_IN_TURN,
        scripts=_table(("weak setting", "script", "what happens"), scripts),
        verdicts=_table(heading, rows),
    )


def without_counts(text: str) -> str:
    """A page without how many histories and instances there were, which differ from run to run."""
    return re.sub(r" \(\d[^)]*\)", "", text)


def _cell(answers: Sequence[Answer], adapter: str, verdict: str) -> str:
    """What has this verdict, with counts of what was asked."""
    found = [answer for answer in answers if answer.adapter == adapter and answer.verdict == verdict]
    return "<br>".join(map(_told, found)) or "-"


def _told(answer: Answer) -> str:
    if answer.verdict == "not asked":
        return f"`{answer.name}`: {answer.skipped}"
    said = answer.said
    counts = f"{said['asked']} of {said['histories']} histories, {said['instances']} instances"
    return f"`{answer.name}` ({', '.join([counts, *(f'`{rule}`' for rule in answer.rules)])})"


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heading, ("---",) * len(heading), *rows))
