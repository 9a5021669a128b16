"""Scripts of iterators and gates, keys and merged acknowledgements, judged and told.

Synnax, Segment distribution, Segment Reads - Iteration; departures: `reference_impl.segment.iterator.flaws`.
"""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from conformance.vectors.run import Answer, run
from tests.support.vector_files import Case, judged, refusal

S = 1_000_000_000
SCRIPT: Case = {
    "level": "unary",
    "index_domains_seconds": [[10, 12, 14], [20, 21]],
    "bounds": [0, 100 * S],
    "auto_chunk_size": 2,
}
GATES: Case = {
    "level": "gate",
    "concurrency": "exclusive",
    "steps": [
        {"op": "open", "gate": "a", "authority": 9, "range": [0, 10], "observed": {"resource_opened": 1}},
        {
            "op": "open",
            "gate": "b",
            "authority": 1,
            "range": [5, 20],
            "err_on_unauthorized_open": True,
            "observed": {"error": "unauthorized", "resource_opened": 0},
        },
        {"op": "resource_at", "range": [15, 16], "observed": {"ok": False}},
    ],
}


def move(op: str, span: int, *values: int, **more: Any) -> Case:
    series = [{"values": list(values)}] if values else []
    return {"op": op, "span": span, "observed": {"ok": bool(values), "series": series}, **more}


def seek(op: str, **more: Any) -> Case:
    return {"op": op, "observed": {"ok": True}, **more}


