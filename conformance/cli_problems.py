"""Problems: what other parts of the project raise, told in the command's four lines and with its exit codes.

Exit code 2 says that a trace could not be judged, 4 that the command was not understood.
"""

from __future__ import annotations

import sys
from typing import Final

from conformance.cli_parts import Problem
from spec.verdicts import ExitCode

UNREADABLE: Final = (
    ("conformance.trace.errors", "TraceError"),
    ("spec.columns.mistakes", "ColumnsMistake"),
)
"""Errors that say what is wrong with a trace or a recording."""


CANNOT: Final = (
    ("spec.proof.inductive.solvers", "SecondSolverMissing", "the proof cannot be run", "pip install cvc5"),
    ("spec.proof.inductive.hint_files", "BadHints", "the proof cannot be run", "quorate prove --find-hints"),
    (
        "spec.proof.inductive.hint_files",
        "HintsMissing",
        "not every condition is proved",
        "quorate prove TEXT/CONDITION",
    ),
    ("spec.explore.symmetry", "NoSymmetry", "no such symmetry", "without --symmetry, or fewer nodes"),
    ("reference_impl.kernel.explorer.folder", "BadCheckpoint", "the checkpoint cannot be used", "another folder"),
    ("reference_impl.kernel.explorer.search", "CannotExplore", "the search cannot be run", "--engine numpy"),
    ("spark_checks.java", "JavaNotFound", "Spark cannot start", "--engine columns, which needs no Java"),
    (
        "spark_checks.session",
        "JavaEnded",
        "Spark's Java process ended before the work was done",
        "a machine with more memory, fewer rules (--rule), or a part of the trace",
    ),
    (
        "spark_checks.session",
        "NoServer",
        "no Spark Connect server answers",
        "check --remote, and whether quorate[connect] is installed",
    ),
    (
        "conformance.record.errors",
        "BookKeeperSaid",
        "BookKeeper gives no answer",
        "check the URI, and whether ZooKeeper and the bookies serve",
    ),
)
"""Errors that say why something cannot be done: what that is, and what to try."""


IN_TWO_PARTS: Final = (
    ("spec.registry", "UnknownRule", "`quorate rules` lists them all", "", "--rule", ExitCode.USAGE),
    ("spec.registry", "NoSuchFamily", "", "install the package that declares it", "--family", ExitCode.USAGE),
    (
        "conformance.replay.replaying",
        "UnknownGuard",
        "",
        "a guard's name, as docs/reference/replay.md has them",
        "--without",
        ExitCode.USAGE,
    ),
    ("conformance.replay.following", "NotFollowed", "", "`quorate check` asks its rules", "", ExitCode.UNKNOWN),
    ("spec.reports.names", "BadKey", "", "copy the key from a report of `quorate check`", "--key", ExitCode.USAGE),
    ("spec.protocols.registry", "UnknownText", "`quorate explore` lists the texts", "", "TEXT", ExitCode.USAGE),
    ("spec.protocols.known_bugs", "UnknownBug", "`quorate bugs` lists them", "", "NAME", ExitCode.USAGE),
)
"""Errors that say behind a colon what is empty here: why, or what to try. Then where it stands, and the exit code."""


def words_of(error: BaseException) -> str:
    """What an error says: one of Java has no words once Java has ended."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - whatever it is, another error would hide this one
        return "it cannot say more"


def problem_of(error: BaseException) -> Problem | None:
    """The problem that an error is, if it is one that people can do something about."""
    if isinstance(error, Problem):
        return error
    name, said = type(error).__name__, words_of(error)
    what, why, advice = (getattr(error, part, "") for part in ("what", "why", "advice"))
    if any(_is(error, *kind) for kind in UNREADABLE):
        return Problem(what, why, advice, getattr(error, "where", ""), ExitCode.UNKNOWN, name)
    if _is(error, "conformance.vectors.errors", "VectorsError"):
        return Problem(what, why, advice, getattr(error, "where", ""), ExitCode.USAGE, name)
    if _is(error, "spec.language.refusals", "AuthorMistake"):
        why = "a declaration breaks a rule of the language"
        return Problem(what, why, advice, getattr(error, "where", ""), ExitCode.UNKNOWN, name)
    if _is(error, "spec.offers", "BrokenPackage"):
        return Problem("an installed package is broken", why, advice, what, ExitCode.UNKNOWN, name)
    for module, kind, why, hint, where, code in IN_TWO_PARTS:
        if _is(error, module, kind):
            fault, _, rest = said.partition(": ")
            return Problem(fault, why or rest, hint or rest, where, code, name)
    if _is(error, "spec.language.protocol.world", "BadWorld"):
        return Problem("no such world", said, "other bounds", "", name=name)
    for module, kind, fault, hint in CANNOT:
        if _is(error, module, kind):
            return Problem(fault, said, hint, "", ExitCode.UNKNOWN, name)
    for recorder in ("PackagesUnavailable", "LockMismatch", "ClusterFailed"):
        if _is(error, "conformance.record.errors", recorder):
            return Problem(what or said, why or said, advice or "run it again", "", ExitCode.UNKNOWN, name)
    if isinstance(error, OSError):
        reason = error.strerror or said
        return Problem(
            "a file cannot be used",
            reason,
            "check the path, its permissions and the room on the disk",
            str(error.filename or ""),
            ExitCode.UNKNOWN,
            name,
        )
    if isinstance(error, MemoryError):
        return Problem(
            "memory is full",
            "the engine needs more than there is",
            "--engine columns or --engine spark",
            "",
            ExitCode.UNKNOWN,
            name,
        )
    return None


def _is(error: BaseException, module: str, name: str) -> bool:
    """Whether an error is of a class, without loading the class's module: if it was raised, it is loaded."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(error, kind)
