"""Counts over domains of one member each: one operation on a whole mask instead of one look at each member.

A host often has a single shard. Its scope then has as many domains as there are members, and a sum over them would be
longer than an engine compiles. Where the body of a count asks only which sets the member is in, the members that
satisfy it are a set made of the same sets, and the count is its size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spec.language.terms import Count, Lit, Op, Term, Var, leaves
from spec.language.vocabulary import ABSENCE, CONNECTIVES

_SOME: Final = ((">", 0), (">=", 1), ("<>", 0))
_NONE: Final = (("=", 0), ("<", 1), ("<=", 0))


def satisfying(body: Term, everyone: Var, doubts: Callable[[Term], frozenset[Term]]) -> Term | None:
    """The set of members whose domains satisfy the body; ``everyone`` then stands for all of them together.

    ``doubts`` says by which of its parts a term is unknown, as ``unknown_by`` does.

    None where the body cannot be told so: it asks for more than membership, or one of its parts may be unknown where
    another decides.
    """

    def read(term: Term) -> Term | None:
        match term:
            case Op(asked, (Op("size", (members,)), Lit(limit))) if _is_local(members, everyone):
                return members if (asked, limit) in _SOME else without(members) if (asked, limit) in _NONE else None
            case Op("subset", (members, others)) if _is_local(members, everyone):
                return without(Op("minus", (members, others)))
            case Op("not", (part,)):
                return None if (found := read(part)) is None else without(found)
            case Op(name, (left, right)) if name in CONNECTIVES:
                a, b = read(left), read(right)
                if a is None or b is None or doubts(left) != doubts(right):
                    return None
                return {"and": Op("meet", (a, b)), "or": Op("join", (a, b))}.get(name, Op("join", (without(a), b)))
            case _:
                return None

    def without(members: Term) -> Term:
        return Op("minus", (everyone, members))

    return read(body)


def _is_local(members: Term, everyone: Var) -> bool:
    """Is this set a part of the domain, whatever the other sets in it are?"""
    match members:
        case Var():
            return members == everyone
        case Op("meet", (left, right)):
            return _is_local(left, everyone) or _is_local(right, everyone)
        case Op("join", (left, right)):
            return _is_local(left, everyone) and _is_local(right, everyone)
        case Op("minus", (left, _)):
            return _is_local(left, everyone)
        case _:
            return False


def unknown_by(term: Term, below: Callable[[Term], frozenset[Term]]) -> frozenset[Term]:
    """The parts of a term any of which, being NULL, makes all of it NULL, where nothing else does.

    ``below`` says the same of what the term is made of.
    """
    match term:
        case Count(_, _, body):
            parts = below(body)
            return frozenset({term}) if any(leaves(part, Var) for part in parts) else parts  # unknown in some domain
        case Op(name) if name in ABSENCE:
            return frozenset()
        case Op("when"):
            return frozenset({term})
        case Op(name, (left, right)) if name in CONNECTIVES:
            return below(left) if below(left) == below(right) else frozenset({term})
        case Op(_, args):
            return frozenset[Term]().union(*map(below, args))
        case _:
            return frozenset()
