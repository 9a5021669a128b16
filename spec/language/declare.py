"""Views: what an author declares about the rows that rules speak of.

A view has a key (one row for each value of the key, or for each event) and columns from a closed set: aggregates over
the events of one row, neighbours along the key's order, and lookups in a dimension. Each has a merge, so a sorted
trace can be cut anywhere; the reference evaluator, the columns and the SQL plan are derived.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, TypeVar

from spec.language.events import AnyEvent, kinds
from spec.language.handles import Bool, Handle, Int, Set, alike, as_term, handle, one_of
from spec.language.orders import Order
from spec.language.refusals import AuthorMistake, refuse_name
from spec.language.shape import refuse_scattered
from spec.language.terms import Agg, Along, Col, Field, Lit, Lookup, Op, Term, leaves, rebuild
from spec.language.vocabulary import sort_of
from spec.language.well_formed import refuse_mixed_key, refuse_strange

H = TypeVar("H", bound=Handle)


def _about(value: Handle) -> tuple[type, Term]:
    """The one event class that a term speaks of, and the term."""
    _refuse_plain(value)
    events = list(dict.fromkeys(field.event for field in leaves(value.term, Field)))
    if len(events) != 1:
        names = ", ".join(event.__name__ for event in events) or "no event"
        raise AuthorMistake(f"an aggregate of {names}", "Give one term for each class of event")
    return events[0], value.term


def _refuse_plain(value: object) -> None:
    """Make sure that a value is one of events or rows.

    Raises:
        AuthorMistake: it is a plain one.
    """
    if not isinstance(value, Handle):
        raise AuthorMistake(f"{value!r} stands where a field or a column is needed", "Write Event.field")


def _aggregate(fn: str, values: tuple[Handle, ...], where: Bool | None) -> Agg:
    if where is not None and len(values) != 1:
        raise AuthorMistake("where= with several classes of event", "Aggregate one class, or drop where=")
    for value in values:
        _refuse_plain(value)
        if (value.sort == "set") is not (fn in ("union", "common")):
            raise AuthorMistake(
                f"{fn} of a {value.sort}", "Sets have union_of and common_of, numbers min_of and max_of"
            )
    return Agg(fn, tuple(map(_about, values)), None if where is None else as_term(where, "bool"))


def any_of(event: type[AnyEvent], where: Bool | None = None) -> Bool:
    """There is such an event in the row."""
    return Bool(Agg("any", ((event, Lit(True)),), None if where is None else as_term(where, "bool")))


def count_of(event: type[AnyEvent], where: Bool | None = None) -> Int:
    """How many such events the row has."""
    return Int(Agg("count", ((event, Lit(1)),), None if where is None else as_term(where, "bool")))


def min_of(*values: Int, where: Bool | None = None) -> Int:
    """The least of the values; NULL where there is none."""
    return Int(_aggregate("min", values, where))


def max_of(*values: Int, where: Bool | None = None) -> Int:
    """The greatest of the values; NULL where there is none."""
    return Int(_aggregate("max", values, where))


def only_of(value: H, where: Bool | None = None) -> H:
    """The value that all such events of the row carry; NULL where there is none, or where they differ."""
    least, most = ("common", "union") if value.sort == "set" else ("min", "max")
    low, high = _aggregate(least, (value,), where), _aggregate(most, (value,), where)
    same = Op("subset", (high, low)) if value.sort == "set" else Op("=", (low, high))
    return type(value)(Op("when", (low, same)))


def set_of(*values: Int, where: Bool | None = None) -> Set:
    """All the members that the events name."""
    return Set(_aggregate("union", tuple(one_of(value) for value in values), where))


def union_of(*values: Set, where: Bool | None = None) -> Set:
    """All members of all the sets; nobody where there is no such event."""
    return Set(_aggregate("union", values, where))


def common_of(*values: Set, where: Bool | None = None) -> Set:
    """The members that all the sets have; NULL where there is no such event."""
    return Set(_aggregate("common", values, where))


def all_same(*values: Int, where: Bool | None = None) -> Bool:
    """No two of the values differ; NULL where there is none."""
    return alike(min_of(*values, where=where), max_of(*values, where=where))


class along:  # noqa: N801 - reads as a word of the language
    """The rows of one partition in the order of the view's key, seen from one row of it."""

    def __init__(self, *partition: Int) -> None:
        self.partition = tuple(as_term(part, "int") for part in partition)

    def _look(self, fn: str, value: H) -> H:
        _refuse_plain(value)
        if fn in ("highest", "lowest"):
            as_term(value, "int")
        return type(value)(Along(fn, self.partition, value.term))

    def previous(self, value: H) -> H:
        """The value of the row just before; NULL for the first row."""
        return self._look("previous", value)

    def latest(self, value: H) -> H:
        """The last known value at or before this row."""
        return self._look("latest", value)

    def next(self, value: H) -> H:
        """The first known value at or after this row."""
        return self._look("next", value)

    def highest(self, value: Int) -> Int:
        """The greatest known value at or before this row."""
        return self._look("highest", value)

    def lowest(self, value: Int) -> Int:
        """The least known value at or after this row."""
        return self._look("lowest", value)


