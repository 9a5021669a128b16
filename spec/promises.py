"""Promises: what a system says of itself in a trace's header; a rule may apply only to systems that promise it.

A rule without a promise applies to every log. What a system does not promise is not held against it: such rules are
listed as not in force. A weak setting does not silence the rules on what clients see; reports then say beside the
violation what the setting promised.
"""

from __future__ import annotations

from typing import Final

PROMISES: Final[dict[str, str]] = {
    "copies": "an acknowledged record has the copies that its acknowledgement promises (number: how many)",
    "sequencers": "each epoch of a log has one sequencer, which alone gives out its LSNs",
    "seals": "a node that obeys a seal stores no appends of the sealed epochs",
    "recovery": "the tail of an epoch is repaired before later epochs can be read",
    "release": "records are read only after they are released",
    "gap_reports": "a reader is told of every LSN that it is not given",
    "losses_as_written": "losses are reported by the formula that LogDevice's documents give, to the letter",
    "trims_as_written": "a node sends nothing up to its trim point, as LogDevice's documents ask, to the letter",
    "placement": "copies are placed by the epoch's nodeset and replication property",
    "whole_blocks": "a block of appends ends only when it has as many as it may, or when a node of it is to be avoided",
    "rebuilding": "what lay on a node that is lost or leaves is re-replicated before the node counts as empty",
    "append_once": "an append is stored once, however often the client retries it",
    "client_order": "a client's later append gets the later LSN",
    "real_time_order": "an append that begins after another was acknowledged gets the later LSN, whoever they are of",
}
"""Every promise that a header may make, and what it means."""

BESIDES: Final[dict[str, str]] = {
    "copies": "no acknowledgement may count on fewer than its number",
    "append_once": "reports name it beside violations of the rules on what clients see",
    "real_time_order": "`client.append.in_order` asks of the appends of all clients what it asks of each client's own",
}
"""What a promise changes besides the rules that it brings into force."""

ANNOTATIONS: Final[dict[str, str]] = {
    "copies": "copies promised by an acknowledgement",
    "append_once": "an append is stored once",
}
"""Promises that settings weaken; reports name them beside violations of the rules on what clients see."""
