"""Runs of the segment machine, judged by the rules over their traces, and by the definition over their histories.

`spec.segment.iterator.definition` knows no rule, and the rules of `spec.segment` know no definition. What is lost, or
answered otherwise than nodes acknowledged, both must notice, on the same runs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.check.checking import verdict_in_memory
from conformance.segment.clusters import Cluster
from conformance.segment.comparing import channels_of
from conformance.segment.configurations import PLANTED, SOUND, STANDARD, Configuration, Defects
from conformance.segment.generating import random_script
from conformance.segment.histories import history
from conformance.segment.model import Model
from conformance.segment.operations import Ask, Iterate, Put, Read, Script
from conformance.segment.recording import record, recorded
from conformance.trace.open import open_trace
from spec.language.outcomes import Verdict
from spec.segment.iterator.choices import Choices, Merge

ANY = Choices(merge=Merge.ANY)
"""A call is true if one node answers so: then nothing shows of where channels are, in answers either."""


def settled(script: Script) -> Script:
    """The same where all is written before anything is read."""
    puts = [one for one in script if isinstance(one, Put)]
    asks = [one for one in script if isinstance(one, Iterate | Read) or (isinstance(one, Ask) and one.name in "ij")]
    return (*puts, *asks)


def judged(
    script: Script, configuration: Configuration, folder: Path, defects: Defects = SOUND
) -> dict[Verdict, set[str]]:
    """The rules by what they say of the trace of a run."""
    path = folder / "run.jsonl"
    record(path, *recorded(script, configuration, defects, ANY))
    found: dict[Verdict, set[str]] = {verdict: set() for verdict in Verdict}
    for one in verdict_in_memory(open_trace(path)).rules:
        found[one.verdict].add(one.rule.id)
    return found


def assert_right_runs_violate_nothing(seeds: range, folder: Path) -> set[str]:
    """In every configuration, with writers at work or none; gives the rules that had something to judge."""
    judging: set[str] = set()
    for seed in seeds:
        for script in (random_script(seed), settled(random_script(seed, 40))):
            verdicts = judged(script, STANDARD[seed % len(STANDARD)], folder)
            assert (seed, verdicts[Verdict.VIOLATED]) == (seed, set())
            judging |= verdicts[Verdict.HOLDS]
    return judging


def test_what_is_right_violates_no_rule(tmp_path: Path) -> None:
    """And more than thirty rules have something to judge."""
    judging = assert_right_runs_violate_nothing(range(8), tmp_path)
    assert len(judging) >= 30, sorted(judging)


NOTICED = {
    "drops_rest_of_segment": ("segment.read.no_segment_missed", 14),
    "partial_after_turning": ("segment.read.no_sample_missed", 2),
    "gives_up_between_segments": ("segment.read.no_segment_missed", 7),
    "last_acknowledgement_wins": ("segment.ack.merged_by_any", 20),
}
"""Defects that lose samples or answers, a rule that notices, and the first seed to look at."""


def assert_rules_and_definition_agree(name: str, seeds: range, folder: Path) -> set[str]:
    """A run breaks a rule if and only if its history is not what is defined; gives the rules that were broken."""
    noticed: set[str] = set()
    for seed in seeds:
        script, configuration = settled(random_script(seed, 40)), STANDARD[seed % len(STANDARD)]
        cluster = Cluster(channels_of(script), configuration, PLANTED[name], choices=ANY)
        differs = history(script, cluster) != history(script, Model(ANY))
        broken = judged(script, configuration, folder, PLANTED[name])[Verdict.VIOLATED]
        assert (seed, differs) == (seed, bool(broken))
        noticed |= broken
    return noticed


@pytest.mark.parametrize("name", NOTICED)
def test_rules_and_definition_notice_the_same(name: str, tmp_path: Path) -> None:
    """Of a defect's runs some are right and some are not, and both say of which."""
    rule, first = NOTICED[name]
    assert rule in assert_rules_and_definition_agree(name, range(first, first + 6), tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("name", NOTICED)
def test_rules_and_definition_notice_the_same_of_many(name: str, tmp_path: Path) -> None:
    """The same of three hundred runs."""
    assert NOTICED[name][0] in assert_rules_and_definition_agree(name, range(300), tmp_path)


@pytest.mark.thorough
def test_many_runs_that_are_right_violate_no_rule(tmp_path: Path) -> None:
    """The same of three hundred scripts, settled and not."""
    assert len(assert_right_runs_violate_nothing(range(300), tmp_path)) >= 30
