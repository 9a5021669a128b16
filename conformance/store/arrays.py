"""Arrays on disk: many small ones in one file, behind a line that says where each lies, and what else is known.

A digest of all that comes after it stands first.

Numpy's own archive is a zip, which takes longer to read and write than what parts hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np

from conformance.store.errors import damage_named
from conformance.trace.files import atomic
from conformance.trace.json_text import decode, encode
from spec.columns.column import Array

SUFFIX: Final = ".arrays"
"""How the names of such files end."""

ALIGNED: Final = 8
"""Each array begins at a multiple of so many bytes, as numpy reads numbers."""

DIGEST: Final = blake2b().digest_size
"""Bytes of the digest, a multiple of that."""


def write_arrays(path: Path, arrays: Mapping[str, Array], about: Mapping[str, Any]) -> None:
    """Keep arrays and what is said about them, whole or not at all."""
    places, content = list[tuple[str, str, tuple[int, ...], int]](), bytearray()
    for name, array in arrays.items():
        places.append((name, array.dtype.str, array.shape, len(content)))
        content += np.ascontiguousarray(array).tobytes()
        content += bytes(-len(content) % ALIGNED)
    first = encode({"arrays": places, "about": about}) + b"\n"
    first += bytes(-len(first) % ALIGNED)
    digest = blake2b(first)
    digest.update(content)
    with atomic(path) as unfinished, unfinished.open("xb") as file:
        file.write(digest.digest())
        file.write(first)
        file.write(content)


def read_arrays(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """What was kept.

    Raises:
        NoStore: it is not there, or not what was written.
    """
    with damage_named(path):
        whole = bytearray(path.read_bytes())
        if blake2b(memoryview(whole)[DIGEST:]).digest() != whole[:DIGEST]:
            raise ValueError("other bytes")
        end = whole.index(b"\n", DIGEST) + 1
        said, begin = decode(whole[DIGEST:end].decode()), end + -end % ALIGNED
        arrays: dict[str, Array] = {}
        for name, dtype, shape, place in said["arrays"]:
            count = int(np.prod(shape, dtype=np.int64))
            arrays[name] = (
                np.frombuffer(whole, dtype, count, begin + place).reshape(shape) if count else np.zeros(shape, dtype)
            )
        return arrays, said["about"]
