"""Cases of ledgers: where entries lie, what covers them, when they are acknowledged, how they are listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final

from conformance.vectors import availability, schedule
from conformance.vectors.published.drawing import fields_of

CODES = (None, 0, -7, -13, -1)
"""What may be heard of a member: nothing, OK, NoSuchLedger, NoSuchEntry, another error."""


def schedules(rng: Random) -> Iterator[dict[str, Any]]:
    """Write sets, coverage, stripes and acknowledgements, also of sizes that no ledger can have."""
    kinds = list(_QUESTIONS)
    while True:
        kind = rng.choice(kinds)
        ensemble = rng.randint(1, 7)
        write = rng.randint(1, ensemble)
        sizes = {"ensemble_size": ensemble, "write_quorum": write, "ack_quorum": rng.randint(1, write)}
        if rng.random() < 0.1:  # noqa: PLR2004 - one of ten cannot be
            sizes["ack_quorum"] = write + rng.randint(1, 2)
        given = {**sizes, **_QUESTIONS[kind](rng, sizes)}
        yield {"kind": kind, "input": given, **_answered(kind, given), "rule": "spec.ledger.schedule"}


def _answered(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        answers = schedule.QUESTIONS[kind](fields_of(given))
    except ValueError as refusal:
        return {"expected": {"error": str(refusal)}, "sign": "negative"}
    told = {name: value for name, value in answers.items() if not name.endswith("_shipped")}
    denied = kind == "coverage" and not told["covered"]
    return {"expected": told, "sign": "negative" if denied else "positive"}


_QUESTIONS: Final[Mapping[str, Callable[[Random, Mapping[str, int]], dict[str, Any]]]] = {
    "write_set": lambda rng, _: {"entry_id": rng.randrange(1000)},
    "coverage": lambda rng, sizes: {"return_codes": [rng.choice(CODES) for _ in range(sizes["ensemble_size"])]},
    "striped": lambda rng, sizes: {
        "bookie_index": rng.randrange(sizes["ensemble_size"]),
        "start_entry": (first := rng.randrange(20)),
        "last_entry": first + rng.randrange(12),
    },
    "ack_set": lambda rng, sizes: {
        "ops": [f"{rng.choice('ccf')}{rng.randrange(sizes['write_quorum'])}" for _ in range(rng.randint(1, 6))]
    },
}
"""What is asked, and how."""


def lists(rng: Random) -> Iterator[dict[str, Any]]:
    """Lists of entries as groups and bytes, and what is missing of some."""
    while True:
        period, runs = rng.randint(1, 5), rng.randint(1, 4)
        starts = sorted(rng.sample(range(60), runs))
        entries = sorted({start + period * n for start in starts for n in range(rng.randint(1, 5))})
        if rng.random() < 0.5:  # noqa: PLR2004 - half
            given: dict[str, Any] = {"entries": entries}
            answers = availability.QUESTIONS["encode"](fields_of(given), fields_of({}))
            names = ("num_entries", "groups_bp34", "bytes_hex_bp34_layout", "size_bp34_layout")
            expected = {name: answers[name] for name in names}
            yield {"kind": "encode", "input": given, "expected": _plain(expected), "sign": "positive", "rule": "BP-34"}
            continue
        asked = sorted(rng.sample(range(60), rng.randint(1, 20)))
        given = {"available": entries, "start_entry": 0, "last_entry": 59, "expected_entries": asked}
        missing = availability.QUESTIONS["unavailable"](fields_of(given), fields_of({}))["unavailable"]
        sign = "negative" if missing else "positive"
        yield {
            "kind": "unavailable",
            "input": given,
            "expected": {"unavailable": missing},
            "sign": sign,
            "rule": "BP-34",
        }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
