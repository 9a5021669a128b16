"""Hint files: one JSON file for each text, beside the code. A hint makes a proof quick, it can never make one wrong."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import z3

from spec.language.protocol.clauses import Clause
from spec.language.protocol.text import Protocol
from spec.proof.inductive.conditions import conditions
from spec.proof.inductive.finding import Hint
from spec.proof.inductive.logic import Logic

HINTS: Final = Path(__file__).with_name("hints")


class BadHints(ValueError):
    """A hint file is not what ``write_hints`` writes."""


class HintsMissing(ValueError):
    """Some condition of a text has no hint; the message names it."""


@dataclass(frozen=True)
class HintFile:
    """The hints of one text.

    Attributes:
        text: its name.
        digest: of the text for which they were found.
        z3: the version that found them.
        hints: by the name of the condition.
    """

    text: str
    digest: str
    z3: str
    hints: Mapping[str, Hint]

    def stale(self, text: type[Protocol]) -> str:
        """Why they may no longer be the best ones; empty, if nothing has changed."""
        if self.digest != digest(text):
            return f"the hints are of another version of {text.__name__}: find them again"
        if (now := z3.get_version_string()) != self.z3:
            return f"the hints were found by z3 {self.z3}, and this is {now}: find them again"
        return ""


def digest(text: type[Protocol]) -> str:
    """A fingerprint of what a text says; its sentences, citations and lines do not matter."""
    said = [repr(bare(clause)) for clause in (*text.definitions.values(), *text.clauses.values())]
    state = [f"{relation}{' function' if relation.functional else ''}" for relation in text.relations.values()]
    return hashlib.sha256("\n".join([*state, *said]).encode()).hexdigest()[:16]


def bare(clause: Clause) -> Clause:
    """A clause without its words for people."""
    return replace(clause, sentence="", cite="", where="")


def path_of(text: type[Protocol]) -> Path:
    """Where the hints of a text are kept."""
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in text.__name__)
    return HINTS / f"{words.removeprefix('_')}.json"


def read_hints(text: type[Protocol], path: Path | None = None) -> HintFile | None:
    """The committed hints of a text; None if there are none.

    Raises:
        BadHints: the file does not have the form that ``write_hints`` gives it.
    """
    path = path or path_of(text)
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text("utf-8"))
        hints = {name: Hint(tuple(one["hypotheses"]), _engines(one)) for name, one in found["conditions"].items()}
        return HintFile(str(found["text"]), str(found["digest"]), str(found["z3"]), hints)
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        raise BadHints(f"{path.name} is no hint file ({wrong!r}): delete it and find the hints again") from wrong


def _engines(one: Mapping[str, Any]) -> dict[Any, str]:
    return {solver: str(one[solver]) for solver in ("z3", "cvc5") if solver in one}


def write_hints(text: type[Protocol], hints: Mapping[str, Hint], path: Path | None = None) -> Path:
    """Write the hints of a text, one for each condition, or leave the file as it is; gives the file.

    Raises:
        HintsMissing: some condition has none.
    """
    path = path or path_of(text)
    if missing := [condition.name for condition in conditions(Logic(text)) if condition.name not in hints]:
        raise HintsMissing(
            f"no proof was found of {', '.join(missing)}, so that {path.name} stays as it is: "
            "prove these by name, and mend the text where they fail"
        )
    lines = [
        f"    {json.dumps(name)}: {json.dumps({'hypotheses': hint.hypotheses, **hint.engines})}"
        for name, hint in hints.items()
    ]
    head = {"text": text.__name__, "digest": digest(text), "z3": z3.get_version_string()}
    written = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    listed = ",\n".join(lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(f'{{\n{written}  "conditions": {{\n{listed}\n  }}\n}}\n', "utf-8")
    temporary.replace(path)
    return path
