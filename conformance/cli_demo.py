"""``quorate demo``: three recordings of real systems judged on Spark, and the story of what one of them lost."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.cli_parts import Commands, Problem, command
from spec.language.outcomes import Verdict
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from spec.reports.report import Report


@dataclass(frozen=True)
class Example:
    """One recording in the folder ``examples``.

    Attributes:
        about: what was recorded.
        folder: where.
        acks: Kafka's setting of the producers; None for another system.
        expected: what the rules say of it.
    """

    about: str
    folder: str
    acks: str | None
    expected: Verdict


EXAMPLES: Final = (
    Example("Restate, three nodes: two of them killed in turn; nobody read", "restate", None, Verdict.UNKNOWN),
    Example("Kafka, acks=all: the leader killed", "kafka-clean", "all", Verdict.HOLDS),
    Example("Kafka, acks=1: the leader killed while its followers stood still", "kafka-acks1", "1", Verdict.VIOLATED),
)

MIN_INSYNC: Final = 2
"""The topic's setting in both recordings of Kafka."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "demo",
        "judge recordings of real systems, and see a loss explained",
        run,
        example="quorate demo --engine columns",
    )
    parser.add_argument("--engine", choices=("spark", "columns"), default="spark", help="what judges (spark)")


def run(arguments: Namespace) -> int:
    """Judge the examples; 0 if each is judged as expected."""
    from contextlib import ExitStack
    from tempfile import TemporaryDirectory

    root = examples()
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="quorate-demo-"))
        going_on("reading the recordings")
        traces = [imported(example, root, Path(folder)) for example in EXAMPLES]
        judge = judging(arguments.engine, stack)
        found = []
        for example, trace in zip(EXAMPLES, traces, strict=True):
            going_on(f"judging {example.folder}")
            found.append(judge(trace))
        where = "on Spark" if arguments.engine == "spark" else "in this process"
        print(f"Recordings of real systems, judged by {len(found[0].verdict.rules)} rules {where}\n")
        for example, report in zip(EXAMPLES, found, strict=True):
            print(summary(example, report))
        show_story(traces[-1], found[-1], root)
    right = [report.verdict.verdict is example.expected for example, report in zip(EXAMPLES, found, strict=True)]
    print(f"demo: {sum(right)} of {len(right)} recordings judged as expected")
    return ExitCode.HOLDS if all(right) else ExitCode.VIOLATED


def going_on(what: str) -> None:
    """Say what takes time now."""
    print(f"demo: {what}", file=sys.stderr, flush=True)


def examples() -> Path:
    """The folder of recordings beside the source.

    Raises:
        Problem: quorate does not run from a source checkout.
    """
    import conformance

    folder = Path(conformance.__file__).parent.parent / "examples"
    if not all((folder / example.folder).is_dir() for example in EXAMPLES):
        raise Problem(
            "the recordings are not here",
            "they come with the source, not with the installed package",
            "`make demo` in a clone of the repository",
            str(folder),
            ExitCode.UNKNOWN,
        )
    return folder


def imported(example: Example, root: Path, folder: Path) -> str:
    """The trace that a recording makes."""
    from conformance.cli_import import import_folder
    from conformance.importers.commands import restate

    output = str(folder / f"{example.folder}.parquet")
    if example.acks is None:
        restate(output, folder=root / example.folder)
    else:
        import_folder(root / example.folder, output, example.acks, MIN_INSYNC)
    return output


def judging(engine: str, stack: ExitStack) -> Callable[[str], Report]:
    """What judges a trace; Spark runs until the stack is unwound."""
    if engine == "columns":
        from conformance.check.checking import check
        from conformance.trace.open import open_trace

        return lambda path: check(open_trace(path))
    from conformance.cli_spark import check_in, own_session
    from spec.registry import RULES

    going_on("starting Spark")
    session = stack.enter_context(own_session("quorate demo"))
    return lambda path: check_in(session, path, RULES)


def summary(example: Example, report: Report) -> str:
    """One recording's verdict, and how much it rests on."""
    from spec.reports.text import number_of

    verdict = report.verdict
    judged = sum(said.judged for said in verdict.judged)
    counts = [f"{report.events:,} events", number_of(len(verdict.judged), "rule"), f"{judged:,} instances judged"]
    lines = [example.about, f"  {verdict.verdict.value:8}  {', '.join(counts)}"]
    lines += [f"  {'':8}  {said.rule.id} is broken {said.violated} times" for said in verdict.rules if said.violated]
    return "\n".join(lines) + "\n"


def show_story(trace: str, report: Report, root: Path) -> None:
    """The story of the first violation, with the lines that show it again."""
    from conformance.check.story import explain
    from conformance.trace.open import open_trace

    broken = next((said for said in report.verdict.judged if said.violations), None)
    if broken is None:
        return
    folder = f"{root.name}/{EXAMPLES[-1].folder}"
    story = explain(open_trace(trace), broken.rule, broken.violations[0].key)
    print(f"The first of these {broken.violated}, told from the record:")
    print(story.text.replace(trace, "kafka.parquet"), end="")
    print(f"Recorded: {folder}/README.md. Make kafka.parquet yourself:")
    print(f"  quorate import kafka {folder} --acks 1 --min-insync {MIN_INSYNC} --output kafka.parquet")
