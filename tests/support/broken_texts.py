"""Wrong forms of protocol texts: a run of each that breaks a goal, and what no trace of such a run can show."""

from __future__ import annotations

from typing import Any, Final, NamedTuple


class Given(NamedTuple):
    """A run of a wrong form that breaks a goal, or is about to."""

    text: str
    form: str
    run: str
    bounds: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it

    def __str__(self) -> str:
        return f"{self.text}/{self.form}"


_TWO: Final = {"slots": 2, "recoveries": 2}
_THREE: Final = {"slots": 3, "recoveries": 3}
_ON_TWO: Final = "store 0 0, store 1 0, acknowledge 0 0, release 0, deny 2 0"
_CLEAN: Final = (
    "assign 0 2, store 0 0 0, store 1 0 0, acknowledge 0, seal 0 1, seal 1 1, plan 1 0 1, "
    "store 0 1 0, store 1 1 0, store 0 1 1, store 1 1 1, declare_clean 1"
)
_REVIVED: Final = (
    "assign 0 2, assign 1 2, store 1 0 1, seal 0 1, seal 2 1, plan 1 1 0, store 0 1 0, store 2 1 0, "
    "seal 0 2, seal 1 2, stop_writes 0, plan 2 0 2, store 1 2 1"
)
_ON_FIRST_TWO: Final = "store 0 0, store 1 0, start_reading 1, start_reading 2"
_GAP: Final = "release 0, go_past 1 0, go_past 2 0, report 0 2"

GIVEN: Final = (
    Given("appending", "no_sync_leader", "begin_wave 0 0 0 0, store 1 0, store 2 0, acknowledge 0, release 0"),
    Given(
        "recovery",
        "lowest_wins",
        "seal 0 1, seal 1 1, assign 0 2, store 2 0 0, plan 1 0 0, seal 2 2, store 1 1 0, store 0 1 0, seal 0 2, "
        "plan 2 1 1",
        _TWO,
    ),
    Given(
        "recovery",
        "bridge_at_first_gap",
        "assign 0 2, seal 2 1, assign 1 2, store 1 0 1, store 0 0 1, seal 1 1, plan 1 2 0, acknowledge 1",
        _TWO,
    ),
    Given("recovery", "one_copy_is_enough", "seal 2 2, seal 0 2, assign 0 2, plan 2 1 0, store 1 0 0", _TWO),
    Given(
        "recovery",
        "seal_stops_only_the_sequencer",
        "assign 0 2, assign 1 2, seal 1 2, seal 1 1, store 0 0 1, seal 2 2, seal 0 1, plan 2 2 0, plan 1 0 2, "
        "store 1 1 0, store 0 1 0",
        _TWO,
    ),
    Given(
        "recovery",
        "seals_are_forgotten",
        "seal 2 2, seal 0 2, plan 2 1 0, assign 0 2, crash 0, store 1 0 0, store 0 0 0",
        _TWO,
    ),
    Given("reads", "no_rewind_on_empty", f"{_ON_TWO}, rebuild 0 0 1, mark_empty 1, learn 1 2"),
    Given(
        "reads",
        "no_rewind_on_loss",
        f"{_ON_TWO}, rebuild 0 0 1, lose 1, learn 1 1, lose 0, learn 0 1, report_by_all 0",
    ),
    Given(
        "reads",
        "only_authoritative_must_answer",
        f"{_ON_TWO}, go_down 0, go_down 1, learn 0 0, learn 1 0, report_by_all 0",
    ),
    Given(
        "reads",
        "empty_may_return",
        "mark_empty 0, learn 0 2, rejoin 0, store 1 0, store 0 0, mark_empty 2, learn 2 2, acknowledge 0 0",
    ),
    Given("reads", "rack_is_heard_by_one_answer", f"{_ON_TWO}, report_by_majority 0 0", {"nodes": 4, "racks": 2}),
    Given("epoch", "wiped_nodes_answer", f"{_CLEAN}, purge 0, lose 0, come_back 0, deny 0 0, report_by_majority 0 0"),
    Given("epoch", "clean_before_replicated", "seal 1 1, plan 1 1 0, declare_clean 1"),
    Given(
        "epoch",
        "unpurged_nodes_serve",
        "assign_in_stream 0 2, seal 1 1, plan 1 1 0, store 0 0 0, store 0 1 0, store 1 1 0, declare_clean 1, "
        "deliver 0 0 0 2",
    ),
    Given(
        "epoch",
        "purged_nodes_store",
        "seal 0 1, plan 1 0 0, assign 0 2, store 1 1 0, store 0 1 0, declare_clean 1, purge 1, store 1 0 0",
    ),
    Given("epoch", "purge_takes_all", f"{_CLEAN}, purge 0, purge 1, deny 0 0, deny 1 0, report 0"),
    Given(
        "epoch",
        "any_copy_is_rebuilt",
        "assign_in_stream 0 2, store 1 0 0, seal 0 1, plan 1 0 0, store 1 1 0, store 0 1 0, declare_clean 1, purge 0, "
        "rebuild 0 1 0",
    ),
    Given(
        "epoch",
        "what_is_relied_on_is_dropped",
        "assign 0 2, store 0 0 0, store 1 0 0, acknowledge 0, store 2 0 0, lose 0, rebuild 0 1 2, place 0 2, "
        "mark_empty 0, drop 2 0 0, seal 0 1, seal 2 1, plan 1 1 0",
        {"nodes": 3},
    ),
    Given("epoch", "empty_before_rebuilt", f"{_CLEAN}, lose 0, mark_empty 0, learn 0 2, report_by_majority 0 0"),
    Given(
        "epoch",
        "no_rewind_on_empty",
        "assign 0 2, store 0 0 0, acknowledge 0, seal 0 1, seal 1 1, plan 1 0 1, store 0 1 0, store 0 1 1, "
        "declare_clean 1, purge 1, deny 1 0, rebuild 0 0 1, rebuild 1 0 1, place 0 1, place 1 1, mark_empty 0, "
        "learn 0 2, report_by_majority 0 0",
        {"replication": 1},
    ),
    Given(
        "epoch",
        "down_nodes_need_not_answer",
        "seal 0 1, plan 1 0 0, store 0 1 0, go_down 0, learn 0 0, store 1 1 0, declare_clean 1, go_down 1, learn 1 0, "
        "report 0",
    ),
    Given(
        "streams",
        "acked_out_of_order",
        "assign 0 2, assign_in_stream 1 2, store 0 0 1, store 1 0 1, seal 0 1, acknowledge 1, plan 1 0 0",
    ),
    Given("streams", "streams_are_kept", "assign 0 2, assign_in_stream 1 2, store 0 0 1, seal 0 1, plan 1 0 2"),
    Given(
        "streams",
        "older_copies_count",
        "assign 0 2, assign_in_stream 1 2, store 0 0 1, store 1 0 1, assign 2 2, store 1 0 2, store 1 0 0, "
        "store 0 0 2, seal 0 1, plan 1 0 3, seal 1 2, plan 2 1 3, store 0 2 0, store 1 2 0, store 0 2 3, store 1 2 3, "
        "store 0 1 1, seal 0 3, plan 3 0 3",
        _THREE,
    ),
    Given(
        "streams",
        "only_missing_breaks",
        "assign 0 2, assign 1 2, assign_in_stream 2 2, store 0 0 1, store 1 0 1, store 1 0 2, seal 0 1, plan 1 0 2, "
        "store 1 1 0, seal 1 2, plan 2 1 3",
        _THREE,
    ),
    Given("mutation", "bridges_end_nothing", _REVIVED, _TWO),
    Given("mutation", "filtered_before_bridges", _REVIVED, _TWO),
    Given("delivery", "gaps_in_single_copy_mode", f"{_ON_FIRST_TWO}, {_GAP}"),
    Given("delivery", "no_rewind_to_all_send_all", f"{_ON_FIRST_TWO}, ask_all, {_GAP}"),
    Given("delivery", "answers_of_old_starts_count", f"{_ON_FIRST_TWO}, ask_all, {_GAP}"),
)
"""A run of every wrong form that a trace can show."""

