"""Import a NATS recording: what clients of JetStream streams saw, and what each replica held, where somebody looked.

A stream has no epochs; its sequences are ESNs. Nothing is promised beyond what any log must keep: an acknowledgement
says nothing of copies. What a replica holds at the end is written down with no time, so it proves that a record was
there, and not since when.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from conformance.importers.copies import node_name, node_numbers, read_copies, write_copies
from conformance.importers.faults import FAULT
from conformance.importers.nats_duplicates import with_first_appends
from conformance.importers.nats_rows import read_history
from conformance.importers.notebook import EPOCH, Notebook
from conformance.trace.files import placed
from conformance.trace.header import Header, Member, System
from conformance.trace.rows import EventRow
from spec.events.universes import NODES

_IMPORTER: Final = "importer"


def import_nats(history: Path, *, replicas: Path | None = None) -> tuple[Header, list[EventRow]]:
    """The header and the events of a NATS recording, in trace order.

    Args:
        history: what clients saw, as JSON lines, plain or zstd.
        replicas: what each replica held at the end; None if nobody looked.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong with a file.
    """
    told, faults, left_out = read_history(history)
    held = [] if replicas is None else read_copies(replicas, EPOCH)
    steps = with_first_appends(told)
    nodes = node_numbers(held, faults)
    with placed(history):
        notebook = Notebook(steps, recorder_of=str)
    journal, logs = notebook.journal, notebook.logs
    if replicas is not None:
        with placed(replicas):
            write_copies(journal, None, held, nodes, logs)
    journal.declare(_IMPORTER, _IMPORTER, {FAULT: "partial"})
    for fault in faults:
        journal.add(_IMPORTER, FAULT, time_ns=fault.time_ns, node=nodes[fault.node], what=fault.what)
    header = Header(
        system=System("nats"),
        members={NODES.section: tuple(Member(node_name(node), {"node": node_name(node)}) for node in nodes)},
        recorders=journal.recorders,
        clock_bound_ns=0,
        named=notebook.named,
        low_bits=notebook.esn_bits,
        note=(
            "Imported from a NATS history: sequences are ESNs. A message that a stream's leader does not find is a "
            "hole; a consumer that has nothing pending is at the end. The replicas were "
            f"{'not looked at' if replicas is None else 'looked at once'}.{_left_out(left_out)}"
        ),
    )
    with placed(history):
        return header, journal.events(header)


def _left_out(answers: int) -> str:
    """What is said of answers that nobody can judge, for people."""
    return f" Answers left out, since nobody says when, or from where, they were asked: {answers}." if answers else ""
