"""Following: the texts of delivery take the steps that a step of the machine claims to be, or one of them cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from reference_impl.kernel.pages import Pages
from reference_impl.kernel.simulator import Transition
from reference_impl.kernel.step import Note, Send
from reference_impl.log import trace_events
from reference_impl.log.context import LOCAL, LogContext
from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.lsn import epoch_of
from reference_impl.log.storage_messages import Release
from reference_impl.refinement.delivery.abstraction import (
    Answers,
    Asked,
    DeliveryStep,
    Gives,
    Hears,
    Leaves,
    Reports,
    claims_of,
    cursor_of,
)
from reference_impl.refinement.delivery.copysets import Groups, failing, moved
from reference_impl.refinement.delivery.texts import EVERYONE, SLOT, START, Held, LogDelivery, View
from spec.events import RECORD
from spec.language.protocol.states import Row, State
from spec.language.terms import Term


class Refused(NamedTuple):
    """A step of the machine that is no step of a text.

    Attributes:
        taken: the step of the machine.
        lsn: the record.
        recipients: the nodes of its copyset, in the order in which they are asked.
        state: where the text was.
        action: what the step would be.
        args: its arguments.
        guards: the guards that fail.
        heard: the nodes that went past it or have lost what they had, where these are no f-majority.
        nodeset: the nodeset of its epoch.
    """

    taken: Transition
    lsn: int
    recipients: tuple[int, ...]
    state: State
    action: str
    args: Row
    guards: tuple[Term, ...] = ()
    heard: Nodes | None = None
    nodeset: Nodes = Nodes()


class Followed(NamedTuple):
    """A step of the machine that the texts can take: where they are after it, and how often they took each action."""

    log: LogDelivery
    actions: tuple[tuple[str, int], ...] = ()


class _Objection(Exception):
    """A text cannot take a step."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused)
        self.refused = refused


def begun(context: LogContext, number: int) -> LogDelivery:
    """A log in which nothing has happened yet."""
    return LogDelivery(near=context.delivery_of(number) == LOCAL)


def follow(groups: Groups, log: LogDelivery, taken: Transition, context: LogContext) -> Followed | Refused:
    """Let the texts of a log take the steps that a step of the machine claims to be."""
    following = _Following(groups, log, taken)
    try:
        match taken.to[0]:
            case "storage":
                following.stored(taken.before.copies, taken.after.copies)
            case "reader":
                following.read(claims_of(taken, context))
            case "epochs" | "sequencer":
                following.decided()
            case _:
                return Followed(log)
    except _Objection as objection:
        return objection.refused
    return Followed(following.log, tuple(sorted(following.actions.items())))


