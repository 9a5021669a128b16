"""What the rules on clients speak about: payloads, and acknowledgements in the order of their LSNs."""

from __future__ import annotations

from spec.events import Ack, Deliver, Indefinite, Invoke, Refused, Seen
from spec.language.declare import View, along, any_of, max_of, min_of


class Payload(View, one_per=(Seen.log, Seen.digest)):
    """What clients saw of one payload of one log."""

    invoked = any_of(Invoke)
    refused = any_of(Refused)
    indefinite = any_of(Indefinite)
    acked = any_of(Ack)
    delivered = any_of(Deliver)
    delivered_least, delivered_most = min_of(Deliver.lsn), max_of(Deliver.lsn)


class Acknowledgement(View, each=(Ack.writer, Ack.log, Ack.lsn, Ack.seq)):
    """One acknowledgement to one client, beside the one with the LSN below it."""

    to_client = along(Ack.writer, Ack.log)

    lsn, seq = Ack.lsn, Ack.seq
    invoked_before = to_client.previous(Ack.invoked)
    lsn_before = to_client.previous(Ack.lsn)