_BRIDGE: Final = "nothing but a bridge is at stake: whoever is told of a loss there has lost no record"
_WAITS: Final = "what waits for ever leaves no event"

NOT_SEEN: Final = {
    ("appending", "no_wave_once_acknowledged"): _WAITS,
    ("recovery", "highest_record_is_the_bridge"): "the form is the right text with a goal that is wrong",
    ("delivery", "listed_nodes_are_silent"): "a node that does not send leaves no event",
    ("delivery", "list_is_ignored"): "a node that does not send leaves no event",
    ("appending", "finish without guard 0"): _WAITS,
    ("appending", "finish without guard 1"): "no event says that an appender is done",
    ("recovery", "plan without guard 4"): "what was above the first bridge is holes: nobody is given anything else",
    ("delivery", "store without guard 0"): _WAITS,
    ("delivery", "go_past without guard 2"): _WAITS,
    ("delivery", "send without guard 3"): "the order into which a reader shuffles copysets is not recorded",
    ("streams", "plan without guard 4"): "as in recovery, whose text it is",
}
"""Wrong forms none of whose runs a trace shows, of those that were found; and why."""

SOMETIMES_SEEN: Final = {
    ("epoch", "majority_never_denies"): _BRIDGE,
    ("epoch", "no_copy_is_passed_over"): _BRIDGE,
    ("epoch", "purged_has_the_outcome"): "what a node has besides the outcome is sent to nobody",
    ("delivery", "failover_is_needed"): "readers turn to all nodes before they must, by which nothing is lost",
    ("mutation", "kept_is_chosen"): "a hole became a bridge before anybody was shown either",
}
"""Goals that some runs break without a sign, though others of the same form show it."""
