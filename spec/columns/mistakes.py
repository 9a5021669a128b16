"""Mistakes: what this reading refuses, each with what is wrong, where, why it matters and what to try."""

from __future__ import annotations


class ColumnsMistake(ValueError):
    """A trace, or a view, that cannot be read as columns.

    Attributes:
        what: what is wrong, in one clause.
        where: the column, row or view.
        why: why no verdict can be given.
        advice: what to try.
    """

    def __init__(self, what: str, where: str, why: str, advice: str) -> None:
        self.what, self.where, self.why, self.advice = what, where, why, advice
        super().__init__(f"{where}: {what}: {why}. {advice}")

    def __reduce__(self) -> tuple[type[ColumnsMistake], tuple[str, str, str, str]]:
        """Worker processes hand their mistakes back by pickling them."""
        return type(self), (self.what, self.where, self.why, self.advice)


class MissingColumn(ColumnsMistake):
    """A column that the rules read was not given."""

    def __init__(self, column: str) -> None:
        self.column = column
        super().__init__(
            "the column is missing",
            f"column {column}",
            "the selected rules read it",
            "Read the columns that needed_columns(rules) names, or select rules that do not need it",
        )

    def __reduce__(self) -> tuple[type[MissingColumn], tuple[str]]:  # type: ignore[override]  # one argument
        return MissingColumn, (self.column,)


class NullKey(ColumnsMistake):
    """An event does not know a column by which a trace is sorted."""


class NotSorted(ColumnsMistake):
    """The events are not in the order that their family declares."""


class PositionOverflow(ColumnsMistake):
    """A part of a position does not fit into its bits."""


class NumberOverflow(ColumnsMistake):
    """What a rule works out does not fit into 64 bits."""


class MemberOutOfRange(ColumnsMistake):
    """A member's number is beyond those that the header lists."""


class MixedOrders(ColumnsMistake):
    """Rules that need a trace in different orders were to be judged in one pass."""


class MixedParts(ColumnsMistake):
    """Parts that do not belong together."""


class UnsupportedLookup(ColumnsMistake):
    """A rule looks a dimension up where there is no row."""
