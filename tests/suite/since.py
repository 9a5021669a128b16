"""What changed since a commit: files as git tells, and rules, protocol texts and mutants as two trees tell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Final, TypeAlias

ROOT: Final = Path(__file__).parents[2]
PROGRAM: Final = Path(__file__).with_name("subjects.py")

Digests: TypeAlias = dict[str, dict[str, str]]
"""For each kind of subject by name: what one says."""


class Unreadable(Exception):
    """The rules, protocol texts or mutants of a tree cannot be imported; the message is Python's."""


def git(*words: str, root: Path = ROOT) -> bytes:
    """What git says about the project."""
    return subprocess.run(["git", *words], cwd=root, capture_output=True, check=True).stdout


def last_change(root: Path = ROOT) -> tuple[str, list[str]]:
    """The commit with which to compare, and the files that differ: those of the last commit if nothing else does."""
    others = git("ls-files", "--others", "--exclude-standard", root=root).decode().splitlines()
    for commit in ("HEAD", "HEAD~1"):
        files = git("diff", "--name-only", "--no-renames", commit, root=root).decode().splitlines()
        if files or others:
            return commit, sorted({*files, *others})
    return "HEAD~1", []


def changed_subjects(commit: str, root: Path = ROOT) -> dict[str, set[str]]:
    """For each kind the names that say something else than in a commit, or that it did not have.

    Raises:
        Unreadable: what stands in the working tree is no specification.
    """
    now = digests_of(root)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(git("archive", commit, "spec", "reference_impl", root=root))) as packed:
            packed.extractall(folder, filter="data")
        try:
            then = digests_of(Path(folder))
        except Unreadable:  # the language has changed, and with it what everything says
            then = {kind: {} for kind in now}
    return {kind: {name for name, said in known.items() if then[kind].get(name) != said} for kind, known in now.items()}


def digests_of(tree: Path) -> Digests:
    """What a tree says, asked in a process of its own.

    Raises:
        Unreadable: it cannot be imported.
    """
    path, command = {**os.environ, "PYTHONPATH": str(tree)}, [sys.executable, "-P", str(PROGRAM)]
    asked = subprocess.run(command, env=path, cwd=tree, capture_output=True, text=True, check=False)
    if asked.returncode:
        raise Unreadable(asked.stderr)
    said: Digests = json.loads(asked.stdout)
    return said
