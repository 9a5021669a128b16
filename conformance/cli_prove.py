"""``quorate prove``: quorum theory and protocol texts, proved for any number of nodes.

Names choose what is proved: ``quorum.f_majority.sound`` is a theorem, ``recovery`` a protocol text, and
``recovery/plan/choice_is_safe`` one condition of it; ``*`` stands for anything.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from conformance.cli_check import count
from conformance.cli_parts import Commands, Problem, Progress, command, near, with_output_options
from spec.language.outcomes import Verdict
from spec.verdicts import EXIT_CODES, ExitCode

if TYPE_CHECKING:
    from spec.proof.inductive import Report
    from spec.proof.inductive.solvers import SolverName
    from spec.proof.proofs import Proof
    from spec.protocols.registry import Text


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "prove",
        "prove quorum theory and the protocol texts, for any number of nodes",
        run,
        example="quorate prove recovery --solver both",
        more="Without names it proves everything. Exit code 1 comes with a counter-model, 2 where nothing was decided.",
    )
    parser.add_argument("names", metavar="ID", nargs="*", help="a theorem, a text, or TEXT/CONDITION; * is a wildcard")
    parser.add_argument(
        "--variant",
        metavar="NAME",
        default="",
        help="a wrong form of the text, to see it refuted, or another right one",
    )
    parser.add_argument("--solver", choices=("z3", "cvc5", "both"), default="z3", help="who proves the texts")
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of the solver's choices")
    parser.add_argument("--list", action="store_true", help="list what can be proved")
    parser.add_argument("--find-hints", action="store_true", help="search the texts' proofs anew and keep their hints")
    with_output_options(parser, color=False)


def run(arguments: Namespace) -> int:
    """Prove what is named."""
    from spec.protocols import registry

    wanted = [name.partition("/") for name in arguments.names or ["*"]]
    every_theorem, names = _theorems(), registry.text_names()
    _all_known(arguments.names, [one.id for one in every_theorem], names)
    theorems = [one for one in every_theorem if _named(one.id, wanted)]
    texts = [registry.text(name) for name in names if _named(name, wanted)]
    if arguments.list:
        for one in (*theorems, *texts):
            print(f"{getattr(one, 'id', None) or one.name}: {one.sentence}")
        return ExitCode.HOLDS
    if arguments.find_hints:
        return found_hints(texts, arguments)
    with Progress(quiet=arguments.quiet) as progress:
        proofs = list(_proved(theorems, progress)) if not arguments.variant else []
        reports = [_report(text, wanted, arguments, progress) for text in texts]
    if arguments.format == "json":
        print(json.dumps(_json(proofs, reports), indent=2))
    else:
        print("\n".join(_lines(proofs, reports, whole=bool(arguments.names))))
    return EXIT_CODES[_verdict(proofs, reports)]


def _theorems() -> tuple[Any, ...]:
    from spec.proof.prove import all_theorems

    return tuple(all_theorems())


def _named(name: str, wanted: list[tuple[str, str, str]]) -> bool:
    return any(fnmatchcase(name, pattern) or name.startswith(f"{pattern}.") for pattern, _, _ in wanted)


def _all_known(names: list[str], theorems: list[str], texts: Iterable[str]) -> None:
    """Refuse a name that matches nothing.

    Raises:
        Problem: it says the nearest names.
    """
    for name in names:
        if not any(_named(known, [name.partition("/")]) for known in (*theorems, *texts)):
            raise Problem(
                f"nothing to prove is called {name!r}",
                "`quorate prove --list` lists what is",
                near(name, (*texts, *theorems), "quorate prove"),
                "ID",
            )


def _proved(theorems: list[Any], progress: Progress) -> Iterator[Proof]:
    from spec.proof.prove import proofs_of

    for done, theorem in enumerate(theorems):
        progress("proving quorum theory", done, len(theorems))
        yield from proofs_of(theorem)


def _report(text: Text, wanted: list[tuple[str, str, str]], arguments: Namespace, progress: Progress) -> Report:
    from spec.proof.inductive import prove

    patterns = [rest for pattern, _, rest in wanted if fnmatchcase(text.name, pattern)]
    return prove(
        text.form(arguments.variant),
        solver=arguments.solver,
        seed=arguments.seed,
        only=lambda one: any(fnmatchcase(one.name, rest or "*") for rest in patterns),
        progress=lambda done, of, _: progress(f"proving {text.name}", done, of),
    )


def found_hints(texts: list[Text], arguments: Namespace) -> int:
    """Search the proofs of texts anew and keep what they used; hints that still prove their conditions begin it.

    Raises:
        HintsMissing: a condition is not proved; the hints of its text stay as they were.
    """
    from spec.proof.inductive import find_hints, read_hints, write_hints

    with Progress(quiet=arguments.quiet) as progress:
        for text in texts:
            progress(f"searching proofs of {text.name}")
            kept = read_hints(text.protocol)
            solvers: tuple[SolverName, ...] = ("z3",) if arguments.solver == "z3" else ("z3", "cvc5")
            hints = find_hints(text.protocol, solvers, known=kept.hints if kept is not None else None)
            path = write_hints(text.protocol, hints)
            print(f"{text.name}: {len(hints)} hints kept in {path.name}")
    return ExitCode.HOLDS


def _lines(proofs: list[Proof], reports: list[Report], *, whole: bool) -> Iterator[str]:
    """What people read: a line for each theorem and text, and counter-models."""
    for proof in proofs:
        yield str(proof)
        if proof.counter is not None and (whole or not proof.as_expected):
            yield _indented(str(proof.counter))
    for report in reports:
        solvers = " and ".join(f"{name} {version}" for name, version in report.versions.items())
        hinted = len(report.conditions) - len(report.searched)
        many = f"{len(report.conditions)} conditions by {solvers}, {hinted} from hints"
        yield f"{report.status:9} {report.cpu_s:6.3f} s  {report.text}: {many}"
        if report.stale:
            yield _indented(report.stale)
        for one in report.unproved:
            yield _indented(f"{one.status}: {one.name}")
            if one.counter is not None:
                yield _indented(str(one.counter), 4)
    seconds = sum(one.seconds for one in proofs) + sum(one.cpu_s for one in reports)
    conditions = sum(len(one.conditions) for one in reports)
    many = f"{len(proofs)} proofs of quorum theory, {conditions} conditions of texts"
    yield f"{_verdict(proofs, reports)}: {many}, {seconds:.2f} CPU-s"


def _json(proofs: list[Proof], reports: list[Report]) -> dict[str, Any]:
    """The same for machines."""
    theorems = [
        {
            "id": one.theorem.id,
            "status": one.status.value,
            "expected": one.as_expected,
            "scope": one.scope,
            "cpu_s": round(one.seconds, 4),
            "counter_model": None if one.counter is None else str(one.counter).splitlines(),
        }
        for one in proofs
    ]
    return {"verdict": _verdict(proofs, reports), "theorems": theorems, "texts": [one.to_json() for one in reports]}


def _verdict(proofs: list[Proof], reports: list[Report]) -> Verdict:
    """The worst of all."""
    found = {Verdict(one.status) for one in reports}
    wrong = [one for one in proofs if not one.as_expected]
    found |= {Verdict.UNKNOWN if one.status == "undecided" else Verdict.VIOLATED for one in wrong}
    worst = next((one for one in (Verdict.VIOLATED, Verdict.UNKNOWN) if one in found), None)
    return worst or (Verdict.HOLDS if proofs or reports else Verdict.UNKNOWN)


def _indented(text: str, by: int = 2) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())
