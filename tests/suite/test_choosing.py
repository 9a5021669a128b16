"""What `make quick` runs: what changed, which tests that can reach, and which cases are about it.

CONTRIBUTING promises lint, types and tests of what changed since the last commit, and that it says what it chose. A
choice that leaves out what it must not, or all of it, is no choice: both are shown here.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from reference_impl.mutants import MUTANTS
from spec.protocols.registry import TEXTS
from spec.registry import BY_ID
from tests.suite import quick, reach, since, subjects
from tests.suite.about import has, quotes, telling

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a little project in place of this one."""
    files = {
        "spec/__init__.py": "",
        "spec/rules.py": "from spec import words\n",
        "spec/words.py": "def late():\n    import spec.deep.well\n",
        "spec/deep/__init__.py": "",
        "spec/deep/well.py": "syntax error here",
        "tests/support/made.py": "from spec.rules import anything",
        "tests/spec/test_words.py": "import spec.words",
        "tests/spec/test_rules.py": "import spec.rules",
        "tests/test_all.py": "from tests.support import made",
        "tests/test_samples.py": "SAMPLE = ROOT.parents[1] / 'examples' / 'sample'",
        "examples/sample/log.py": "",
        "examples/other/log.py": "",
        "tests/conftest.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(reach, "ROOT", tmp_path)
    monkeypatch.setattr(quick, "ROOT", tmp_path)
    for cached in (reach.modules, reach.imported):
        cached.cache_clear()
    yield tmp_path
    for cached in (reach.modules, reach.imported):
        cached.cache_clear()


class TestReach:
    """What imports what."""

    def test_a_module_is_decided_by_all_that_it_imports(self, project: Path) -> None:
        """Packages on the way and imports inside functions too; a text that cannot be read imports nothing."""
        files = ("__init__", "deep/__init__", "deep/well", "rules", "words")
        assert reach.sources_of("spec.rules") == [project / "spec" / f"{name}.py" for name in files]

    @pytest.mark.usefixtures("project")
    def test_tests_are_as_far_as_there_are_imports_between(self) -> None:
        near, far = "tests.spec.test_words", "tests.spec.test_rules"
        assert reach.tests_of(["spec.words"]) == {near: 1, far: 2, "tests.test_all": 3}
        assert reach.tests_of(["spec.words", far]) == {near: 1, far: 0, "tests.test_all": 3}
        assert reach.tests_of(["tests.conftest", "not.there"]) == {}

    @pytest.mark.usefixtures("project")
    def test_a_path_that_is_written_counts_as_an_import(self) -> None:
        assert reach.tests_of(["examples.sample.log"]) == {"tests.test_samples": 1}
        assert reach.tests_of(["examples.other.log"]) == {}

    def test_whole_rings_are_near(self) -> None:
        distances = {"a": 1, "b": 2, "c": 2, "d": 5}
        rings = [reach.nearest(distances, most) for most in range(5)]
        assert rings == [set(), {"a"}, {"a"}, {"a", "b", "c"}, {"a", "b", "c", "d"}]

    def test_tests_mirror_what_they_test(self, project: Path) -> None:
        assert reach.mirror_of("spec.rules") == "tests.spec.test_rules"
        assert reach.module_of(project / "spec" / "deep" / "__init__.py") == "spec.deep"


class TestAbout:
    """Which cases are about a name."""

    def test_a_name_is_a_whole_parameter(self) -> None:
        assert has("two_phase-3]", "two_phase")
        assert has("log.trim.point_rises]", "log.trim.point_rises")
        assert not has("log.trim.point_rises]", "log.trim.point")
        assert not has("two_phase_again]", "two_phase")

    def test_a_plain_word_tells_nothing(self) -> None:
        assert telling(["epoch", "two_phase", "log.trim.as_asked"]) == ["two_phase", "log.trim.as_asked"]
        assert quotes('x = "two_phase"', ["two_phase"])
        assert not quotes("two_phase", ["two_phase"])


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Give a repository of one commit after another."""
    git(tmp_path, "init", "--quiet")
    for text in ("first", "second"):
        (tmp_path / "kept").write_text(text)
        (tmp_path / ".gitignore").write_text("ignored\n")
        git(tmp_path, "add", "--all")
        git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", text)
    return tmp_path


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True)


def no_files() -> bytes:
    """An archive with nothing in it."""
    packed = io.BytesIO()
    tarfile.open(fileobj=packed, mode="w").close()
    return packed.getvalue()


class TestSince:
    """What changed, as git and two trees tell."""

    def test_files_that_differ_from_the_last_commit(self, repository: Path) -> None:
        """New ones and lost ones too; what git ignores has not changed."""
        for name in ("new", "ignored"):
            (repository / name).write_text("")
        (repository / "kept").unlink()
        assert since.last_change(repository) == ("HEAD", ["kept", "new"])

    def test_of_a_clean_tree_what_the_last_commit_changed(self, repository: Path) -> None:
        assert since.last_change(repository) == ("HEAD~1", ["kept"])

    def test_a_rule_is_what_it_says_and_what_its_columns_mean(self) -> None:
        """Every rule, text and mutant has a digest; nothing of it depends on the process that says it."""
        said = subjects.digests()
        assert said["rules"].keys() == BY_ID.keys()
        assert said["protocol texts"].keys() > TEXTS.keys()
        assert said["mutants"].keys() > MUTANTS.keys()
        assert since.digests_of(ROOT) == said
        spread = BY_ID["log.append.acked_is_spread"]
        told = repr([*subjects.meaning(spread.view, *spread.parts)])
        assert "Agg(fn='union', of=((<class 'spec.events.appending.Ack'>" in told  # a column of its view
        assert "<class 'spec.events.appending.NewEpoch'>" in told  # a column of a dimension

    def test_what_says_something_else_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = {"rules": {"a.same": "1", "a.changed": "2", "a.new": "3"}}
        then = {"rules": {"a.same": "1", "a.changed": "1", "a.dropped": "4"}}
        monkeypatch.setattr(since, "git", lambda *_, **__: no_files())
        monkeypatch.setattr(since, "digests_of", lambda tree: now if tree == ROOT else then)
        assert since.changed_subjects("HEAD", ROOT) == {"rules": {"a.changed", "a.new"}}

    def test_of_a_tree_that_cannot_be_read_everything_has_changed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Of the commit's; the working tree must be readable."""

        def asked(tree: Path) -> since.Digests:
            if tree == ROOT:
                return {"rules": {"a.rule": "1"}}
            raise since.Unreadable

        monkeypatch.setattr(since, "git", lambda *_, **__: no_files())
        monkeypatch.setattr(since, "digests_of", asked)
        assert since.changed_subjects("HEAD", ROOT) == {"rules": {"a.rule"}}

    def test_a_tree_without_rules_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "spec").mkdir()
        (tmp_path / "spec" / "__init__.py").write_text("raise SystemExit('no rules here')")
        with pytest.raises(since.Unreadable, match="no rules here"):
            since.digests_of(tmp_path)


