"""What a row says of a payload: its text, its hash, or both."""

from __future__ import annotations

from string import hexdigits

from conformance.importers.errors import Contradiction
from conformance.importers.journal import HASH_DIGITS, digest_from, digest_of
from conformance.importers.lines import Line
from conformance.trace.errors import MissingField, Mistyped


def payload_of(line: Line) -> tuple[int, str | None]:
    """The digest and the text of a payload; the text alone is enough, and so is its hash.

    Raises:
        TraceError: one of its kinds, with the file and line, if neither is there, or they differ.
    """
    said = _hash(line) if line.has("hash") else None
    if not line.has("value"):
        if said is None:
            raise line.refuse(MissingField("value is missing", "it tells one payload from another", "record it"))
        return said, None
    text = line.words("value")
    digest = digest_of(text)
    if said is not None and said != digest:
        raise line.refuse(
            Contradiction(
                f"hash is not that of value {text!r:.40}",
                f"it must be the first {HASH_DIGITS} hexadecimal digits of its SHA-256",
                "leave hash out, or record the payload whole",
            )
        )
    return digest, text


def _hash(line: Line) -> int:
    said = line.words("hash")
    if len(said) != HASH_DIGITS or set(said) - set(hexdigits):
        raise line.refuse(
            Mistyped(f"hash is {said!r:.40}", f"it must be {HASH_DIGITS} hexadecimal digits", "leave hash out")
        )
    return digest_from(said)
