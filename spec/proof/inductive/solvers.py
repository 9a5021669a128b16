"""Two solvers for one condition: z3 in this process, and cvc5 on the same question in SMT-LIB."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import z3

from spec.proof.inductive.conditions import Condition

SolverName: TypeAlias = Literal["z3", "cvc5"]

ENGINES: Final[Mapping[SolverName, Mapping[str, int]]] = {
    "z3": {"matching": 1500, "models": 8000},
    "cvc5": {"default": 3000, "enum-inst": 3000, "finite-model-find": 6000},
}
"""How each solver may instantiate quantifiers, in the order in which they are tried, and how long a search tries (ms).

z3 matches patterns first, and builds models only where that fails; cvc5's are the names of its options.
"""

REPLAY_MS: Final = 5000
"""How long a condition with a hint may take."""

UNITS_PER_MS: Final[Mapping[SolverName, int]] = {"z3": 3000, "cvc5": 150}
"""Solvers count their steps, so that a busy machine changes no answer: in a millisecond z3 makes 2500 to 8500 of its
steps, cvc5 100 to 350 of its own where a question is hard (measured)."""

PATIENCE: Final = 10
"""The clock ends a question only after so many times its limit, in case that a solver counts too little."""


class SecondSolverMissing(RuntimeError):
    """cvc5 is not installed."""


@dataclass(frozen=True)
class Answer:
    """What a solver said.

    Attributes:
        proved: the claim follows from the hypotheses.
        core: on request, the hypotheses that the proof used.
    """

    proved: bool
    core: frozenset[str] = frozenset()


def ask(
    condition: Condition, names: Collection[str], solver: SolverName, engine: str, timeout_ms: int, seed: int = 0
) -> bool:
    """Whether a solver proves the condition from these hypotheses alone, with one engine, in this time.

    Raises:
        SecondSolverMissing: cvc5 is asked and not installed.
    """
    if solver == "z3":
        return by_z3(condition, names, engine, timeout_ms, seed=seed).proved
    return _by_cvc5(smt_lib(condition, names), engine, timeout_ms, seed)


def by_z3(
    condition: Condition, names: Collection[str], engine: str, timeout_ms: int, *, seed: int = 0, core: bool = False
) -> Answer:
    """z3's answer: instances by matching patterns only, or also by building models."""
    solver = z3.SimpleSolver(ctx=condition.claim.ctx)
    solver.set("rlimit", timeout_ms * UNITS_PER_MS["z3"])
    solver.set("timeout", timeout_ms * PATIENCE)
    solver.set("auto_config", False)
    solver.set("mbqi", engine == "models")
    solver.set("case_split", 3)  # the hardest condition took 0.05 s with it, and from 0.2 s to no end without
    solver.set("random_seed", seed)
    solver.set("unsat_core", core)
    solver.add(*condition.background, z3.Not(condition.claim))
    for name in names:
        if core:
            solver.assert_and_track(condition.given[name], name)
        else:
            solver.add(condition.given[name])
    proved = solver.check() == z3.unsat
    used: Any = solver.unsat_core() if core and proved else ()
    return Answer(proved, frozenset(map(str, used)))


def smt_lib(condition: Condition, names: Collection[str]) -> str:
    """The question in SMT-LIB, written once; the condition is proved where it is unsatisfiable."""
    hypotheses = tuple(names)
    if hypotheses not in condition.written:
        solver = z3.Solver(ctx=condition.claim.ctx)
        solver.add(*condition.background, *map(condition.given.__getitem__, hypotheses), z3.Not(condition.claim))
        condition.written[hypotheses] = f"(set-logic ALL)\n{solver.to_smt2()}"
    return condition.written[hypotheses]


def _by_cvc5(question: str, engine: str, timeout_ms: int, seed: int) -> bool:
    cvc5 = second_solver()
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit-per", str(timeout_ms * UNITS_PER_MS["cvc5"]))
    solver.setOption("tlimit-per", str(timeout_ms * PATIENCE))
    solver.setOption("seed", str(seed))
    solver.setOption("sat-random-seed", str(seed))
    if engine != "default":
        solver.setOption(engine, "true")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, question, "condition")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said = str(command.invoke(solver, parser.getSymbolManager())).strip() or said
    return said == "unsat"


def second_solver() -> Any:
    """The module cvc5.

    Raises:
        SecondSolverMissing: it is not installed.
    """
    try:
        return importlib.import_module("cvc5")
    except ImportError as missing:
        raise SecondSolverMissing(
            "cvc5 is not installed, so that there is no second opinion on the proofs: "
            "install quorate[second-solver], or ask for z3 alone"
        ) from missing


def version(solver: SolverName) -> str:
    """Which version answers."""
    return z3.get_version_string() if solver == "z3" else str(second_solver().__version__)
