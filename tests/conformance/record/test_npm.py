"""Locked Node packages: installed once, by npm, from a lock that names no registry (`conformance.record.npm`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.record.errors import LockMismatch, PackagesUnavailable
from conformance.record.npm import RESTATE_LOCK, install, program, relock
from conformance.record.restate import VERSION

LOCK = {"lockfileVersion": 3, "packages": {"": {"name": "some", "dependencies": {"one": "1.0.0"}}}}


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "some.lock"
    file.write_text(json.dumps(LOCK))
    return file


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only npm on PATH: a script that the test may rewrite."""
    script = tmp_path / "bin" / "npm"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n/bin/cat package.json > seen && /bin/mkdir node_modules\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent))
    return script


def test_npm_sees_the_roots_dependencies_and_its_own_lock(lock: Path, npm: Path, tmp_path: Path) -> None:
    assert npm.exists()
    home = install(lock, tmp_path / "cache").parent
    assert json.loads((home / "seen").read_text())["dependencies"] == {"one": "1.0.0"}
    assert json.loads((home / "package-lock.json").read_text()) == LOCK


def test_an_installation_is_made_once_per_lock(lock: Path, npm: Path, tmp_path: Path) -> None:
    first = install(lock, tmp_path / "cache")
    npm.unlink()
    assert install(lock, tmp_path / "cache") == first
    lock.write_text(json.dumps({**LOCK, "requires": True}))
    with pytest.raises(PackagesUnavailable, match="npm cannot be had: there is none on PATH"):
        install(lock, tmp_path / "cache")


def test_npms_failure_is_told_and_leaves_nothing(lock: Path, npm: Path, tmp_path: Path) -> None:
    npm.write_text("#!/bin/sh\necho 'npm error code ENOTFOUND' >&2; exit 1\n")
    with pytest.raises(PackagesUnavailable, match="npm said npm error code ENOTFOUND"):
        install(lock, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_other_content_than_was_locked_is_no_reason_to_skip(lock: Path, npm: Path, tmp_path: Path) -> None:
    npm.write_text("#!/bin/sh\necho 'npm error code EINTEGRITY' >&2; exit 1\n")
    with pytest.raises(LockMismatch, match="npm said npm error code EINTEGRITY"):
        install(lock, tmp_path / "cache")


def test_relocking_keeps_what_npm_resolved(lock: Path, npm: Path) -> None:
    npm.write_text("#!/bin/sh\necho '{\"resolved\": true}' > package-lock.json\n")
    relock(lock)
    assert json.loads(lock.read_text()) == {"resolved": True}


def test_a_package_without_a_program_for_this_platform_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(PackagesUnavailable, match="no program for this platform"):
        program(tmp_path, "@restatedev/restate-server", "restate-server")


def test_the_committed_lock_is_of_the_recorded_version_with_integrity_and_names_no_host() -> None:
    root, *packages = json.loads(RESTATE_LOCK.read_text())["packages"].items()
    assert root[1]["dependencies"] == {"@restatedev/restate-server": VERSION, "@restatedev/restatectl": VERSION}
    assert all(package["integrity"].startswith("sha512-") for _, package in packages)
    assert "://" not in RESTATE_LOCK.read_text()
