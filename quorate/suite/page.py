"""The reference page of the suite: its guarantees, its options, and how a history is written, from the code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from quorate.options import OPTIONS
from quorate.strategies.counting import by_hypothesis
from quorate.suite.guarantees import EVERYTHING, GUARANTEES, Guarantee
from quorate.suite.judging import PROFILES
from quorate.suite.rarities import HISTORIES, RARITIES, by_seed, counted

PROSE: Final = """# Guarantees

What `pytest --quorate-adapter MODULE:FACTORY` asks of a log, through its [adapter](adapter-protocol.md). Each guarantee
is a test, `quorate::NAME`, beside your own tests; `quorate::adapter` tries the adapter first. How to begin:
[Test your own log](../tutorial/test-your-own-log.md).

Each is asked by many histories that a seed decides, with more of what it is about. A test fails if a rule is broken in
one of them. That history is made small, its trace is kept, and the failure has the line that does it again. A test
passes only if something was asked; what the log or its adapter never does is skipped, with the reason. The table at the
end names rules of which there was no instance.

Histories run one step after the other, so that they can be repeated. Clients overlap all the same: several ask before
the first is answered, and some give up before their answer comes. Appends `together` are truly under way together if
`append` is a coroutine, or if clients have adapters of their own (`client`), which are then asked from threads. What
such a race shows it may not show again; its trace is kept.

{guarantees}

Rare things happen often in them. In so many of {histories:,} histories, guarantees taking turns, made by a seed as
above, or by the [strategies](strategies.md) for tests of your own:

{rarities}

## Options

Each may stand in the configuration of pytest, too: `quorate_adapter = "mylog:Log"`.

{options}
| `--quorate-steps STEPS` | run this history alone, as a failure has printed it |

{profiles}

Reports of JUnit have for each test the properties `quorate.verdict`, `quorate.seed`, and how many histories were run
(`quorate.histories`), how many of them asked for the guarantee (`quorate.asked`), and how many instances of its rules
were decided (`quorate.instances`); of a failure also `quorate.rules` and `quorate.trace`;
and rules that had no instance (`quorate.unasked`).

## How a history is written

Steps stand between semicolons. Clients and payloads have any names.

| step | does |
|---|---|
| `w1 append a` | a client appends |
| `w1 append a unheard` | it appends, and gives up before the answer comes |
| `w1 hear` | it hears after all what became of the last append that it gave up |
| `together w1 a + w2 b` | clients ask at once, and hear their answers when all are done |
| `r1 seek beginning`, `r1 seek end` | a reader begins to read, or reads anew: at the beginning, or after the last LSN |
| `r1 seek #2` | it begins at the third LSN that clients came to know |
| `r1 take 2`, `r1 drain` | it reads on, for so many steps, or until it is told that it is at the end |
| `r1 tail` | it asks where the log ends |
| `r1 seek border` | it begins after the last LSN of the epoch before the newest |
| `seal`, `together w1 a + w2 b + seal` | somebody ends the epoch; while appends are under way |
| `look n1` | somebody looks at what a node holds |
| `trim #2` | somebody asks that everything up to this LSN be deleted |
| `crash n1`, `restart n1`, `pause n1`, `resume n1`, `partition n1`, `heal n1` | a fault of a node begins or ends |
| `jump n1 -1000` | a node's clock jumps, by milliseconds |
"""


def page() -> str:
    """The page, in Markdown."""
    found, drawn = counted(by_seed()), counted(by_hypothesis())
    profiles = (f"{name} runs {one.histories} histories of up to {one.steps} steps" for name, one in PROFILES.items())
    return PROSE.format(
        guarantees=_table(("guarantee", "says", "rules", "asked when"), map(_row, GUARANTEES)),
        histories=HISTORIES,
        rarities=_table(
            ("what happens", "by a seed", "by Hypothesis"),
            ((name, str(found[name]), str(drawn[name])) for name in RARITIES),
        ),
        options=_table(
            ("option", "is"), ((f"`--quorate-{name} {takes}`", says) for name, (takes, says) in OPTIONS.items())
        ),
        profiles=f"The profile {', '.join(profiles)} for each guarantee.",
    )


def _row(one: Guarantee) -> tuple[str, ...]:
    can = f"the adapter can {' and '.join(one.needs)}; " if one.needs else ""
    rules = "all rules on clients" if one.rules == EVERYTHING else ", ".join(f"`{rule}`" for rule in one.rules)
    return f"`{one.name}`", one.sentence, rules, f"{can}{one.asked_by}"


def _table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heading, ("---",) * len(heading), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
