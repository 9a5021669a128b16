"""One script, many configurations, one history; and defects of real engines that show as a difference.

Synnax, Segment distribution, Summary: callers read and write as on one machine. The defects are those of
`conformance.segment.configurations.PLANTED`; how such tests are made is learnt from Pebble's metamorphic tests.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.segment.comparing import MODEL, Systems, clusters, first_difference
from conformance.segment.configurations import PLANTED, STANDARD, Configuration, Defects, mixed
from conformance.segment.generating import random_script
from conformance.segment.histories import history
from conformance.segment.model import Model
from conformance.segment.reducing import reduced
from conformance.segment.searching import failure, search
from conformance.segment.text import BadScript, script_of, text_of
from reference_impl.segment.iterator.flaws import Flaw
from spec.segment.iterator.choices import Choices, ChunkEdge, FailedSeek, Merge, Visibility

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "segments").glob("*.txt"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_published_scripts_have_published_histories(path: Path) -> None:
    """In every configuration, line by line."""
    script = script_of(path.read_text(encoding="utf-8"))
    assert history(script, Model()) == path.with_suffix(".history").read_text(encoding="utf-8").splitlines()
    assert first_difference(script, clusters()) is None


def test_random_scripts_look_the_same_everywhere() -> None:
    """Placement, layout, messages and timing do not show."""
    assert [seed for seed in range(16) if first_difference(random_script(seed), clusters(seed=seed))] == []


ANSWERS = {
    "snapshots": Choices(visibility=Visibility.SNAPSHOT),
    "any acknowledgement": Choices(merge=Merge.ANY),
    "failed seeks leave it": Choices(failed_seek=FailedSeek.UNMOVED),
    "chunks end with a sample": Choices(chunk_edge=ChunkEdge.LAST_SAMPLE),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_other_answers_to_open_questions_look_the_same_everywhere_too(name: str) -> None:
    """Whatever is decided, neither placement nor layout shows; and the decision shows in some history."""
    scripts = [random_script(seed) for seed in range(100)]
    some = STANDARD[1::2]
    assert [first_difference(script, clusters(some, choices=ANSWERS[name])) for script in scripts[:8]] == [None] * 8
    assert any(history(script, Model()) != history(script, Model(ANSWERS[name])) for script in scripts)


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, 8000, 1000))
def test_many_random_scripts_look_the_same_everywhere(first: int) -> None:
    """The same of thousands, which are longer."""
    seeds = range(first, first + 1000)
    assert [seed for seed in seeds if first_difference(random_script(seed, 40), clusters(seed=seed))] == []


@pytest.mark.parametrize("name", PLANTED)
def test_each_planted_defect_is_found_and_reduced(name: str) -> None:
    """Among a hundred random scripts, and to no more than six operations."""
    found = search(lambda seed: clusters(defects=PLANTED[name], seed=seed), range(100))
    assert found is not None
    print(text_of(found.script), found.difference)
    assert len(found.script) <= 6
    two = clusters(defects=PLANTED[name], seed=found.seed)
    assert first_difference(found.script, two) is not None
    assert first_difference(found.script, clusters(seed=found.seed)) is None


def test_what_depends_on_layout_or_timing_is_found_without_a_model() -> None:
    """By comparing configurations with each other alone."""
    for name in ("gives_up_between_segments", "last_acknowledgement_wins", "repeats_at_chunk_border"):

        def systems(seed: int, name: str = name) -> Systems:
            return {other: made for other, made in clusters(defects=PLANTED[name], seed=seed).items() if other != MODEL}

        assert search(systems, range(60), enough=1) is not None, name


def test_a_segment_that_grows_is_read_on() -> None:
    """A live view: what a writer adds to the segment that is read comes with the next span."""
    lines = "open w a, write w a 5, commit w, iterate i a in 0 20 by 2, first i, next i 1"
    script = script_of(f"{lines}, write w a 6 7, commit w, next i 5".replace(", ", "\n"))
    assert history(script, Model())[-1] == "next i 5 -> true a 6 7; #9"
    assert first_difference(script, clusters()) is None
    growing = first_difference(script, clusters(defects=Defects(frozenset({Flaw.KEEPS_OLD_COPY}))))
    assert growing is not None
    assert growing.name == "local, segments that grow"


def test_every_part_of_a_configuration_matters() -> None:
    """Each standard configuration is found by name, and no two are alike."""
    assert len({one.name for one in STANDARD}) == len(STANDARD) == 8
    assert len({(one.placement, one.message_samples, one.timing, one.grows, one.name) for one in STANDARD}) == 8
    one = Configuration("only", mixed)
    assert list(clusters((one,))) == [MODEL, "only"]


def test_a_script_is_a_text() -> None:
    """What is written is read again, comments and empty lines aside."""
    for seed in range(10):
        script = random_script(seed)
        assert script_of(f"# {seed}\n\n{text_of(script)}") == script
        assert random_script(seed) == script
        assert len(script) == 30


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("leap a", "no operation 'leap'"),
        ("put a", "at least one"),
        ("put a 2 1", "ascend"),
        ("put A 1", "'A' is no name"),
        ("put a one", "is no put"),
        ("open w", "no channel"),
        ("next i -1", "not between 0"),
        ("next i 1 2", "more than one span"),
        ("iterate i a in 0 9", "is no iterate"),
        ("iterate i a in 0 9 by 0", "not between 1"),
        ("read a in 9 0", "ends before it starts"),
        ("first", "is no first"),
        ("ge i 99999999999999999999999999", "not between"),
    ],
)
def test_lines_that_are_no_operations(line: str, told: str) -> None:
    """Each is refused with its number, why, and what to try."""
    with pytest.raises(BadScript, match="line 2: ") as caught:
        script_of(f"# first\n{line}\n")
    assert told in str(caught.value)
    assert caught.value.advice


def test_only_what_fails_can_be_reduced() -> None:
    """And what fails keeps failing while it gets smaller."""
    script = random_script(1)
    with pytest.raises(ValueError, match="does not fail"):
        reduced(script, lambda _: False)
    assert len(reduced(script, lambda some: len(some) > 2)) == 3
    assert failure(script, clusters(STANDARD[:1])) is None