class Rowset:
    """What views and dimensions share: rows over a trace, named by a key, with aggregates.

    Attributes:
        events: the class whose events make the rows.
        sorted_by: how a trace must be sorted for its rows to be judged piece by piece.
        key: the columns that name a row; rows stand in their order.
        grouped: one row for each value of the key; otherwise one for each event.
        base: columns taken from events.
        near: columns taken from neighbours.
        derived: terms over both.
    """

    events: ClassVar[type[AnyEvent]]
    sorted_by: ClassVar[Order]
    key: ClassVar[tuple[str, ...]]
    grouped: ClassVar[bool]
    base: ClassVar[dict[str, Term]]
    near: ClassVar[dict[str, Along]]
    derived: ClassVar[dict[str, Term]]

    @classmethod
    def _read(cls, key: tuple[Int, ...], *, grouped: bool, order: Order | None = None) -> None:
        """Read the class body: every handle in it becomes a column."""
        given: object = key
        parts: tuple[object, ...] = given if isinstance(given, tuple) else ()
        fields = [part.term for part in parts if isinstance(part, Int) and isinstance(part.term, Field)]
        if not fields or len(fields) < len(parts):
            raise AuthorMistake(f"{cls.__name__} needs a key of event fields", "one_per=(Event.key, Event.number)")
        refuse_mixed_key(fields, cls.__name__)
        if not (cls.__doc__ or "").strip():
            raise AuthorMistake(f"{cls.__name__} has no docstring", "Say in one sentence what one row is")
        own = [(name, value) for name, value in vars(cls).items() if isinstance(value, Handle)]
        for name, _ in own:
            refuse_name(name, f"a column of {cls.__name__}", WORDS)
        first: Any = fields[0]
        cls.events, cls.sorted_by, cls.grouped = first.event, order or first.event.sorted_by, grouped
        cls.base, cls.near, cls.derived = {field.name: field for field in fields}, {}, {}
        cls.key = tuple(cls.base)
        columns = {field.column for field in fields}
        if order is not None and not {order.partition, order.place} <= columns:
            raise AuthorMistake(
                f"{cls.__name__} follows {order}, and its key does not say where a row stands in it",
                f"Put {order.partition} and {order.place} into the key",
            )
        for name, value in own:
            term = cls._place(value.term, name, whole=True)
            if term != Col(name, sort_of(value.term)):
                cls.derived[name] = term
            setattr(cls, name, handle(Col(name, sort_of(value.term))))

    @classmethod
    def _place(cls, term: Term, name: str, *, whole: bool = False) -> Term:
        """Give every leaf a column of its own; what remains is a term over columns."""
        if not isinstance(term, Agg):
            term = rebuild(term, lambda child: cls._place(child, name))
        if not isinstance(term, Agg | Along | Field):
            return term
        sort = sort_of(term)
        home: dict[str, Any] = cls.near if isinstance(term, Along) else cls.base
        for taken, same in home.items():
            if _identity(same) == _identity(term):
                return Col(taken, sort)
        cls._refuse(term, name)
        hint = name if whole else f"{name}_{term.name if isinstance(term, Field) else term.fn}"
        while hint in cls.base or hint in cls.near:
            hint += "_"
        home[hint] = term
        return Col(hint, sort)

    @classmethod
    def _refuse(cls, term: Term, name: str) -> None:
        if isinstance(term, Along):
            seen = cls.inline(term.of)
            if any(col.name in cls.near for col in leaves(seen, Col)):
                raise AuthorMistake(
                    f"{cls.__name__}.{name}: a neighbour of a neighbour", "Look only at what the events of a row say"
                )
        if isinstance(term, Agg | Field):
            refuse_strange(cls.events, term, f"{cls.__name__}.{name}")
        if isinstance(term, Field) and cls.grouped:
            raise AuthorMistake(
                f"{cls.__name__}.{name}: {term.name} is not in the key", "Aggregate it: min_of, max_of, only_of ..."
            )

    @classmethod
    def inline(cls, term: Term) -> Term:
        """The term over base and neighbour columns only."""
        if isinstance(term, Col):
            return cls.inline(cls.derived[term.name]) if term.name in cls.derived else term
        return rebuild(term, cls.inline)


