"""Writing published vectors: a file for each kind, its schema, whole traces, and a manifest over all of them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

from conformance.trace.files import atomic
from conformance.vectors.published.kinds import KINDS, Kind
from conformance.vectors.published.shapes import schema_of, text_of
from conformance.vectors.published.traces import write_traces

VERSION: Final = "1.0"
"""Of the form of cases and manifest; a minor version adds fields and cases, a major one changes them."""

TRACES: Final = 24
MANIFEST: Final = "manifest.json"


def write(folder: Path, seed: int = 1, share: float = 1.0) -> dict[str, Any]:
    """Write all vectors into a folder, and give the manifest.

    Args:
        folder: is made if it is not there; files of these names are overwritten.
        seed: decides all cases.
        share: which share of the usual number of cases of each kind to write.

    Raises:
        TraceError: the folder refuses.
    """
    (folder / "schemas").mkdir(parents=True, exist_ok=True)
    (folder / "traces").mkdir(exist_ok=True)
    files = [_write_kind(folder, name, kind, seed, share) for name, kind in KINDS.items()]
    files.append(_write_traces(folder, seed, max(2, round(TRACES * share))))
    manifest = {"quorate_vectors": VERSION, "seed": seed, "cases": sum(one["cases"] for one in files), "files": files}
    _write_text(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    return manifest


def _write_kind(folder: Path, name: str, kind: Kind, seed: int, share: float) -> dict[str, Any]:
    most = max(2, round(kind.cases * share))
    drawn = islice(_different(kind.make(Random(f"{seed} {name}"))), most)
    cases = [{"id": f"{name}-{number}", **case} for number, case in enumerate(drawn)]
    return _written(folder, f"{name}.json", kind.kind, kind.about, cases)


def _different(cases: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Cases, each once."""
    seen = set[str]()
    for case in cases:
        text = json.dumps(case, sort_keys=True)
        if text not in seen:
            seen.add(text)
            yield case


def _write_traces(folder: Path, seed: int, most: int) -> dict[str, Any]:
    drawn = write_traces(folder / "traces", Random(f"{seed} traces"), most)
    cases = [{"id": f"trace-{number}", **case} for number, case in enumerate(drawn)]
    return _written(folder, "traces/index.json", "traces", "whole traces and their verdicts", cases)


def _written(folder: Path, name: str, kind: str, about: str, cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    schema = f"schemas/{Path(name).parts[0].removesuffix('.json')}.schema.json"
    _write_text(folder / schema, text_of(schema_of(cases, f"quorate vectors: {about}")))
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    head = json.dumps({"quorate_vectors": VERSION, "kind": kind, "about": about})[:-1]
    text = f'{head}, "vectors": [\n{lines}\n]}}\n'
    _write_text(folder / name, text)
    signs = Counter(case["sign"] for case in cases)
    return {
        "file": name,
        "schema": schema,
        "kind": kind,
        "about": about,
        "cases": len(cases),
        "positive": signs["positive"],
        "negative": signs["negative"],
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


def _write_text(path: Path, text: str) -> None:
    with atomic(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
