"""Asking an implementation: a program is given the question of each published case, and says what it would answer.

Both sides speak JSON lines, as docs/how-to/write-vectors.md tells: a hello, and then a line for each case. What the
program has no part for it calls not applicable, by the part's name.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from conformance.vectors.cases import Case, files_of, read
from conformance.vectors.differences import alike
from conformance.vectors.errors import NoAnswers, UnknownVectors
from conformance.vectors.published.kinds import ANSWERS
from conformance.vectors.published.writing import MANIFEST, VERSION
from conformance.vectors.run import Answer, Judged, Report
from conformance.vectors.schemas import schema_of
from conformance.vectors.silent import ABOUT

HELLO: Final = "quorate_vectors"
STEPS: Final = "steps"
TIMEOUT_S: Final = 600.0
TOLD: Final = 500
"""Characters of a program's standard error that an error repeats."""


def ask(argv: Sequence[str], paths: Sequence[Path | str], timeout_s: float = TIMEOUT_S) -> Report:
    """Ask a program about every case of some files and folders.

    Args:
        argv: the program and its arguments.
        paths: files of published vectors; a folder with a manifest stands for all that it names.
        timeout_s: how long all answers together may take.

    Raises:
        VectorsError: one of its kinds, if files cannot be read, or the program gives no answers.
    """
    asked = [(file, kind, case) for path in paths for file, kind, case in _cases(Path(path))]
    said = _said(argv, [_question(file, kind, case) for file, kind, case in asked], timeout_s)
    judged = (_judged(file, kind, case, answer) for (file, kind, case), answer in zip(asked, said, strict=True))
    return Report(tuple(judged))


def published(path: Path) -> list[Path]:
    """The files of a folder of published vectors; of another one its own files."""
    manifest = path / MANIFEST
    if not manifest.is_file():
        return files_of(path)
    said = json.loads(manifest.read_text(encoding="utf-8"))
    return [path / one["file"] for one in said["files"]]


def _cases(path: Path) -> Iterator[tuple[Path, str, Case]]:
    for file in published(path):
        found = read(file)
        kind = schema_of(found).name
        if kind not in ANSWERS:
            known = f"kinds of published vectors are {', '.join(ANSWERS)}"
            raise UnknownVectors("nobody can be asked about these", known, "quorate vectors write DIR", str(file))
        yield from ((file, kind, case) for case in found.main)


def _question(file: Path, kind: str, case: Case) -> dict[str, Any]:
    hidden = {*ANSWERS[kind], "expected", *ABOUT}
    asked = {name: part for name, part in case.items() if name not in hidden}
    if kind == "traces":
        asked["file"] = str((file.parent / case["file"]).resolve())
    if STEPS in ANSWERS[kind]:
        asked[STEPS] = [{"expect": step["expect"]} if "expect" in step else step for step in case[STEPS]]
    return {"kind": kind, "case": asked}


def _expected(kind: str, case: Case) -> Any:
    if STEPS in ANSWERS[kind]:
        return [
            next(part for name, part in step.items() if name != "expect") for step in case[STEPS] if "expect" in step
        ]
    return case[ANSWERS[kind][0]]


def _said(argv: Sequence[str], questions: Sequence[Mapping[str, Any]], timeout_s: float) -> list[dict[str, Any]]:
    """What a program says to each question.

    Raises:
        NoAnswers: it cannot be started, takes too long, or does not say one object a line.
    """
    numbered = ({"id": number, **question} for number, question in enumerate(questions))
    lines = [json.dumps(one) for one in ({HELLO: VERSION}, *numbered)]
    called = " ".join(argv)
    try:
        ended = subprocess.run(
            argv, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoAnswers("the program gives no answers", str(error)[:TOLD], "run it by itself", called) from None
    said = list(_objects(ended.stdout, called))
    if not said or said[0].get(HELLO) != VERSION:
        why = f"its hello is {said[0] if said else ended.stderr[-TOLD:]!r:.200}"
        raise NoAnswers("the program does not speak of vectors", why, f'{{"{HELLO}": "{VERSION}"}}', called)
    answers = {one.get("id"): one for one in said[1:]}
    silent = {"refused": f"no answer; it ended with {ended.returncode}: {ended.stderr[-TOLD:].strip()}"}
    return [answers.get(number, silent) for number in range(len(questions))]


def _objects(text: str, called: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise NoAnswers("it said what is no object", f"{line!r:.80}", "other output to standard error", called)
        yield said


def _judged(file: Path, kind: str, case: Case, said: Mapping[str, Any]) -> Judged:
    if "not_applicable" in said:
        return Judged(
            file.name, case["id"], Answer.NOT_APPLICABLE, f"the program does not read {said['not_applicable']}"
        )
    if "answer" not in said:
        where = f"{file.name}, case {case['id']}"
        return Judged(file.name, case["id"], Answer.REFUSED, f"{where}: {said.get('refused', 'it says no answer')}")
    expected, answer = _expected(kind, case), said["answer"]
    if isinstance(expected, Mapping) and isinstance(answer, Mapping) and (missing := set(expected) - set(answer)):
        why = f"the program does not answer {', '.join(sorted(missing))}"
        return Judged(file.name, case["id"], Answer.NOT_APPLICABLE, why)
    if _like(expected, answer):
        return Judged(file.name, case["id"], Answer.AGREES)
    return Judged(file.name, case["id"], Answer.DISAGREES, f"expected {expected!r:.200}, answered {answer!r:.200}")


def _like(expected: Any, answer: Any) -> bool:
    """Alike, where an object may say more than is expected; any error is an error."""
    if isinstance(expected, Mapping) and isinstance(answer, Mapping):
        return all(name == "error" or _like(part, answer[name]) for name, part in expected.items())
    return alike(expected, answer)
