"""A step that is no step of the text is shown with both states, in words.

The design asks for the machine's step, the text's state, the action and the guard that fails.
"""

from __future__ import annotations

from reference_impl.log.copies import Copy
from reference_impl.log.lsn import lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.plan import SimulationPlan
from reference_impl.refinement import Bounds, Broken, exhaust, refine, without_loss
from reference_impl.refinement.contents import By
from reference_impl.refinement.texts import EpochText
from reference_impl.refinement.wording import WIDTH, changes, element, entity, plain
from spec.events import BRIDGE, RECORD
from spec.protocols.parts import Status
from spec.protocols.sorts import Copyset, FMajority, Node, Slot, Value, Writer


def found(mutant: str) -> Broken:
    """How a mutant is caught within small bounds."""
    broken = exhaust(Bounds(mutant=mutant)).broken
    assert broken is not None
    return broken


def test_a_store_below_a_seal_is_told_from_beginning_to_end() -> None:
    """What led there, the machine's step and what it changed, the text's state, and the guard."""
    lines = found("store_below_seal").text().splitlines()
    at = lines.index("Step 3 of the machine is no step of the text Epoch.")
    assert at == 2
    assert lines[0].startswith("  the storage of log 0 on node 0 was given Seal(recovery=2")
    assert lines[1].startswith("  the sequencer of log 0 on node 0 was given AppendRequest(client=0")
    assert lines[at + 1] == "The machine: the storage of log 0 on node 0 was given"
    assert lines[at + 2].startswith("  Store(lsn=epoch 1 ESN 1, digest=")
    assert lines[at + 3].startswith("  copies[epoch 1 ESN 1]: nothing -> Copy(becomes=record, ")
    assert lines[at + 4 :] == [
        "The text of epoch 1 of log 0, as far as it is about this step:",
        "  the sequencer proposed its payload at ESN 1",
        "  node 0 is sealed by the recovery by epoch 2",
        "The step would be store with node = node 0, writer = the sequencer, slot = ESN 1:",
        "  A node that is up and has not purged stores what a writer proposed, unless a later seal forbids it.",
        "  fails: not (node 0 obeys a seal later than the sequencer)",
    ]


def test_a_changed_payload_is_told_by_what_both_have() -> None:
    """No guard forbids the step: what is stored is not what was proposed."""
    text = found("payload_changed_on_one_copy").text()
    assert "fails: the machine has another payload as the sequencer's ESN 1, the text has its payload" in text


def test_too_few_nodes_are_told_with_the_nodeset() -> None:
    broken = exhaust(Bounds(nodes=4, mutant="digest_of_too_few_nodes", releases=False)).broken
    assert broken is not None
    assert "heard = nodes 0, 1, end = ESN 1:" in broken.text()
    assert "fails: nodes 0, 1 are no f-majority of the nodeset 0, 1, 2, 3" in broken.text()


def test_a_simulated_step_is_told_by_its_number_and_its_own_slots() -> None:
    """An epoch may be long: only what the step is about is told, and no line is endless."""
    broken = refine(without_loss(SimulationPlan(mutant="bridge_over_last_record"))).broken
    assert broken is not None
    lines = broken.text().splitlines()
    assert lines[0] == f"Step {broken.number} of the machine is no step of the text Epoch."
    assert max(map(len, lines)) <= WIDTH + 2
    assert not any("ESN 1" in line.split() for line in lines if "stores" in line)


def test_a_text_in_which_nothing_has_happened_says_so() -> None:
    broken = found("esns_swapped")
    assert "  nothing has happened" in broken.text()


def test_elements_are_called_by_what_they_stand_for() -> None:
    heard = frozenset({2, 0})
    text = EpochText(writers=(By(7, 1), By(7, 2)))
    writers = ["the sequencer", "the recovery by epoch 7", "the recovery by epoch 7 in round 2"]
    assert element(Node, 3, text) == "node 3"
    assert [element(Writer, number, text) for number in range(3)] == writers
    assert element(Slot, 0, text) == "ESN 1"
    assert element(Status, 1, text) == "underreplicated"
    assert [element(Value, number, text) for number in range(4)] == ["hole", "bridge", "its payload", "another payload"]
    assert element(FMajority, 0, text, heard) == "nodes 0, 2"
    assert element(Copyset, 1, text) == "copyset 1"
    assert entity(("epochs", 4, 0)) == "the epoch store of log 4"
    assert entity(("reader", 4, 1)) == "reader 1 of log 4"


def test_changes_are_told_by_key() -> None:
    """Of what a node holds, only the copies that came or went."""
    copy = Copy(RECORD, 7, 0, 1, frozenset({1, 0}))
    before = NodeLog(0, 1, known_good={1: 2})
    before = before._replace(copies=before.copies.with_(lsn_of(1, 1), copy))
    bridge = copy._replace(becomes=BRIDGE)
    after = before._replace(copies=before.copies.with_(lsn_of(1, 2), bridge), released=lsn_of(1, 1), known_good={})
    assert list(changes(before, after)) == [
        "released: epoch 0 ESN 0 -> epoch 1 ESN 1",
        "known_good[1]: 2 -> nothing",
        (
            "copies[epoch 1 ESN 2]: nothing -> "
            "Copy(becomes=bridge, digest=7, recovery=0, wave=1, copyset={0, 1}, damaged=False, in_stream=False)"
        ),
    ]
    assert plain({1: (2, frozenset({3}))}) == "{1: (2, {3})}"
