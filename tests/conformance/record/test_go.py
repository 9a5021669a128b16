"""Programs in Go: what cannot be had is told apart from what is wrong with our own sources.

Justified by the Go Modules Reference: ``go mod download`` gets all modules that go.mod names and holds them to go.sum.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.record.errors import BuildFailed, PackagesUnavailable
from conformance.record.go import build, find_go

NEEDS_ONE = "module own\n\ngo 1.21\n\nrequire example.org/one v1.0.0\n"


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that builds, where no module can be got."""
    try:
        find_go()
    except PackagesUnavailable as missing:
        pytest.skip(str(missing))
    monkeypatch.setenv("GOPROXY", "off")
    monkeypatch.setenv("GOFLAGS", "-modcacherw")
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "modules"))
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "go.mod").write_text("module own\n\ngo 1.21\n")
    return folder


@pytest.mark.parametrize("line", ["func main() { nonsense() }", "func main() {"])
def test_sources_that_do_not_compile_are_a_failure(line: str, sources: Path, tmp_path: Path) -> None:
    (sources / "main.go").write_text(f"package main\n\n{line}\n")
    with pytest.raises(BuildFailed, match=r"own cannot be built: .*main\.go:"):
        build(sources, tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_a_module_that_cannot_be_got_is_missing(sources: Path, tmp_path: Path) -> None:
    (sources / "go.mod").write_text(NEEDS_ONE)
    (sources / "main.go").write_text('package main\n\nimport _ "example.org/one"\n\nfunc main() {}\n')
    with pytest.raises(PackagesUnavailable, match="Go modules cannot be had: Go said"):
        build(sources, tmp_path / "cache")
