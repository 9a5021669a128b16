"""Texts in which something comes in the end, or does not: bells that are wound, rung and muffled."""

from __future__ import annotations

from spec.language.protocol import (
    Bool,
    Leads,
    Protocol,
    Relation,
    Sort,
    World,
    action,
    invariant,
    leads,
    progress,
    require,
    work,
)


class Bell(Sort):
    """A bell."""


class Bells(Protocol):
    """Bells that are wound in any order, and then ring for the hour."""

    struck: Relation[Bell]
    wound: Relation[Bell]
    rung: Relation[Bell]
    told: Relation[Bell]

    @action
    def strike(self, bell: Bell) -> None:
        """The hour strikes for a bell.

        Test: the text of the test itself.
        """
        self.struck.add(bell)

    @action
    def wind(self, bell: Bell) -> None:
        """A bell is wound.

        Test: the text of the test itself.
        """
        self.wound.add(bell)

    @action
    def ring(self, bell: Bell) -> None:
        """A bell that is wound rings.

        Test: the text of the test itself.
        """
        require(self.wound(bell))
        self.rung.add(bell)

    @action
    def tell(self, hour: Bell) -> None:
        """The hour of a bell is told.

        Test: the text of the test itself.
        """
        require(self.struck(hour), self.rung(hour))
        self.told.add(hour)

    @invariant
    def rung_was_wound(self, bell: Bell) -> Bool:
        """What rang was wound.

        Test: the text of the test itself.
        """
        return self.rung(bell).implies(self.wound(bell))

    @progress
    def every_hour_is_told(self, hour: Bell) -> Leads:
        """Every hour is told.

        Test: the text of the test itself.
        """
        for bell in Bell:
            work(self.wind, bell, left=~self.wound(bell))
        for bell in Bell:
            work(self.ring, bell, left=~self.rung(bell))
        work(self.tell, hour)
        return leads(self.struck(hour), to=self.told(hour))


class RunDown(Bells):
    """Bells run down by themselves, again and again: what can be done now and then only need never be done."""

    rung: Relation[Bell]

    @action
    def run_down(self, bell: Bell) -> None:
        """A bell that has not rung runs down.

        Test: the text of the test itself.
        """
        require(self.wound(bell), ~self.rung(bell))
        self.wound.remove(bell)


class Muffled(Bells):
    """A muffled bell never rings."""

    muffled: Relation[Bell]

    @action
    def muffle(self, bell: Bell) -> None:
        """A bell is muffled.

        Test: the text of the test itself.
        """
        self.muffled.add(bell)

    @action
    def ring(self, bell: Bell) -> None:
        """A bell that is wound and not muffled rings.

        Test: the text of the test itself.
        """
        require(self.wound(bell), ~self.muffled(bell))
        self.rung.add(bell)


class Forgotten(Bells):
    """The hour is forgotten before it is told."""

    @action
    def strike(self, bell: Bell) -> None:
        """The hour strikes for a bell, and no longer for others.

        Test: the text of the test itself.
        """
        self.struck.add(bell)
        for other in Bell:
            self.struck.remove(other, when=other != bell)


def tower(text: type[Protocol] = Bells, bells: int = 2) -> World:
    """So many bells."""
    return World(text, sizes={Bell: bells})
