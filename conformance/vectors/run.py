"""Running vectors: each case agrees, disagrees, is refused, or belongs to a chapter that is not written yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from pathlib import Path
from typing import Final

from conformance.vectors.cases import Case, VectorsFile, files_of, read
from conformance.vectors.differences import Explained
from conformance.vectors.errors import DamagedVectors
from conformance.vectors.fields import Fields
from conformance.vectors.schemas import Runner, Schema, Seen, schema_of
from conformance.vectors.silent import unread
from spec.verdicts import ExitCode

OTHER_THAN: Final = "NOT:"
"""In front of what must not be seen, where the source only says that."""

NAMED: Final = 3
"""Parts that are named of a case that has some which nobody reads."""

CLAUSE_MAX: Final = 3000
"""No difference is told at greater length."""


class Answer(StrEnum):
    """What came of a case."""

    AGREES = "agree"
    DISAGREES = "disagree"
    NOT_APPLICABLE = "not applicable"
    EXPLAINED = "differ in a known way"
    REFUSED = "refused"


ONLY_IF_ANY: Final = (Answer.EXPLAINED, Answer.REFUSED)
"""What is counted only where there is any."""


@dataclass(frozen=True)
class Judged:
    """One case and what came of it.

    Attributes:
        file: the file's name.
        case: the case's id.
        answer: what came of it.
        reason: why it disagrees, is not applicable, or is refused; or the known ways in which it differs.
    """

    file: str
    case: str
    answer: Answer
    reason: str = ""


@dataclass(frozen=True)
class Report:
    """All cases of some files."""

    judged: tuple[Judged, ...]

    def count(self, answer: Answer) -> int:
        """How many cases came to this."""
        return sum(one.answer is answer for one in self.judged)

    @property
    def exit_code(self) -> ExitCode:
        """Violated where a case disagrees, usage where one is refused; nothing checked where there is no case."""
        if self.count(Answer.DISAGREES):
            return ExitCode.VIOLATED
        if self.count(Answer.REFUSED):
            return ExitCode.USAGE
        return ExitCode.HOLDS if self.judged else ExitCode.NOTHING_CHECKED

    def lines(self) -> Iterator[str]:
        """The report as text: disagreements and refusals, what is not applicable, and the counts last."""
        for one in self.judged:
            if one.answer is Answer.DISAGREES:
                yield f"{one.file}: {one.case} disagrees: {one.reason}"
            elif one.answer is Answer.REFUSED:
                yield one.reason
        silent = dict.fromkeys((one.file, one.reason) for one in self.judged if one.answer is Answer.NOT_APPLICABLE)
        for file, reason in silent:
            cases = sum((one.file, one.reason) == (file, reason) for one in self.judged)
            yield f"{file}: {cases} not applicable: {reason}"
        yield from self._known_ways()
        told = [answer for answer in Answer if answer not in ONLY_IF_ANY or self.count(answer)]
        yield ", ".join(f"{self.count(answer)} {answer}" for answer in told)

    def _known_ways(self) -> Iterator[str]:
        """How many cases of each file differ in each known way, and in which."""
        ways = Counter(
            (one.file, way) for one in self.judged if one.answer is Answer.EXPLAINED for way in one.reason.split(", ")
        )
        for (file, way), count in ways.items():
            yield f"{file}: {count} differ as {way}"


def run(paths: Iterable[Path | str]) -> Report:
    """Judge every case of some files and folders; a broken case is refused, the others are judged all the same.

    Raises:
        VectorsNotReadable: a file cannot be read, or a folder has none.
        UnknownVectors: a file holds no vectors of a known kind.
        DamagedVectors: a case has no id of its own.
    """
    files = [read(file) for path in paths for file in files_of(Path(path))]
    return Report(tuple(one for file in files for one in _judge(file, schema_of(file))))


def _judge(file: VectorsFile, schema: Schema) -> Iterator[Judged]:
    runner_of_main, runner_of_others = schema.runner_in(file.path.parent), schema.runner_of_others(file)
    for cases, runner in ((file.main, runner_of_main), (file.others, runner_of_others)):
        for case in cases:
            if runner is None:
                absent = f"no chapter for {schema.about} yet"
                yield Judged(file.path.name, case["id"], Answer.NOT_APPLICABLE, absent)
            else:
                yield _judged(file, case, runner, schema.name)


def _judged(file: VectorsFile, case: Case, runner: Runner, kind: str) -> Judged:
    where = f"{file.path}, case {case['id']}"
    try:
        fields = Fields(case, where)
        found = _compare(file.path.name, case, runner(fields), where)
    except DamagedVectors as refusal:
        return Judged(file.path.name, case["id"], Answer.REFUSED, str(refusal))
    missed = unread(kind, fields.unread(), disagrees=found.answer is Answer.DISAGREES)
    if missed and found.answer in (Answer.AGREES, Answer.DISAGREES):
        return replace(found, answer=Answer.NOT_APPLICABLE, reason=f"nobody reads {', '.join(missed[:NAMED])}")
    return found


def _compare(file: str, case: Case, seen: Seen, where: str) -> Judged:
    if seen is None:
        return Judged(file, case["id"], Answer.NOT_APPLICABLE, "no chapter for cases of this form")
    if isinstance(seen, Explained):
        return Judged(file, case["id"], Answer.EXPLAINED, ", ".join(seen.classes))
    if isinstance(seen, tuple):
        answer = Answer.DISAGREES if seen else Answer.AGREES
        reason = "; ".join(clause[:CLAUSE_MAX] for clause in seen)
        return Judged(file, case["id"], answer, reason + _doubt(case) if seen else "")
    said = case["expected"]
    other = isinstance(said, str) and said.startswith(OTHER_THAN)
    expected = said.removeprefix(OTHER_THAN) if other else said
    possible = list(type(seen)) if isinstance(seen, Enum) else [True, False]
    if not any(expected == answer and isinstance(expected, bool) == isinstance(answer, bool) for answer in possible):
        # What cannot be seen would never disagree behind NOT:, and always without it.
        names = ", ".join(str(getattr(answer, "value", answer)) for answer in possible)
        raise DamagedVectors("no such answer", f"{said!r:.80}", f"one of {names}; NOT: goes with names only", where)
    if (seen == expected) is not other:
        return Judged(file, case["id"], Answer.AGREES)
    told = seen.value if isinstance(seen, Enum) else seen
    return Judged(file, case["id"], Answer.DISAGREES, f"expected {said}, seen {told}{_doubt(case)}")


def _doubt(case: Case) -> str:
    """What makes the expectation itself less than certain."""
    doubts = [
        "expectation uncertain" if case.get("uncertain") or case.get("certain") is False else "",
        "derived, not from a test" if case.get("derived") else "",
    ]
    said = ", ".join(filter(None, doubts))
    return f" ({said})" if said else ""
