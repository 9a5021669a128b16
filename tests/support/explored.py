"""Small texts that an explorer must get right: several symmetric columns, sets as columns, replacement, many rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from spec.explore.symmetry import Swap, group, moved, symmetries
from spec.language.protocol import (
    Bool,
    Family,
    Order,
    Partial,
    Protocol,
    Relation,
    Sort,
    World,
    action,
    assume,
    every,
    goal,
    require,
    says,
    some,
)
from spec.language.protocol.meaning import after
from spec.language.protocol.running import PackedWorld
from spec.language.protocol.states import State


class Person(Sort):
    """Somebody."""


class Colour(Sort):
    """A colour."""


class Team(Family[Person]):
    """Enough people."""


class Place(Order):
    """A place in a row."""


class Gossip(Protocol):
    """People who know secrets: two columns of one sort."""

    knows: Relation[Person, Person] = says("{0} knows {1}'s secret")

    @action
    def learn(self, person: Person) -> None:
        """Somebody has a secret.

        Invented.
        """
        self.knows.add(person, person)

    @action
    def call(self, caller: Person, other: Person, secret: Person) -> None:
        """One of those who know a secret tells it to somebody with a secret.

        Invented.
        """
        require(self.knows(caller, secret), self.knows(other, other))
        self.knows.add(other, secret)

    @goal
    def nobody_knows_all(self, person: Person) -> Bool:
        """Nobody knows every secret.

        Invented, and false.
        """
        return ~every(self.knows(person, other) for other in Person)


class Painting(Protocol):
    """People who paint with colours: two symmetric sorts in one row, and a replacement."""

    wears: Partial[Person, Colour] = says("{0} wears {1}")
    banned: Relation[Colour] = says("{0} is banned")

    @action
    def dress(self, person: Person, colour: Colour) -> None:
        """Somebody changes clothes.

        Invented.
        """
        require(~self.banned(colour))
        self.wears.put(person, colour)

    @action
    def ban(self, colour: Colour) -> None:
        """A colour that nobody wears is banned.

        Invented.
        """
        require(~some(self.wears(person, colour) for person in Person))
        self.banned.add(colour)


class Voting(Protocol):
    """People who vote for teams: a set of a family in a column."""

    present: Relation[Person] = says("{0} is present")
    chosen: Relation[Team] = says("{0} was chosen")

    @action
    def come(self, person: Person) -> None:
        """Somebody comes.

        Invented.
        """
        self.present.add(person)

    @action
    def leave(self, person: Person) -> None:
        """Somebody goes.

        Invented.
        """
        self.present.remove(person)

    @action
    def choose(self, team: Team) -> None:
        """A team is chosen while all of it is present.

        Invented.
        """
        require(every(self.present(person) for person in team))
        self.chosen.add(team)


class Storing(Protocol):
    """Copies on people: one symmetric column, and sets that only quantifiers speak about."""

    stored: Relation[Person, Place] = says("{0} stores {1}")
    safe: Relation[Place] = says("{0} is safe")

    @action
    def store(self, person: Person, place: Place) -> None:
        """Somebody stores a place after all places before it.

        Invented.
        """
        require(every(self.stored(person, lower) for lower in place.before()))
        self.stored.add(person, place)

    @action
    def finish(self, place: Place) -> None:
        """A place is safe once a whole team stores it.

        Invented.
        """
        require(some(every(self.stored(person, place) for person in team) for team in Team))
        self.safe.add(place)


class Counting(Protocol):
    """One row after the other: as many bits as one likes, and few states."""

    done: Relation[Person, Place] = says("{0} has done {1}")

    @action
    def go_on(self, person: Person, place: Place) -> None:
        """Somebody does the next place.

        Invented.
        """
        require(every(self.done(person, lower) for lower in place.before()))
        self.done.add(person, place)


class Doubtful(Storing):
    """A text with a wrong assumption."""

    @action
    def finish(self, place: Place) -> None:
        """A place is safe once a whole team stores it, which is said to be the first place always.

        Invented.
        """
        require(some(every(self.stored(person, place) for person in team) for team in Team))
        assume(place == Place.first)
        self.safe.add(place)


class TwoValues(Protocol):
    """A text whose partial function gets two values."""

    wears: Partial[Person, Colour] = says("{0} wears {1}")

    @action
    def dress(self, person: Person, colour: Colour) -> None:
        """Somebody puts something on, and takes nothing off.

        Invented.
        """
        self.wears.add(person, colour)


def pairs(count: int) -> list[frozenset[int]]:
    """All teams of two."""
    return [frozenset(two) for two in combinations(range(count), 2)]


def across(*racks: int) -> list[frozenset[int]]:
    """All teams of two from different racks, given how many people each rack has."""
    rack = [number for number, size in enumerate(racks) for _ in range(size)]
    return [two for two in pairs(len(rack)) if len({rack[person] for person in two}) > 1]


def reachable(world: World) -> Iterator[State]:
    """Every state that the run reading reaches, the start first."""
    machine = PackedWorld(world)
    words = {machine.pack(world.start): None}
    waiting = list(words)
    while waiting:
        word = waiting.pop()
        yield machine.unpack(word)
        for _, then in machine.successors(word):
            if then not in words:
                words[then] = None
                waiting.append(then)


def steps_from(world: World, state: State) -> list[State]:
    """What each step that changes a state makes of it, by the meaning of the text."""
    found = (after(world, state, step, strict=False) for step in world.steps)
    return [then for then in found if then is not None and then != state]


def renamings(world: World) -> list[Callable[[State], State]]:
    """Every permutation of the equals of a world, as a map of states."""
    maps: list[Callable[[State], State]] = [lambda state: state]
    for symmetry in symmetries(world, asked=True):
        maps = [_then(one, world, symmetry.sort, swap) for one in maps for swap in group(symmetry)]
    return maps


def _then(first: Callable[[State], State], world: World, sort: type[Sort], swap: Swap) -> Callable[[State], State]:
    def rename(state: State) -> State:
        rows = {name: [moved(world, sort, swap, (name, row))[1] for row in rows] for name, rows in first(state).items()}
        return State.of(rows)

    return rename
