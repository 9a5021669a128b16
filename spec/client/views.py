"""What the rules on clients speak about besides LSNs: payloads, appends, and acknowledgements to one client."""

from __future__ import annotations

from spec.events import Ack, Answer, Deliver, Invoke, Refused, Seen
from spec.language.declare import Dimension, View, along, any_of, count_of, max_of, min_of
from spec.language.handles import known


class UnnamedPayloads(Dimension, by=(Invoke.log,)):
    """Of each log an append of which nobody recorded the payload."""

    first = min_of(Invoke.seq, where=~known(Invoke.digest))


class Payload(View, one_per=(Seen.log, Seen.digest)):
    """What clients saw of one payload of one log, which may be that of several appends."""

    invoked = any_of(Invoke)
    appends, refused = count_of(Invoke), count_of(Refused, where=Refused.repeated < 1)
    delivered = any_of(Deliver)
    may_be_unnamed = known(UnnamedPayloads.at(UnnamedPayloads.first, Seen.log))


class Appended(View, one_per=(Answer.log, Answer.invoker, Answer.invoked)):
    """What was said of one append: it is named by the recorder that saw it begin, and by that recorder's order."""

    acked, refused = any_of(Ack), any_of(Refused)
    never_began = any_of(Ack, where=known(Ack.begun_before) & (Ack.begun_before < 1))
    lsn_least, lsn_most = min_of(Ack.lsn), max_of(Ack.lsn)


class Acknowledgement(View, each=(Ack.writer, Ack.log, Ack.lsn, Ack.seq)):
    """One acknowledgement to one client, beside the one with the LSN below it."""

    to_client = along(Ack.writer, Ack.log)

    invoker, invoked = Ack.invoker, Ack.invoked
    invoker_before, invoked_before = to_client.previous(Ack.invoker), to_client.previous(Ack.invoked)
