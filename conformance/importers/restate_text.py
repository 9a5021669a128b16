"""What restatectl prints, read back: the chain of a log's segments, and the digest of one segment.

Source of the layout: Restate, tools/restatectl, commands log/describe_log.rs and replicated_loglet/digest.rs; of the
marks: crates/types, net/log_server.rs, RecordStatus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from conformance.importers.errors import UnknownRow
from conformance.trace.errors import MissingField, Mistyped

HELD: Final = "X"
"""The node holds the record."""
GONE: Final = "-TA"
"""The node answered that it does not hold it: never had, trimmed, or archived."""
UNHEARD: Final = "?"
"""The node did not answer."""

_MARKS: Final = HELD + GONE + UNHEARD
_SCOPES: Final = ("node", "zone", "region")
"""Restate's location scopes: crates/types, locality."""

_OFFSET = re.compile(r"\d{1,10}", re.ASCII)
"""Offsets have 32 bits."""

_SEGMENT = re.compile(
    r"^\W*(\d{1,10}) +(\d{1,10}) +replicated +(\S+) +(\{[^}]*\}) +N(\d{1,10}):\d{1,10} +\[([^\]]*)\]", re.ASCII
)
_OTHER_KIND = re.compile(r"^\W*\d{1,10} +\d{1,10} +(?!replicated)([a-z][\w-]*)")
_SEAL_MARKER: Final = "sealed"
"""The kind of a segment without records that ends a sealed chain, until the next segment takes its place.

Source: Restate, crates/types, logs/metadata.rs, InternalKind.
"""
_COLUMN = re.compile(r"N(\d{1,10})(?:\((S|E)\))?")


@dataclass(frozen=True, slots=True)
class Segment:
    """What metadata says of one segment: where it stands, who sequences it, and where its records may lie.

    Attributes:
        copies: how many nodes must hold a record; None where zones or regions count too, whose nodes are not recorded.
    """

    log: int
    index: int
    sequencer: int
    nodeset: tuple[int, ...]
    copies: int | None