RIGHT = SCRIPT | {"steps": [seek("seek_first"), move("next", S, 10), move("next", S // 2), move("next", 3 * S, 12, 14)]}
SHIPPED = SCRIPT | {"steps": [*RIGHT["steps"][:3], move("next", 3 * S), move("next", 10 * S, 20, 21)]}


def test_a_script_agrees_or_differs_in_a_known_way(tmp_path: Path) -> None:
    """With the definition; else the machine with Synnax's flaws gives the very answers, and the flaws are named."""
    assert judged(tmp_path, RIGHT, SHIPPED) == [
        "mine.json: 1 differ as leaves_unfinished",
        "1 agree, 0 disagree, 0 not applicable, 1 differ in a known way",
    ]


@pytest.mark.parametrize(
    ("step", "observed"),
    [
        (1, {"ok": False, "series": []}),
        (3, {"ok": True, "series": [{"values": [12]}]}),
        (3, {"ok": False, "series": [], "view": [0, 1]}),
        (3, {"ok": False, "series": [], "error": "disk on fire"}),
        (3, {"ok": False, "series": [], "mood": "good"}),
        (4, {"ok": True, "series": [{"values": [21, 20]}]}),
    ],
)
def test_what_no_flaw_explains_disagrees(tmp_path: Path, step: int, observed: Case) -> None:
    """An answer that neither the definition nor the machine as shipped gives is no known difference."""
    changed = deepcopy(SHIPPED)
    changed["steps"][step]["observed"] = observed
    (line, counts) = judged(tmp_path, changed)
    assert "disagrees: step" in line
    assert counts == "0 agree, 1 disagree, 0 not applicable"


def test_a_model_that_nobody_gives_disagrees(tmp_path: Path) -> None:
    """What a case says that a model answers is held to the definition, and to the engine without one flaw."""
    right, wrong = ([*SHIPPED["steps"][:3], move("next", 3 * S, model={"values": some})] for some in ([12, 14], [12]))
    assert "leaves_unfinished" in judged(tmp_path, SCRIPT | {"steps": right})[0]
    assert "disagrees: step 4: model {'values': [12]}" in judged(tmp_path, SCRIPT | {"steps": wrong})[0]


WRITTEN: Case = {
    "level": "cesium",
    "channels": {"times": {"is_index": True}, "data": {"index": "times"}},
    "layout": [],
    "open": {"channels": ["data"], "bounds": [0, 100], "auto_chunk_size": 0},
}


@pytest.mark.parametrize(
    ("times", "observed", "way"),
    [
        ([12, 11, 13], [1, 2, 3], "stores_disorder"),
        ([8, 9, 10, 11], [1, 2, 3, 4], "stores_before_start"),
    ],
)
def test_what_is_stored_as_no_channel_may_have_it(
    tmp_path: Path, times: list[int], observed: list[int], way: str
) -> None:
    """Times that do not ascend, or lie before their writer's start, are a class of their own."""
    frame = {"times": times, "data": list(range(1, len(times) + 1))}
    write = {"op": "write", "start": 10, "frame": frame, "observed": {}}
    moved = {"op": "next", "span": 50, "observed": {"ok": True, "frame": [{"channel": "data", "values": observed}]}}
    lines = judged(tmp_path, WRITTEN | {"steps": [write, seek("seek_first"), moved]})
    assert lines[0] == f"mine.json: 1 differ as {way}"


def test_a_whole_range_is_read_at_once(tmp_path: Path) -> None:
    """Whatever is stored of it, in order of time."""
    writes = [
        {"op": "write", "start": start, "frame": {"times": [start, start + 1], "data": [start, 7]}, "observed": {}}
        for start in (20, 10)
    ]
    read = {"op": "read", "range": [0, 21], "observed": {"frame": [{"values": [10, 7]}, {"values": [20]}]}}
    wrong = {"op": "read", "range": [0, 21], "observed": {"frame": [{"values": [10, 7]}]}}
    lines = judged(tmp_path, WRITTEN | {"steps": [*writes, read]}, WRITTEN | {"steps": [*writes, wrong]})
    assert "disagrees: step 3: frame: observed" in lines[0]
    assert lines[-1] == "1 agree, 1 disagree, 0 not applicable"


def test_gates(tmp_path: Path) -> None:
    """A gate that is refused changes nothing; as shipped it widens the region that it asked for."""
    shipped, wrong = deepcopy(GATES), deepcopy(GATES)
    shipped["steps"][2]["observed"] = {"ok": True}
    wrong["steps"][1]["observed"]["resource_opened"] = 1
    told = judged(tmp_path, GATES, shipped, wrong)
    assert told[1:] == [
        "mine.json: 1 differ as refused_open_widens",
        "1 agree, 1 disagree, 0 not applicable, 1 differ in a known way",
    ]


def test_acknowledgements_and_keys(tmp_path: Path) -> None:
    """All must be true; as shipped the last one counts, and nothing else does."""
    acks = {"acks_in_arrival_order": [False, True], "expect_rfc": False}
    told = judged(tmp_path, acks, acks | {"observed": True}, acks | {"expect_rfc": True})
    assert told[1:] == [
        "mine.json: 1 differ as last_acknowledgement",
        "1 agree, 1 disagree, 0 not applicable, 1 differ in a known way",
    ]
    keys: list[Case] = [
        {"op": "new_key", "node": 1, "local": 1, "expect": {"key": 1048577}},
        {"op": "new_key", "node": 1, "local": 1, "expect": {"key": 7}},
        {"op": "parse_key", "text": "12a", "expect": {"error_class": "validation", "error_contains": "12a is not"}},
        {"op": "parse_key", "text": "12", "expect": {"error_class": "validation"}},
    ]
    assert judged(tmp_path, *keys)[-1] == "2 agree, 2 disagree, 0 not applicable"
    cut: Case = {"op": "parse_key", "text": "4294967297", "expect": {"key": 1}}
    led: Case = {"op": "unique_leaseholders", "keys": [3145735, 1048577, 3145736], "expect": {"leaseholders": [3, 1]}}
    assert judged(tmp_path, cut, cut | {"expect": {"key": 2}}, led)[1:] == [
        "mine.json: 1 differ as cuts_keys",
        "1 agree, 1 disagree, 0 not applicable, 1 differ in a known way",
    ]


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        (SCRIPT | {"steps": [{"op": "leap"}]}, "'leap'"),
        (SCRIPT | {"steps": [{"op": "next"}]}, "span is missing"),
        (SCRIPT | {"steps": [], "level": "moon"}, "'moon'"),
        (SCRIPT | {"steps": [], "bounds": [2, 1]}, "ends before it starts"),
        (SCRIPT | {"steps": [], "index_domains_seconds": [[1, 3], [2]]}, "segments overlap"),
        (SCRIPT | {"steps": [], "index_domains_seconds": [[]]}, "has no samples"),
        (SCRIPT | {"steps": [], "layout": [], "channels": {}, "open": {"channels": []}}, "reads no channel"),
        (SCRIPT | {"steps": [], "layout": [], "channels": {}, "open": {"channels": ["a"]}}, "no such channel"),
        (GATES | {"steps": [{"op": "release", "gate": "z"}]}, "no such gate"),
    ],
)
def test_damaged_scripts_are_refused(tmp_path: Path, damaged: Case, told: str) -> None:
    """By name, never with a crash."""
    assert told in refusal(tmp_path, RIGHT, damaged)


def test_recorded_scripts(shared: Path) -> None:
    """Every script that was recorded of the engine is explained, and by the flaws that it was recorded for."""
    report = run([shared / "vectors" / "synnax"])
    print(*report.lines(), sep="\n")
    assert {one.answer for one in report.judged} == {Answer.AGREES, Answer.EXPLAINED}
    ways = {one.case: one.reason for one in report.judged if one.answer is Answer.EXPLAINED}
    assert ways["DV-01"] == ways["DV-13"] == ways["DV-19"] == "stops_at_an_end"
    assert (ways["DV-07"], ways["DV-25"]) == ("miscounts_chunks", "leaves_unfinished")
    assert "stumbles_at_a_start" in ways["DV-04"]


def test_recorded_scripts_that_are_changed_disagree(shared: Path, tmp_path: Path) -> None:
    """With one answer turned into its opposite, no script agrees, and none is explained."""
    path = shared / "vectors" / "synnax" / "iterator_random_observed.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    for number, case in enumerate(content["vectors"]):
        observed = case["steps"][number % len(case["steps"])]["observed"]
        observed["ok"] = not observed["ok"]
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(content), encoding="utf-8")
    assert {one.answer for one in run([changed]).judged} == {Answer.DISAGREES}
