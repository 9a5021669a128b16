"""A text in which something is wrong with everything: an action that cannot happen, claims that say nothing."""

from __future__ import annotations

from spec.language.protocol import Bool, Protocol, Relation, Sort, action, goal, invariant, require


class Lamp(Sort):
    """A lamp."""


class Lamps(Protocol):
    """Lamps that are lit and never both."""

    lit: Relation[Lamp]
    dark: Relation[Lamp]

    @action
    def light(self, lamp: Lamp) -> None:
        """A lamp is lit.

        Test: the text of the test itself.
        """
        self.lit.add(lamp)

    @action
    def break_logic(self, lamp: Lamp) -> None:
        """What contradicts the invariants.

        Test: the text of the test itself.
        """
        require(self.lit(lamp), self.dark(lamp))
        self.dark.remove(lamp)

    @invariant
    def none_is_dark(self, lamp: Lamp) -> Bool:
        """No lamp is dark.

        Test: the text of the test itself.
        """
        return ~self.dark(lamp)

    @invariant
    def light_is_light(self, lamp: Lamp) -> Bool:
        """A lit lamp is lit.

        Test: the text of the test itself.
        """
        return self.lit(lamp).implies(self.lit(lamp))

    @goal
    def dark_is_lit(self, lamp: Lamp) -> Bool:
        """A dark lamp is lit.

        Test: the text of the test itself.
        """
        return self.dark(lamp).implies(self.lit(lamp))


class Gloom(Lamps):
    """Lamps of which one may go dark, so that not everything is true."""

    @action
    def darken(self, lamp: Lamp) -> None:
        """A lamp goes dark.

        Test: the text of the test itself.
        """
        self.dark.add(lamp)