@dataclass(frozen=True, slots=True)
class Chain:
    """All segments of a log that the operator was shown; there may be more."""

    segments: tuple[Segment, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Digest:
    """Which node holds which offset of one segment, as each node that answered tells it.

    Attributes:
        sealed: the nodes that say they are sealed.
        marks: for each offset listed, one mark for each node in the order of ``nodes``.
        trimmed: for each node that answered, the greatest offset that it trimmed.
        tail: the greatest global tail that a node knows: the first offset that may not be read yet.
    """

    segment: Segment
    nodes: tuple[int, ...]
    sealed: frozenset[int]
    marks: Mapping[int, str]
    trimmed: Mapping[int, int]
    tail: int


def read_chain(text: str) -> Chain:
    """The chain that ``logs describe`` printed.

    A sealed chain ends in a marker, which is no segment here; where all else was trimmed, it stands alone.

    Raises:
        Mistyped, MissingField, UnknownRow: the text is not such a chain; without a place.
    """
    log = _number(r"^Log Id: (\d{1,10})\b", text, "the log's number")
    segments, is_sealed = [], False
    for line in text.splitlines():
        if found := _SEGMENT.match(line):
            index, _, _, replication, sequencer, nodeset = found.groups()
            segments.append(Segment(log, int(index), int(sequencer), nodes_of(nodeset), copies_of(replication)))
        elif (other := _OTHER_KIND.match(line)) and other[1] == _SEAL_MARKER:
            is_sealed = True
        elif other:
            raise UnknownRow(
                f"a segment of kind {other[1]!r}", "only replicated loglets have nodes and digests", "replicated logs"
            )
    shown = re.search(r"^(\d{1,10})/(\d{1,10}) segments shown", text, re.MULTILINE)
    if shown is None or not (segments or is_sealed):
        raise MissingField("no segment", "a chain lists at least one and counts them", "record the whole output")
    return Chain(tuple(segments), whole=shown[1] == shown[2])


def read_digest(text: str) -> Digest:
    """The digest that ``replicated-loglet digest`` printed.

    Raises:
        Mistyped, MissingField, UnknownRow: the text is not such a digest; without a place.
    """
    columns = _COLUMN.findall(text.partition("\n")[0])
    if not columns:
        raise MissingField("no node", "the first line of a digest names the nodes", "record the whole output")
    nodes = tuple(int(number) for number, _ in columns)
    place = re.search(r"^\s*Used in: +LogId=(\d{1,10}) at Segment=(\d{1,10})", text, re.MULTILINE)
    if place is None:
        raise MissingField("no segment", "a digest says in which log and segment it is used", "record the whole output")
    nodeset = re.search(r"^\s*Nodeset: +\[([^\]]*)\]", text, re.MULTILINE)
    replication = re.search(r"^\s*Replication: +(\{[^}]*\})", text, re.MULTILINE)
    if nodeset is None or replication is None:
        raise MissingField("no nodeset or replication", "a digest says both", "record the whole output")
    sequencer = _number(r"^\s*Sequencer: +N(\d{1,10}):", text, "the sequencer")
    segment = Segment(int(place[1]), int(place[2]), sequencer, nodes_of(nodeset[1]), copies_of(replication[1]))
    return Digest(
        segment,
        nodes,
        sealed=frozenset(int(number) for number, state in columns if state == "S"),
        marks=dict(_marks(text, len(nodes))),
        trimmed=dict(_trim_points(text, nodes)),
        tail=_number(r"^\s*Observed Global Tail: +(\d{1,10})", text, "the observed global tail"),
    )


def nodes_of(text: str) -> tuple[int, ...]:
    """The numbers of nodes such as ``N1, N2``; generations (``N1:2``) are dropped.

    Raises:
        Mistyped: something else stands there.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    found = [re.fullmatch(r"N(\d{1,10})(?::\d{1,10})?", name) for name in names]
    if not all(found):
        raise Mistyped(f"nodes are [{text:.60}]", "each must be N and a number", "record the output as printed")
    return tuple(int(match[1]) for match in found if match)


def copies_of(text: str) -> int | None:
    """The copies required across nodes, of a text such as ``{node: 2}``; None where it names larger scopes too.

    Raises:
        Mistyped: it is no such text, or names another scope.
    """
    found = dict(re.findall(r"(\w+): *(\d{1,10})", text))
    if not found or set(found) - set(_SCOPES):
        raise Mistyped(f"replication is {text:.60}", f"scopes are {', '.join(_SCOPES)}", "record the output as printed")
    return int(found["node"]) if set(found) == {"node"} else None


def _marks(text: str, nodes: int) -> Iterator[tuple[int, str]]:
    for line in text.splitlines()[1:]:
        offset, *rest = line.split() or [""]
        if not re.fullmatch(_OFFSET, offset):
            continue
        marks = "".join(rest[:nodes])
        if len(marks) != nodes or set(marks) - set(_MARKS):
            raise UnknownRow(
                f"offset {offset} is marked {' '.join(rest)!r:.60}",
                f"each of {nodes} nodes has one of the marks {' '.join(_MARKS)}",
                "the importer of a version that knows this one of Restate",
            )
        yield int(offset), marks


def _trim_points(text: str, nodes: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    found = re.search(r"^ *TRIM POINT +(.*\S)", text, re.MULTILINE)
    points = found[1].split() if found else []
    if len(points) != len(nodes):
        raise MissingField("no trim points", "a digest says one for each node", "record the whole output")
    yield from ((node, int(point)) for node, point in zip(nodes, points, strict=True) if re.fullmatch(_OFFSET, point))


def _number(pattern: str, text: str, what: str) -> int:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise MissingField(f"{what} is missing", "restatectl prints it", "record the whole output")
    return int(found[1])
