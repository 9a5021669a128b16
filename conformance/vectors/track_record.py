"""The track record as a page: defects that real logs had, each with a trace that shows it and the rule that says so."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from conformance.trace.open import open_trace
from conformance.vectors.cases import Case, read
from spec.registry import BY_ID

PROSE: Final = """# Track record

Defects that real logs had, or have where one guard is missing. Each is told by a trace as small as it can be, written
for quorate after what is known of the defect; it is no recording. The rule is the one that says what is wrong. Judge
them all:

```console
$ quorate vectors run examples/track-record
{count} agree, 0 disagree, 0 not applicable
```

| system | defect | caught by | trace | source |
| --- | --- | --- | --- | --- |
{rows}

Models that show the same defect, found by search: {models}. What a real cluster lost, as it was recorded, shows
[the README](../../README.md).
"""


def page(index: Path) -> str:
    """The page, in Markdown, from the index of the traces.

    Raises:
        VectorsError: the index cannot be read.
    """
    cases = read(index).main
    models = dict.fromkeys(f"`{case['model']}`" for case in cases if "model" in case)
    return PROSE.format(
        count=len(cases), rows="\n".join(_row(index.parent, case) for case in cases), models=", ".join(models)
    )


def _row(folder: Path, case: Case) -> str:
    rule, path = BY_ID[case["rule"]], f"../../examples/{folder.name}/{case['file']}"
    events = sum(1 for _ in open_trace(folder / case["file"]).events())
    caught = f"`{rule.id}`: {rule.sentence} {case['reason']}"
    return f"| {case['system']} | {case['defect']} | {caught} | [{events} events]({path}) | {case['source']} |"
