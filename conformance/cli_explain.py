"""``quorate explain``: one violation told as a story from the events of the record."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from conformance.cli_parts import Commands, Problem, Progress, command
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from conformance.check.story import Story
    from conformance.trace.open import Trace
    from spec.language.rule import Rule


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "explain",
        "tell a violation as a story",
        run,
        example="quorate explain run.parquet --rule client.read.acked_is_delivered --key=1,e1n3",
        more="Without --key, the first violation that a check finds. Exit code 1 if the rule is broken there.",
    )
    parser.add_argument("trace", metavar="TRACE", help="a trace in any form")
    parser.add_argument("--rule", metavar="ID", help="the rule; needed with --key")
    parser.add_argument("--key", help="the row, as reports name it, such as 1,e1n3; write --key=-1,... for a minus")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(arguments: Namespace) -> int:
    """Tell the story; 1 where the rule is broken, 2 where the named row does not show it, else what a check says."""
    from conformance.check.checking import check
    from conformance.check.story import replay
    from conformance.trace.open import open_trace
    from spec.registry import select
    from spec.reports.names import names_of, read_key
    from spec.reports.text import last_line, place_words

    trace = open_trace(arguments.trace)
    rules = select([arguments.rule] if arguments.rule else [])
    names = names_of(trace.header)
    if arguments.key is not None:
        if len(rules) != 1:
            raise Problem(
                "--key without one rule", f"{len(rules)} rules match", "--rule ID, as the report names it", "--key"
            )
        story, circle = _told(trace, rules[0], read_key(rules[0].view, arguments.key, names))
        print(story.text, *circle, sep="", end="")
        return ExitCode.UNKNOWN if story.witness is None else ExitCode.VIOLATED
    with Progress(quiet=arguments.quiet) as progress:
        report = check(trace, rules, shown=0, progress=progress)
    broken = [said for said in report.verdict.judged if said.violations]
    if broken:
        first = broken[0].violations[0]
        story, circle = _told(trace, broken[0].rule, first.key)
        print(story.text, *circle, sep="")
        if broken[0].in_a_row[first] > 1:
            print(f"The same: {place_words(broken[0], first, names)}")
    for said in broken[1:]:
        print(f"Also: {replay(arguments.trace, said.rule, said.violations[0].key, names)}")
    print(last_line(report))
    return report.verdict.exit_code


def _told(trace: Trace, rule: Rule, key: tuple[int, ...]) -> tuple[Story, list[str]]:
    """The story of a violation, and the lines of the circle that it shows, if it shows one."""
    from conformance.check.ordering import to_tell_from
    from conformance.check.story import story_of
    from conformance.forms.circles import as_text, circle_of

    with to_tell_from(trace) as copy:
        circle = [f"{line}\n" for line in as_text(circle_of(copy, rule, key))]
        return story_of(copy, str(trace.path), rule, key), circle