class TestQuick:
    """A change chooses its tests."""

    def test_a_rule_is_judged_by_its_mirror_the_corpus_and_cases_about_it(self) -> None:
        chosen = quick.choose(["spec/log/appending.py"], {"rules": {"log.append.one_record"}})
        assert quick.OF_RULES | {"tests.spec.log.test_appending", "tests.test_reference"} <= chosen.whole
        assert {"tests.spec.proof.test_vacuity", "tests.spec.language.test_prose"} <= chosen.cases
        words = quick.command(chosen)
        assert "--about=log.append.one_record" in words
        assert {"--whole=tests/spec/log/test_appending.py", "tests/spec/log/test_appending.py"} <= {*words}
        assert "tests/spec/proof/test_vacuity.py" in words
        assert "--whole=tests/spec/proof/test_vacuity.py" not in words

    def test_rules_of_all_families_are_compared_name_by_name(self) -> None:
        listed = {"spec.log.appending", "spec.ledger.rules.adding", "spec.segment.writing", "spec.protocols.reads"}
        assert listed <= quick.listed()

    def test_what_is_asked_of_rules_is_there(self) -> None:
        assert reach.modules().keys() >= quick.OF_RULES
        assert quick.REGISTRIES.keys() == subjects.digests().keys()

    def test_a_module_is_judged_by_the_nearest_tests(self) -> None:
        chosen = quick.choose(["spec/verdicts.py", "tests/agreement/test_columns_agree.py"], {})
        assert {"tests.spec.test_verdicts", "tests.agreement.test_columns_agree"} <= chosen.whole
        assert (chosen.cases, chosen.names) == (set(), set())
        assert "tests.conformance.test_cli" in chosen.far
        assert not [word for word in quick.command(chosen) if word.startswith("--whole")]

    def test_a_text_is_judged_by_cases_about_it(self) -> None:
        chosen = quick.choose(["spec/protocols/reads.py"], {"protocol texts": {"reads"}})
        assert "tests.spec.proof.inductive.test_texts_are_proved" in chosen.cases
        assert not quick.OF_RULES & chosen.whole

    def test_a_document_is_judged_by_what_judges_all_documents(self) -> None:
        chosen = quick.choose(["docs/reference/appending.md"], {})
        assert {"tests.test_documents", "tests.test_reference"} <= chosen.whole
        assert all(test.count(".") == 1 for test in chosen.whole)

    def test_data_are_judged_by_whoever_names_them(self) -> None:
        assert quick.changed_modules(["tests/golden/prose/rule.txt"]) >= {"tests.spec.language.test_prose"}
        assert quick.changed_modules(["spec/no_such_folder/such.json", "LICENSE"]) == set()

    def test_what_was_chosen_is_told(self) -> None:
        names = {f"test_{number:02}" for number in range(20)}
        chosen = quick.Chosen(names, set(), set(), {"tests.far"}, set())
        told = quick.lines_of("HEAD", ["spec/a.py"], chosen).splitlines()
        assert told[0] == "changed since the last commit: spec/a.py"
        assert told[1].endswith(", test_07 and 12 more")
        assert told[2].endswith(": far")
        assert "nothing changed since the last commit" in quick.lines_of("HEAD~1", ["spec/a.py"], chosen)

    @pytest.mark.parametrize(
        "file", ["pyproject.toml", "tests/conftest.py", "tests/suite/about.py", "spec/registry.py"]
    )
    def test_what_concerns_all_tests_runs_all_fast_ones(self, file: str) -> None:
        chosen = quick.choose(["README.md", file], {})
        (wide,) = chosen.wide
        assert wide in file.replace("/", ".") or wide == file
        assert "all of make fast" in quick.lines_of("HEAD", [file], chosen)

    @pytest.mark.parametrize(
        "file", ["README.md", "spec/log/trimming.py", "spec/columns/kleene.py", "tests/support/standalone.py"]
    )
    def test_what_concerns_few_does_not(self, file: str) -> None:
        assert quick.choose([file], {}).wide == set()

    def test_a_specification_that_cannot_be_read_is_told(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def asked(commit: str) -> dict[str, set[str]]:
            raise since.Unreadable(f"no rules in {commit}")

        monkeypatch.setattr(quick, "last_change", lambda: ("HEAD", ["spec/registry.py"]))
        monkeypatch.setattr(quick, "changed_subjects", asked)
        assert quick.main() == 1
        assert "no rules in HEAD" in capsys.readouterr().out