def _identity(term: Term) -> Any:
    """Two fields are one when they read the same column of the same kinds."""
    return (term.column, kinds(term.event)) if isinstance(term, Field) else term


NO_KEY: Final[tuple[Int, ...]] = ()

WORDS: Final = frozenset({*vars(Rowset), *Rowset.__annotations__, "at"})
"""What a view or dimension has besides its columns."""


class View(Rowset):
    """Rows that rules speak about: ``one_per`` key, or one for ``each`` event, named by its key.

    They stand in the order of the trace, or in another ``order`` that their events have: the trace is sorted anew for
    it, without events that have no place in it.
    """

    def __init_subclass__(
        cls, one_per: tuple[Int, ...] = NO_KEY, each: tuple[Int, ...] = NO_KEY, order: Order | None = None
    ) -> None:
        if (one_per is NO_KEY) is (each is NO_KEY):
            raise AuthorMistake(f"{cls.__name__} needs one of one_per= and each=", "one_per=(Event.key, Event.number)")
        cls._read(each if one_per is NO_KEY else one_per, grouped=each is NO_KEY, order=order)
        for name, near in cls.near.items():
            refuse_scattered(cls, name, near)


class Dimension(Rowset):
    """A small table that rows look up by a version: statuses by version, metadata by term.

    Every reading gathers it before it judges rows, so no row ever waits for it; it must fit in memory.
    """

    def __init_subclass__(cls, by: tuple[Int, ...] = ()) -> None:
        cls._read(by, grouped=True)
        if cls.near:
            raise AuthorMistake(f"{cls.__name__} looks at neighbours", "A dimension has only aggregates")
        if any(leaves(term, Lookup) for term in cls.derived.values()):
            raise AuthorMistake(f"{cls.__name__} looks something up", "Look both up in the view, one after the other")

    @classmethod
    def at(cls, column: H, *key: Int | int) -> H:
        """What the dimension says in a column under a key; NULL where it has no such key."""
        if len(key) != len(cls.key):
            raise AuthorMistake(
                f"{cls.__name__} is looked up by {', '.join(cls.key)}", "Give one number for each of them"
            )
        _refuse_plain(column)
        own: Handle | None = getattr(cls, column.term.name, None) if isinstance(column.term, Col) else None
        if not isinstance(column.term, Col) or own is None or own.term is not column.term:
            raise AuthorMistake(
                f"not a column of {cls.__name__}", f"Write {cls.__name__}.at({cls.__name__}.column, ...)"
            )
        terms = tuple(as_term(part, "int") for part in key)
        return type(column)(Lookup(cls, column.term.name, column.sort, terms))
