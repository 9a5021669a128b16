"""What a test run tells besides: what tests cost, which defects were noticed, and who shares a process.

CONTRIBUTING promises that `make test` ends with the dearest tests, and that what was caught once still is. A judge that
cannot fail is a defect, so each is shown here what it must refuse.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.suite import parts, quick
from tests.suite.caught import KINDS, Mark, differences, mark_of, marks_of, page
from tests.suite.costs import Cost, cpu_seconds, failures, summary, unexplained
from tests.suite.parts import SUITES, accepted, children_cpu_s, forget, found, main, run
from tests.suite.together import Together, group_of

ROOT = Path(__file__).parents[2]

MARKS = {
    Mark("mutant", "ack_before_stored", "reference"),
    Mark("mutant", "ack_before_stored", "proof"),
    Mark("damage", "cut", "replay"),
}

CHEAP = [Cost("cheap", 1.0)] * 200


class TestCaught:
    """The page is the marks, and no mark may vanish."""

    def test_a_page_is_read_as_it_was_written(self) -> None:
        text = page([*MARKS, *MARKS])
        assert marks_of(text) == MARKS
        assert "| defect | reference | proof |" in text
        assert "| all 1 | 1 | 1 |" in text
        assert all(f"## {words}" in text for words in KINDS.values())

    def test_what_differs_is_told(self) -> None:
        lost, new = Mark("damage", "cut", "replay"), Mark("bug", "gap", "rules")
        assert differences(MARKS, MARKS) == ([], [])
        assert differences(MARKS - {lost} | {new}, MARKS) == ([lost], [new])

    @pytest.mark.parametrize(("kind", "judge"), [("mutation", "reference"), ("mutant", "eye")])
    def test_other_words_are_refused(self, kind: str, judge: str) -> None:
        with pytest.raises(ValueError, match="or they go in"):
            mark_of(kind, "x", judge)


class TestCosts:
    """CPU time counts, in whatever process it is spent."""

    def test_a_living_child_counts(self) -> None:
        """Where the system tells; it ends when its input does."""
        spin = "import sys, time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True); sys.stdin.read()"
        before = cpu_seconds()
        with subprocess.Popen([sys.executable, "-c", spin], stdin=-1, stdout=-1) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"done\n"
            while_alive = cpu_seconds() - before
        assert cpu_seconds() - before >= 0.3
        assert while_alive >= 0.2 or sys.platform != "linux"

    def test_processes_that_are_gone_cost_nothing_more(self, tmp_path: Path) -> None:
        assert cpu_seconds(tmp_path) > 0

    def test_a_dear_test_needs_a_reason(self) -> None:
        dear = Cost("a", 10.0)
        costs = [dear, dear._replace(reason="a million events"), *CHEAP]
        assert unexplained(costs) == [dear]
        assert unexplained([cost._replace(cpu_s=3 * cost.cpu_s) for cost in costs]) == [dear._replace(cpu_s=30.0)]
        assert unexplained(CHEAP) == []

    def test_a_summary_has_the_dearest_first_and_all_parts(self) -> None:
        told = summary(
            [Cost("cheap", 0.5), Cost("dear", 70.0, "a reason")], {"fast": (61.0, 119.6), "slow": (1.0, 2.0)}
        )
        lines = [line.split() for line in told.splitlines()]
        assert [line[1] for line in lines[1:3]] == ["dear", "cheap"]
        assert lines[-3:] == [["fast", "1:01", "2:00"], ["slow", "0:01", "0:02"], ["total", "1:02", "2:02"]]


class TestParts:
    """What a command runs is counted, and any failure is one."""

    def test_programs_run_side_by_side_and_are_counted(self, capfd: pytest.CaptureFixture[str]) -> None:
        spin = [sys.executable, "-c", "import time\nwhile time.process_time() < 0.1: pass\nprint('said')"]
        figures: dict[str, tuple[float, float]] = {}
        before = children_cpu_s()
        assert run("both", [[spin], [spin]], figures)
        assert children_cpu_s() - before >= figures["both"][1] >= 0.2
        assert capfd.readouterr().out.count("said") == 2
        assert not run("broken", [[spin], [[sys.executable, "-c", "raise SystemExit(3)"], spin]], figures)
        assert capfd.readouterr().out.count("said") == 2, "what comes after a failure is run, too"

    @pytest.mark.parametrize(("passed", "fine"), [(True, True), (False, True), (True, False), (False, False)])
    def test_a_suite_fails_with_its_tests_and_with_what_is_wrong_besides(
        self, monkeypatch: pytest.MonkeyPatch, *, passed: bool, fine: bool
    ) -> None:
        """The exit code is all that continuous integration sees."""
        monkeypatch.setattr(parts, "run_all", lambda _: ({"fast": (1.0, 2.0)}, passed))
        monkeypatch.setattr(parts, "accepted", lambda *_: fine)
        monkeypatch.setattr(parts, "forget", lambda: None)
        assert (main(["test"]) == 0) == (passed and fine)

    @pytest.mark.parametrize("passed", [True, False])
    def test_the_quick_run_fails_with_its_tests(self, monkeypatch: pytest.MonkeyPatch, *, passed: bool) -> None:
        monkeypatch.setattr(quick, "last_change", lambda: ("HEAD", {"README.md"}))
        monkeypatch.setattr(quick, "run_all", lambda _: ({"fast": (1.0, 2.0)}, passed))
        monkeypatch.setattr(quick, "forget", lambda: None)
        assert (quick.main() == 0) == passed

    def test_without_reports_nothing_was_caught(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parts, "FOUND", tmp_path)
        (tmp_path / "fast.json").write_text('{"costs": [["a", 1.5, ""]], "marks": [["bug", "b", "explorer"]]}')
        assert found() == ([Cost("a", 1.5)], [Mark("bug", "b", "explorer")])
        forget()
        assert found() == ([], [])

    def test_only_a_run_of_the_whole_suite_renews_the_page(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(parts, "PAGE", there := tmp_path / "page.md")
        monkeypatch.setattr(parts, "FOUND", tmp_path)
        (tmp_path / "quick.json").write_text('{"costs": [], "marks": []}')
        assert main(["caught"]) == 1
        assert "run `make test` first" in capsys.readouterr().out
        for name in parts.WHOLE:
            (tmp_path / f"{name}.json").write_text('{"costs": [], "marks": [["bug", "b", "explorer"]]}')
        assert main(["caught"]) == 0
        assert marks_of(there.read_text()) == {Mark("bug", "b", "explorer")}

    def test_only_the_whole_suite_is_held_to_the_page(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parts, "PAGE", there := tmp_path / "page.md")
        there.write_text(page(MARKS))
        dear = [Cost("a", 100.0), *CHEAP]
        assert accepted("fast", dear, [])
        assert accepted("test", CHEAP, sorted(MARKS))
        assert not accepted("test", dear, sorted(MARKS))
        assert not accepted("test", CHEAP, [])

    def test_each_suite_runs_what_its_marker_says(self) -> None:
        chosen = {part: str(lanes) for parts in SUITES.values() for part, lanes in parts.items()}
        assert all("not thorough" in chosen[part] for part in ("fast", "systems, slow"))


class TestTogether:
    """Files that share what is dear to build run in one process."""

    def test_a_file_names_its_group(self, tmp_path: Path) -> None:
        file = tmp_path / "test_x.py"
        file.write_text('pytestmark = [pytest.mark.slow, pytest.mark.together("runs")]\n')
        assert group_of(str(file)) == "runs"
        assert group_of(str(tmp_path / "absent.py")) == group_of("tests/conftest.py") == ""

    def test_tests_of_a_group_have_one_scope(self, tmp_path: Path) -> None:
        file = tmp_path / "test_y.py"
        file.write_text('pytestmark = pytest.mark.together("runs")\n')
        scope = Together._split_scope
        assert scope(None, f"{file}::test_a") == scope(None, f"{file}::test_b[1]") == "runs"  # type: ignore[arg-type]
        assert scope(None, "tests/test_x.py::test_a") == "tests/test_x.py::test_a"  # type: ignore[arg-type]


LITTLE_TESTS = """
    import pytest

    @pytest.mark.parametrize("name", ["log.some.rule", "log.other.rule"])
    def test_one(name, catches):
        catches("mutant", name.replace(".", "_"), "reference")
        assert name.startswith("log.some")

    class TestAll:
        rule = "log.some.rule"

        def test_inside(self): pass

    @pytest.mark.costly("it waits for its kind")
    def test_of_nothing_else(): pass
    """


def little_run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A run of the tests of a folder with what every run does besides."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.suite.plugin", "--rootdir", str(folder), "-q", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])}
    return subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)


class TestPlugin:
    """What every run does besides, seen in runs of little tests in processes of their own."""

    @pytest.mark.parametrize("when", ["yield", "raise OSError", "yield; raise OSError"])
    def test_whatever_fails_is_told_at_once(self, tmp_path: Path, when: str) -> None:
        """Also what fails before a test and after it; the run fails with it."""
        told = f"import pytest\n@pytest.fixture\ndef it():\n    {when}\ndef test_it(it): assert {when != 'yield'}\n"
        (tmp_path / "test_it.py").write_text(told)
        ended = little_run(tmp_path, f"--found={tmp_path / 'found.json'}")
        assert ended.returncode == 1
        assert "failed: test_it.py::test_it" in ended.stdout.splitlines()
        costs = [Cost(*cost) for cost in json.loads((tmp_path / "found.json").read_text())["costs"]]
        message = {"yield": "assert False"}.get(when, "OSError")
        assert failures(costs) == f"\nfailed: test_it.py::test_it: {message}"

    def test_what_passes_is_no_failure(self) -> None:
        assert failures([Cost("a", 1.0)]) == ""

    def run(self, folder: Path, *options: str) -> tuple[set[str], list[list[str]]]:
        """The tests that ran and the marks that they left."""
        for name in ("test_near.py", "test_far.py"):
            (folder / name).write_text(dedent(LITTLE_TESTS))
        report = folder / "found.json"
        little_run(folder, *options, f"--found={report}", "test_near.py", "test_far.py")
        said = json.loads(report.read_text())
        assert all(Cost(*cost).cpu_s >= 0 for cost in said["costs"])
        assert {Cost(*cost).reason for cost in said["costs"]} <= {"", "it waits for its kind"}
        return {test.removeprefix("test_").replace(".py::", " ") for test, *_ in said["costs"]}, said["marks"]

    def test_what_tests_cost_and_caught_is_found(self, tmp_path: Path) -> None:
        """Also by several processes; a test that fails has caught nothing."""
        ran, marks = self.run(tmp_path, "-n2", "--dist=loadgroup")
        assert len(ran) == 8
        assert marks == [["mutant", "log_some_rule", "reference"]]

    def test_cases_about_a_name_run_beside_whole_files(self, tmp_path: Path) -> None:
        ran, _ = self.run(tmp_path, "--about=log.some.rule", "--whole=test_near.py")
        assert {test for test in ran if test.startswith("far")} == {
            "far test_one[log.some.rule]",
            "far TestAll::test_inside",
        }
        assert len(ran) == 2 + 4

    def test_files_that_do_not_name_a_mark_are_not_read(self, tmp_path: Path) -> None:
        (tmp_path / "test_long.py").write_text("import pytest\n@pytest.mark.slow\ndef test_it(): pass\n")
        (tmp_path / "test_short.py").write_text("this cannot be read")
        assert little_run(tmp_path, "-m", "slow", "--files-with=slow").returncode == 0
        assert little_run(tmp_path, "-m", "slow").returncode == 2

    def test_a_test_that_would_not_be_seen_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "marks.py").write_text("import pytest\nlong = pytest.mark.slow\n")
        (tmp_path / "test_long.py").write_text("from marks import long\n@long\ndef test_it(): pass\n")
        ended = little_run(tmp_path)
        assert ended.returncode == 4
        assert "test_long.py::test_it is marked slow, and its file does not say so" in ended.stderr
