"""What users import: little is loaded, every name is documented, and the example on the page runs.

Justified by docs/reference/python-api.md.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import quorate

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/reference/python-api.md").read_text()
MODULES_MAX = 5
"""What `import quorate` may load besides typing: itself, and what imports by name."""


def test_importing_loads_next_to_nothing() -> None:
    program = (
        "import sys, typing, importlib; before = set(sys.modules); import quorate; print(*set(sys.modules) - before)"
    )
    said = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert len(said.stdout.split()) <= MODULES_MAX, said.stdout


@pytest.mark.parametrize("name", quorate.__all__)
def test_every_public_name_exists_and_is_on_the_page(name: str) -> None:
    assert getattr(quorate, name) is not None
    assert re.search(rf"\b{name}\b", PAGE)


def test_the_names_are_listed() -> None:
    assert set(quorate.__all__) <= set(dir(quorate))


def test_a_name_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(AttributeError, match="Recorder"):
        quorate.recorder_of  # noqa: B018 - the look-up is what is tested


def test_the_example_on_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(example, "python-api.md", "exec"), {})  # noqa: S102 - the page is ours
    assert quorate.check("run.jsonl").outcome == "holds"
