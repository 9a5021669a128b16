"""Parts of the command: argument parsers that help, problems told in four lines, and progress."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Any, Final, NoReturn, Self, TextIO, TypeAlias

from spec.near import did_you_mean
from spec.verdicts import ExitCode

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # noqa: SLF001 - argparse has no public name for it
"""Where commands are added."""

Run: TypeAlias = Callable[[argparse.Namespace], int]
"""What a command does: takes its arguments, gives the exit code."""

LINE_SECONDS: Final = 10
"""How often progress is said where there is no terminal."""


@dataclass(eq=False)
class Problem(Exception):
    """Something the command cannot go on with.

    Attributes:
        what: the fault, in one clause.
        why: what is wrong.
        advice: what to try.
        where: the file, option or row.
        code: the exit code.
        name: the kind of fault, for machines.
    """

    what: str
    why: str
    advice: str
    where: str = ""
    code: ExitCode = ExitCode.USAGE
    name: str = "Usage"

    def text(self) -> str:
        """The problem as lines for people."""
        parts = {"where": self.where, "why": self.why, "try": self.advice}
        lines = [f"quorate: {self.what}"]
        return "\n".join([*lines, *(f"  {word + ':':6} {said}" for word, said in parts.items() if said)])

    def object(self) -> dict[str, str]:
        """The problem for machines."""
        return {"name": self.name, "what": self.what, "where": self.where, "why": self.why, "try": self.advice}


class Layout(argparse.HelpFormatter):
    """Help whose example stands on one line, so that it can be copied."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        about, example, line = text.partition("Example: ")
        if not example:
            return super()._fill_text(text, width, indent)
        filled = super()._fill_text(about, width, indent)
        return "\n\n".join(filter(None, [filled, f"{indent}Example: {line}"]))


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are problems, with the nearest word that it knows."""

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments.

        Raises:
            Problem: always.
        """
        raise Problem("the command cannot be understood", message, f"`{self.prog} --help`")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = None if action.choices is None else [str(choice) for choice in action.choices]
        if choices is not None and str(value) not in choices:
            what = action.metavar or action.dest
            raise Problem(
                f"no {what} {str(value)!r}", f"known: {', '.join(choices)}", near(str(value), choices, self.prog)
            )

    def refuse_rest(self, rest: Iterable[str]) -> None:
        """Refuse arguments that are left over.

        Raises:
            Problem: there are some.
        """
        for word in rest:
            options = [option for action in self._actions for option in action.option_strings]
            advice = near(word.partition("=")[0], options, self.prog)
            raise Problem(f"no argument {word!r}", f"`{self.prog}` does not take it", advice)


def near(word: str, known: Iterable[str], program: str) -> str:
    """Advice to write a known word that is nearly the same."""
    return did_you_mean(word, known, f"`{program} --help`")


def command(commands: Commands, name: str, about: str, run: Run, *, example: str, more: str = "") -> Parser:
    """Add a command; its help ends with an example."""
    parser = commands.add_parser(
        name,
        help=about,
        description=f"{about[:1].upper()}{about[1:]}.{' ' if more else ''}{more}",
        epilog=f"Example: {example}",
        allow_abbrev=False,
        formatter_class=Layout,
    )
    parser.set_defaults(run=run, parser=parser)
    return parser


def with_output_options(
    parser: Parser, *, form: bool = True, color: bool = True, forms: tuple[str, ...] = ("text", "json")
) -> None:
    """Options that commands with long work and reports share."""
    if form:
        help_text = f"for people or for machines: {', '.join(forms)}"
        parser.add_argument("--format", choices=forms, default="text", metavar="FORM", help=help_text)
    if form and color:
        parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colour of the text")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def is_coloured(wish: str) -> bool:
    """Whether to colour: as wished, else on a terminal unless NO_COLOR is set."""
    return wish == "always" or (wish == "auto" and sys.stdout.isatty() and not os.environ.get("NO_COLOR"))


class Progress:
    """Says on standard error how far the work is: a bar on a terminal, with what is left, else a line now and then.

    As a context it also says how long work takes that does not tell how far it is.
    """

    def __init__(self, *, quiet: bool, stream: TextIO | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.quiet, self.bar = quiet, _bar(self.stream) if not quiet and self.stream.isatty() else None
        self.shown, self.every = time.monotonic(), LINE_SECONDS
        self.what, self.done, self.of, self.began = "", 0, 0, self.shown
        self.over, self.lock = Event(), Lock()
        self.clock = Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        """Start the clock; a bar has one of its own."""
        if not self.quiet and self.bar is None:
            self.clock.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the clock and take the bar away."""
        self.close()

    def __call__(self, what: str, done: int = 0, of: int = 0) -> None:
        """Say that so many events are done; 0 of 0 where nobody knows how many there are."""
        with self.lock:
            is_new = what != self.what
            self.began = time.monotonic() if is_new else self.began
            self.what, self.done, self.of = what, done, of
            if self.bar is None:
                self._say()
            elif not self.over.is_set():
                self._draw(self.bar, is_new=is_new)

    def close(self) -> None:
        """Take the bar away; nothing is said after it."""
        self.over.set()
        if self.clock.is_alive():
            self.clock.join()
        if self.bar is not None:
            self.bar.stop()

    def _tick(self) -> None:
        while not self.over.wait(self.every):
            with self.lock:
                self._say()

    def _draw(self, bar: Any, *, is_new: bool) -> None:
        """Each kind of work has a bar in the place of the one before, which begins anew."""
        total, text = self.of or None, f"{self.what}: {self._far()}" if self.of else self.what
        if is_new:
            for task in bar.task_ids:
                bar.remove_task(task)
            bar.add_task(text, total=total, completed=self.done)
            bar.start()
        else:
            bar.update(bar.task_ids[0], description=text, total=total, completed=self.done)

    def _say(self) -> None:
        now = time.monotonic()
        if self.quiet or not self.what or now - self.shown < self.every:
            return
        self.shown = now
        self.stream.write(f"{self.what}: {self._far() if self.of else f'{now - self.began:.0f} s'}\n")
        self.stream.flush()

    def _far(self) -> str:
        return f"{self.done:,} of {self.of:,} events"


def _bar(stream: TextIO) -> Any:
    """A bar for a terminal, which vanishes: the share that is done, how long it took, and how long the rest takes."""
    from rich import progress
    from rich.console import Console

    columns = (progress.BarColumn(20), progress.TaskProgressColumn(), progress.TextColumn("{task.description}"))
    times = (progress.TimeElapsedColumn(), progress.TextColumn("left"), progress.TimeRemainingColumn())
    return progress.Progress(*columns, *times, console=Console(file=stream), transient=True, refresh_per_second=5)
