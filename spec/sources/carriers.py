"""What carries a sentence: a rule, a clause of a protocol text, a theorem or a test. Code alone proves nothing."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple


class CarrierKind(StrEnum):
    """Where a carrier is found."""

    RULE = "rule"
    CLAUSE = "clause"
    VARIANT = "variant"
    THEOREM = "theorem"
    TEST = "test"
    CODE = "code"


class Carrier(NamedTuple):
    """Something that a sentence rests on.

    Attributes:
        place: what it is.
        where: the protocol text of a clause or variant, or the file of a test or of code; empty for others.
        name: its id, or its name there.
    """

    place: CarrierKind
    where: str
    name: str

    @property
    def can_fail(self) -> bool:
        """It holds systems to something: neither code alone does, nor what is refuted."""
        return self.place not in {CarrierKind.CODE, CarrierKind.VARIANT}


FORM: Final = re.compile(r"(?P<place>rule|theorem|clause|variant|test|code) (?:(?P<where>\S+): )?(?P<name>\S+)")

FILES: Final = {CarrierKind.TEST: "tests/{}.py", CarrierKind.CODE: "{}.py"}
"""Where a file is that a table names for short."""


class NoCarrier(ValueError):
    """A text names no carrier; the message says how one is named."""


def carrier(said: str) -> Carrier:
    """The carrier that a text names: ``rule ID``, ``theorem ID``, ``clause TEXT: NAME``, ``test FILE: NAME`` and so on.

    Of a test in a class the name is ``Class.name``; the prefix ``test_`` is left out.

    Raises:
        NoCarrier: the text is none of these.
    """
    found = FORM.fullmatch(said)
    if found is None or (found["where"] is None) != (found["place"] in {CarrierKind.RULE, CarrierKind.THEOREM}):
        raise NoCarrier(f"{said!r} names no carrier; write 'rule ID', 'theorem ID' or 'test FILE: NAME', for example")
    place = CarrierKind(found["place"])
    return Carrier(place, FILES.get(place, "{}").format(found["where"] or ""), found["name"])
