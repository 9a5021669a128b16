"""``quorate rules``: what the specification demands, one rule in all its readings, and what each promise demands."""

from __future__ import annotations

from argparse import Namespace

from conformance.cli_parts import Commands, command
from spec.verdicts import ExitCode


def add(commands: Commands) -> None:
    """Add the commands."""
    parser = command(
        commands, "rules", "list the rules, or show one of them", listed, example="quorate rules show log.seal.fences"
    )
    below = parser.add_subparsers(metavar="ACTION", dest="below")
    show = command(
        below,
        "show",
        "one rule: sentence, formula, SQL, citation, needs",
        shown,
        example="quorate rules show client.read.acked_is_delivered --dialect duckdb",
    )
    show.add_argument("rule", metavar="ID", help="the rule's id, or a pattern that matches several")
    show.add_argument(
        "--dialect", choices=("spark", "duckdb", "none"), default="none", help="also its SQL for this engine"
    )
    command(
        below,
        "promises",
        "list what a header may promise, and the rules that each promise brings into force",
        promised,
        example="quorate rules promises",
    )


def listed(_: Namespace) -> int:
    """List all rules by chapter.

    Raises:
        BrokenPackage: in the end, if a package cannot give the family that it offers.
    """
    from spec.registry import every_family

    for title, rules in (chapter for family in every_family() for chapter in family.chapters.items()):
        print(title)
        for rule in rules:
            print(f"  {rule.id}")
            print(f"      {rule.sentence}")
    return ExitCode.HOLDS


def shown(arguments: Namespace) -> int:
    """Show the rules that match."""
    from conformance.rule_page import page
    from spec.registry import select

    for number, rule in enumerate(select([arguments.rule])):
        print("\n" * bool(number) + page(rule, arguments.dialect), end="")
    return ExitCode.HOLDS


def promised(_: Namespace) -> int:
    """List the promises of each family with their rules.

    Raises:
        BrokenPackage: in the end, if a package cannot give the family that it offers.
    """
    from spec.log.family import LOG
    from spec.promises import BESIDES
    from spec.registry import every_family

    for family in every_family():
        if family is not LOG:
            print(f"\nOf traces of the family {family.name}: {family.what}\n")
        for promise, meaning in family.promises.items():
            print(f"{promise}: {meaning}")
            if family is LOG and promise in BESIDES:
                print(f"    {BESIDES[promise]}")
            for rule in family.rules_with(promise):
                print(f"  {rule.id}")
        asked = f"{len(family.rules_with(''))} rules are asked of any trace of the family {family.name}"
        print(f"{asked}, whatever it promises: `quorate rules` lists all.")
    return ExitCode.HOLDS
