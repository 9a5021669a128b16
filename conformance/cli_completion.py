"""``quorate completion``: what shells need to complete commands and options, from the parsers themselves."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from conformance.cli_parts import Commands, Parser, command
from spec.verdicts import ExitCode

BASH: Final = """_quorate() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path= part words=
    for part in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$path $part" in
{paths}
        esac
    done
    case "$path $before" in
{values}
        *) case "$path" in
{words}
        esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _quorate quorate
"""
"""A function of bash that knows where in the command it is; where it knows no word, files are completed."""

ZSH: Final = "autoload -U +X bashcompinit && bashcompinit\n"
"""zsh runs functions of bash with this."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "completion",
        "print what a shell needs to complete commands and options",
        run,
        example="quorate completion bash",
        more='Bash and zsh take it by eval "$(quorate completion SHELL)", fish by `quorate completion fish | source`.',
    )
    parser.add_argument("shell", metavar="SHELL", choices=tuple(SHELLS), help=", ".join(SHELLS))


def run(arguments: Namespace) -> int:
    """Print it."""
    print(SHELLS[arguments.shell](arguments.top), end="")
    return ExitCode.HOLDS


def bash(top: Parser) -> str:
    """A script for bash."""
    parsers = dict(_parsers(top, ""))
    paths = [f'            "{path}") path="{path}" ;;' for path in parsers if path]
    words = [f'            "{path}") words="{" ".join(_words(one))}" ;;' for path, one in parsers.items()]
    values = [
        f'        "{path} {option}") words="{" ".join(said)}" ;;'
        for path, one in parsers.items()
        for option, said in _values(one).items()
    ]
    return BASH.format(paths="\n".join(paths), words="\n".join(words), values="\n".join(values))


def zsh(top: Parser) -> str:
    """A script for zsh."""
    return ZSH + bash(top)


def fish(top: Parser) -> str:
    """A script for fish."""
    return "".join(f"{line}\n" for path, one in _parsers(top, "") for line in _of_fish(path, one))


SHELLS: Final[Mapping[str, Callable[[Parser], str]]] = {"bash": bash, "zsh": zsh, "fish": fish}


def _of_fish(path: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    seen = "; and ".join(f"__fish_seen_subcommand_from {part}" for part in path.split())
    begin = f"complete -c quorate -n '{seen or '__fish_use_subcommand'}'"
    for name in _below(parser):
        yield f"{begin} -f -a {name}"
    for option, said in {**dict.fromkeys(_options(parser), ()), **_values(parser)}.items():
        yield f"{begin} -l {option[2:]}" + (f" -x -a '{' '.join(said)}'" if said else "")


def _parsers(parser: argparse.ArgumentParser, path: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """All parsers, each with the words that lead to it; a space stands before each word."""
    yield path, parser
    for name, below in _below(parser).items():
        yield from _parsers(below, f"{path} {name}")


def _below(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to look at a parser
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            choices: Mapping[str, argparse.ArgumentParser] = action.choices
            return choices
    return {}


def _words(parser: argparse.ArgumentParser) -> list[str]:
    places = [action for action in parser._actions if not action.option_strings]  # noqa: SLF001 - as above
    chosen = [str(one) for action in places for one in action.choices or ()]
    return [*dict.fromkeys(chosen), *_options(parser)]


def _options(parser: argparse.ArgumentParser) -> list[str]:
    every = [option for action in parser._actions for option in action.option_strings]  # noqa: SLF001 - as above
    return [option for option in every if option.startswith("--")]


def _values(parser: argparse.ArgumentParser) -> dict[str, tuple[str, ...]]:
    """The values that options take, of those that take few."""
    return {
        option: tuple(map(str, action.choices))
        for action in parser._actions  # noqa: SLF001 - as above
        for option in action.option_strings
        if action.choices and option.startswith("--")
    }
