"""Inductive proofs of protocol texts: for any number of nodes, by two solvers, with counter-models where they fail."""

from spec.proof.inductive.countermodel import CounterModel
from spec.proof.inductive.finding import Hint, find_hints
from spec.proof.inductive.hint_files import BadHints, HintsMissing, read_hints, write_hints
from spec.proof.inductive.prove import prove
from spec.proof.inductive.refuting import DoesNotReplay
from spec.proof.inductive.reports import Proved, Report
from spec.proof.inductive.solvers import SecondSolverMissing

__all__ = [
    "BadHints",
    "CounterModel",
    "DoesNotReplay",
    "Hint",
    "HintsMissing",
    "Proved",
    "Report",
    "SecondSolverMissing",
    "find_hints",
    "prove",
    "read_hints",
    "write_hints",
]
