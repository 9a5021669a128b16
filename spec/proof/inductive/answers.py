"""Recorded answers to the long questions about proofs: what the exceptions were when everything was asked.

They hold for the conditions and hints of one text, for the way in which they are asked, and for one version of each
solver. All that has a fingerprint; where it is another one, everything must be asked again.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from spec.proof.inductive.questions import Proofs
from spec.proof.inductive.solvers import version

ANSWERS: Final = Path(__file__).with_name("answers.json")

ASKING: Final = [ANSWERS.with_name(f"{name}.py") for name in ("finding", "questions", "settling", "solvers")]
"""The modules that decide how solvers are asked."""


@dataclass(frozen=True)
class Answer:
    """What came of a question that was asked of everything.

    Attributes:
        fingerprint: of what was asked, how and whom.
        asked: of how many things.
        exceptions: the names of those for which the answer is not the usual one.
    """

    fingerprint: str
    asked: int
    exceptions: tuple[str, ...]


def fingerprint(proofs: Proofs) -> str:
    """Of all that decides the answers for a text."""
    return _digest([*_asked(proofs), *map(_program, ASKING), version("z3"), version("cvc5")])


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _asked(proofs: Proofs) -> Iterator[str]:
    """Every condition with its hypotheses and its hint; what several conditions share is written once."""
    written: dict[int, str] = {}
    for condition in proofs.conditions:
        yield f"{condition.name}: {proofs.hints.get(condition.name)} {sorted(condition.lemmas)}"
        background = [("background", fact) for fact in condition.background]
        for name, fact in [*condition.given.items(), ("claim", condition.claim), *background]:
            if fact.get_id() not in written:
                written[fact.get_id()] = _digest([fact.sexpr()])
            yield f"{name}: {written[fact.get_id()]}"


def _program(path: Path) -> str:
    """A program without what it says to people only."""
    source = path.read_text("utf-8")
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines[node.lineno - 1 : node.end_lineno] = [""] * len(lines[node.lineno - 1 : node.end_lineno])
    return "\n".join(line for line in lines if line.strip() and not line.strip().startswith("#"))


def read_answers(path: Path = ANSWERS) -> dict[str, dict[str, Answer]]:
    """The recorded answers: by text, by question."""
    found = json.loads(path.read_text("utf-8"))
    return {
        text: {name: Answer(**{**one, "exceptions": tuple(one["exceptions"])}) for name, one in said.items()}
        for text, said in found.items()
    }


def write_answer(text: str, question: str, answer: Answer, path: Path = ANSWERS) -> None:
    """Enter an answer, in place of an earlier one if there is one; the file has a line for each."""
    answers = read_answers(path) if path.exists() else {}
    answers[text] = {**answers.get(text, {}), question: answer}
    temporary = path.with_suffix(".tmp")
    texts = {name: _object(_lines(said), "  ") for name, said in answers.items()}
    temporary.write_text(f"{_object(texts)}\n", "utf-8")
    temporary.replace(path)


def _lines(said: Mapping[str, Answer]) -> dict[str, str]:
    return {question: json.dumps(asdict(answer)) for question, answer in said.items()}


def _object(members: Mapping[str, str], indent: str = "") -> str:
    """JSON of an object whose members are written already."""
    listed = ",\n".join(f"{indent}  {json.dumps(name)}: {written}" for name, written in members.items())
    return f"{{\n{listed}\n{indent}}}"
