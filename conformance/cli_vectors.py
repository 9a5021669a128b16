"""``quorate vectors``: cases with known answers held against the specification."""

from __future__ import annotations

from argparse import Namespace

from conformance.cli_parts import Commands, command
from conformance.cli_trace import usage


def add(commands: Commands) -> None:
    """Add the commands."""
    example = "quorate vectors run fmajority.json"
    parser = command(
        commands, "vectors", "hold cases with known answers against the specification", usage, example=example
    )
    below = parser.add_subparsers(metavar="ACTION", dest="action")
    one = command(below, "run", "judge every case of some files", run, example=example)
    one.add_argument("files", metavar="FILE", nargs="+", help="vectors as JSON; a folder stands for its files")


def run(arguments: Namespace) -> int:
    """Judge the cases; 1 where one disagrees."""
    from conformance.vectors.run import run as run_vectors

    report = run_vectors(arguments.files)
    for line in report.lines():
        print(line)
    return report.exit_code