class _Following:
    """One step of the machine.

    Attributes:
        log: where the texts are.
        actions: how often they took each action.
    """

    def __init__(self, groups: Groups, log: LogDelivery, taken: Transition) -> None:
        self.log = log
        self.actions: Counter[str] = Counter()
        self._groups, self._taken = groups, taken

    # ---------------------------------------------------------------------------------- what nodes hold

    def stored(self, before: Pages[Copy], after: Pages[Copy]) -> None:
        """Copies come, are lost, or name another copyset."""
        if before is after:
            return
        node = self._taken.to[2]
        for lsn in before.differing(after):
            old, new = _names(before.get(lsn)), _names(after.get(lsn))
            if old == new:
                continue
            if old is not None and node in old:
                self._now_held(lsn, old, node, "lose")
            if new is not None and node in new:
                self._now_held(lsn, new, node, "store" if lsn > self.log.released else "store_late")

    def _now_held(self, lsn: int, copyset: Nodes, node: int, action: str) -> None:
        """A node has a copy, may have one, or may still have one; whoever reads the record is concerned."""
        all_held = self.log.held.get(lsn) or ()
        held = next((one for one in all_held if one.copyset == copyset), Held(copyset))
        if action == "lose" and node not in held.copy:
            return
        place = self._groups.group(copyset, self.log.near).place(node)
        for reader, view in self.log.readers:
            if any(other == copyset for other, _ in view.open.get(lsn) or ()):
                self._view(reader, self._step(view, lsn, copyset, action, (place, SLOT)))
        one = frozenset({node})
        copy = held.copy | one if action == "store" else held.copy - one if action == "lose" else held.copy
        loose = held.loose if action == "store" else held.loose | one
        rest = [other for other in all_held if other.copyset != copyset]
        known = tuple(sorted((*rest, Held(copyset, copy, loose)), key=lambda one: sorted(one.copyset)))
        self.log = self.log._replace(held=self.log.held.with_(lsn, known))

    def decided(self) -> None:
        """Epochs are given out, and LSNs released."""
        for effect in self._taken.effects:
            match effect:
                case Send(_, Release(lsn=lsn)) if lsn > self.log.released:
                    self._released(lsn)
                case Note({"kind": trace_events.EPOCH, "epoch": epoch, "nodes": nodes}):
                    known = self.log.nodesets + (Nodes(),) * (epoch - len(self.log.nodesets))
                    if not known[epoch - 1]:
                        self.log = self.log._replace(nodesets=(*known[: epoch - 1], nodes, *known[epoch:]))
                case _:
                    pass

    def _released(self, upto: int) -> None:
        for reader, view in self.log.readers:
            for lsn, texts in view.open.between(self.log.released + 1, upto):
                for copyset, _ in texts:
                    view = self._step(view, lsn, copyset, "release", (SLOT,))  # noqa: PLW2901 - one after the other
            self._view(reader, view)
        self.log = self.log._replace(released=upto)

    # ------------------------------------------------------------------------------------ what readers do

    def read(self, claims: Iterator[DeliveryStep]) -> None:
        """A reader asks, hears and gives."""
        reader = self._taken.to[2]
        for claim in claims:
            view = self.log.view(reader)
            match claim:
                case Asked():
                    view = self._asked(view, claim)
                case Answers(node):
                    view = self._answers(view, node)
                case Leaves(node):
                    view = self._for_all(view, "fail", node)
                    view = view._replace(down=view.down | {node}, current=view.current - {node})
                case Hears():
                    view = self._hears(view, claim)
                case Gives(lsn):
                    view = self._gives(view, lsn)
                case Reports():
                    view = self._reports(view, claim)
            self._view(reader, view)
        self._view(reader, self.log.view(reader).since(cursor_of(self._taken)))

    def _asked(self, view: View, asked: Asked) -> View:
        """Another list or mode, or the same ones in a new version, are a rewind; else START is repeated."""
        version, everyone, listed = asked
        if (version, everyone, listed) == (view.version, view.everyone, view.listed):
            return view
        changed = listed ^ view.listed
        for node in sorted(changed):
            view = self._for_all(view, "list_as_down" if node in listed else "take_off_the_list", node)
        if everyone != view.everyone or not changed:
            view = self._for_all(view, "ask_all" if everyone else "ask_one")
        return view._replace(version=version, everyone=everyone, listed=listed, current=Nodes(), heard=())

    def _answers(self, view: View, node: int) -> View:
        if node in view.down:
            view = self._for_all(view, "come_back", node)
        self.actions["start_reading"] += 1
        for lsn, texts in view.open.items():
            for copyset, _ in texts:
                if node in copyset:
                    view = self._starts(view, lsn, copyset, node)
        return view._replace(down=view.down - {node}, current=view.current | {node})

    def _hears(self, view: View, told: Hears) -> View:
        """A node sends what it has, and goes past what it has not or is not to send."""
        node, first, upto, copies = told
        for lsn, all_held in self.log.held.between(max(view.cursor, first), upto):
            sent = _names(copies.get(lsn))
            for held in all_held:
                if node in held.copyset and (lsn not in copies or held.copyset == sent):
                    view = self._opened(view, lsn, held.copyset)
                    place = self._groups.group(held.copyset, self.log.near).place(node)
                    view = self._step(view, lsn, held.copyset, "send" if sent else "go_past", (place, SLOT))
        return view.with_heard(node, max(upto, dict(view.heard).get(node, 0)))

    def _gives(self, view: View, lsn: int) -> View:
        """Of the texts of a record, those in which it was sent deliver it; what was given before is not followed."""
        if lsn < view.cursor:
            return view
        for held in self.log.held.get(lsn) or ():
            view = self._opened(view, lsn, held.copyset)
        texts = view.open.get(lsn) or ()
        for copyset, _ in [one for one in texts if one[1]["sent"]] or texts:
            view = self._step(view, lsn, copyset, "deliver", (SLOT,))
        return view

    def _reports(self, view: View, loss: Reports) -> View:
        """Who has lost what he had need not be heard; the others must be an f-majority."""
        for lsn, all_held in self.log.held.between(loss.first, loss.upto):
            heard = view.gone_past(lsn) | loss.lost
            for held in all_held:
                view = self._opened(view, lsn, held.copyset)
                group = self._groups.group(held.copyset, self.log.near)
                for node in sorted(loss.lost & held.copyset - view.gone_past(lsn)):
                    view = self._step(view, lsn, held.copyset, "do_without", (group.place(node), SLOT))
                view = self._step(view, lsn, held.copyset, "report", (SLOT, 0), heard)
        return view

    # ------------------------------------------------------------------------------------- single texts

    def _view(self, reader: int, view: View) -> None:
        if view is not self.log.view(reader):
            self.log = self.log.with_views({reader: view})

    def _for_all(self, view: View, action: str, node: int | None = None) -> View:
        """A step of all open texts; of those of a node, where the step is about one."""
        self.actions[action] += 1
        for lsn, texts in view.open.items():
            for copyset, _ in texts:
                if node is None:
                    view = self._step(view, lsn, copyset, action, (), count=0)
                elif node in copyset:
                    place = self._groups.group(copyset, self.log.near).place(node)
                    view = self._step(view, lsn, copyset, action, (place,), count=0)
        return view

    def _starts(self, view: View, lsn: int, copyset: Nodes, node: int) -> View:
        """A node gets the newest START; it may take itself for an extra of this record."""
        place = self._groups.group(copyset, self.log.near).place(node)
        state = dict(view.open.get(lsn) or ())[copyset]
        is_news = not view.everyone and (place,) not in state["current"] | state["along"]
        if is_news and self._groups.sends_along(copyset, self.log.near, node, view.listed):
            view = self._step(view, lsn, copyset, "send_along", (place,))
        return self._step(view, lsn, copyset, "start_reading", (place,), count=0)

    def _opened(self, view: View, lsn: int, copyset: Nodes) -> View:
        """The view with a text of a record: the steps that led there are taken now."""
        if any(other == copyset for other, _ in view.open.get(lsn) or ()):
            return view
        group = self._groups.group(copyset, self.log.near)
        held = next(one for one in self.log.held.get(lsn) or () if one.copyset == copyset)
        rows = {name: list[Row]() for name in START}
        rows["copy"] = [(place, SLOT) for (place,) in group.rows(held.copy)]
        rows["loose"] = [(place, SLOT) for (place,) in group.rows(held.loose)]
        rows["listed"], rows["down"] = group.rows(view.listed), group.rows(view.down)
        rows["mode"] = [(EVERYONE,)] if view.everyone else []
        rows["released"] = [(SLOT,)] if lsn <= self.log.released else []
        view = view._replace(open=view.open.with_(lsn, (*(view.open.get(lsn) or ()), (copyset, State.of(rows)))))
        for node in sorted(view.current & copyset):
            view = self._starts(view, lsn, copyset, node)
        for (place,) in group.rows(view.gone_past(lsn) - held.copy):
            action = "go_past" if group.recipients[place] in view.current else "do_without"
            view = self._step(view, lsn, copyset, action, (place, SLOT), count=0)
        return view

    def _step(
        self,
        view: View,
        lsn: int,
        copyset: Nodes,
        action: str,
        args: Row,
        heard: Nodes | None = None,
        *,
        count: int = 1,
    ) -> View:
        """Let one text take one step."""
        texts = view.open.get(lsn) or ()
        number = next(place for place, (other, _) in enumerate(texts) if other == copyset)
        state = texts[number][1]
        group = self._groups.group(copyset, self.log.near)
        nodes = group.rows(copyset if heard is None else heard)
        places = frozenset(place for (place,) in nodes)
        known = self.log.nodesets[epoch_of(lsn) - 1 : epoch_of(lsn)]
        nodeset = known[0] if known else Nodes()
        if heard is not None and not self._groups.is_f_majority(heard & nodeset, nodeset):
            raise _Objection(Refused(self._taken, lsn, group.recipients, state, action, args, (), heard, nodeset))
        after = moved(group, places, state, action, args)
        if after is None:
            guards = failing(group, places, state, action, args)
            raise _Objection(Refused(self._taken, lsn, group.recipients, state, action, args, guards))
        self.actions[action] += count
        changed = (*texts[:number], (copyset, after), *texts[number + 1 :])
        return view._replace(open=view.open.with_(lsn, changed))


def _names(copy: Copy | None) -> Nodes | None:
    """The copyset that a readable copy of a record names; every node sends what is no record."""
    return copy.copyset if copy is not None and copy.becomes == RECORD and not copy.damaged else None
