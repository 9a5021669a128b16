"""``quorate vectors``: cases with known answers, held against the specification or an implementation, and written."""

from __future__ import annotations

import shlex
from argparse import Namespace
from pathlib import Path

from conformance.cli_check import count
from conformance.cli_parts import Commands, command
from conformance.cli_trace import usage
from spec.verdicts import ExitCode


def add(commands: Commands) -> None:
    """Add the commands."""
    example = "quorate vectors run fmajority.json"
    parser = command(
        commands, "vectors", "hold cases with known answers against the specification", usage, example=example
    )
    below = parser.add_subparsers(metavar="ACTION", dest="action")
    one = command(
        below,
        "run",
        "judge every case of some files",
        run,
        example=example,
        more="A case with a part that nobody reads is not applicable, by the name of the part.",
    )
    one.add_argument("files", metavar="FILE", nargs="+", help="vectors as JSON; a folder stands for its files")
    one.add_argument("--adapter", metavar="COMMAND", help="a program that is asked instead of the specification")
    other = command(
        below,
        "write",
        "write thousands of cases that the specification has decided",
        write,
        example="quorate vectors write vectors",
        more="With a JSON Schema of each file, and a manifest.",
    )
    other.add_argument("folder", metavar="DIR", help="is made if it is not there")
    other.add_argument("--seed", type=count, default=1, metavar="N", help="decides all cases (1)")


def run(arguments: Namespace) -> int:
    """Judge the cases; 1 where one disagrees."""
    from conformance.vectors.asking import ask, published
    from conformance.vectors.run import run as run_vectors

    files = [file for path in arguments.files for file in published(Path(path))]
    report = ask(shlex.split(arguments.adapter), files) if arguments.adapter else run_vectors(files)
    for line in report.lines():
        print(line)
    return report.exit_code


def write(arguments: Namespace) -> int:
    """Write the cases."""
    from conformance.vectors.published.writing import write as write_vectors

    manifest = write_vectors(Path(arguments.folder), arguments.seed)
    for one in manifest["files"]:
        signs = f"{one['positive']:,} positive, {one['negative']:,} negative"
        print(f"{one['cases']:6,}  {one['file']}: {one['about']} ({signs})")
    print(f"{manifest['cases']:,} cases written to {arguments.folder}")
    return ExitCode.HOLDS
