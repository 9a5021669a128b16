"""Arrays on disk: many small ones in one file, behind a line that says where each lies, and what else is known.

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


def write_arrays(path: Path, arrays: Mapping[str, Array], about: Mapping[str, Any]) -> None:
    """Keep arrays and what is said about them, whole or not at all."""
    places, content = list[tuple[str, str, tuple[int, ...], int]](), bytearray()
    for name, array in arrays.items():
        places.append((name, array.dtype.str, array.shape, len(content)))
        content += np.ascontiguousarray(array).tobytes()
        content += bytes(-len(content) % ALIGNED)
    first = encode({"arrays": places, "about": about, "content": blake2b(content).hexdigest()}) + b"\n"
    with atomic(path) as unfinished, unfinished.open("xb") as file:
        file.write(first)
        file.write(bytes(-len(first) % ALIGNED))
        file.write(content)


def read_arrays(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """What was kept.

    Raises:
        NoStore: it is not there, or not what was written.
    """
    with damage_named(path):
        whole = bytearray(path.read_bytes())
        end = whole.index(b"\n") + 1
        said, begin = decode(whole[:end].decode()), end + -end % ALIGNED
        if blake2b(memoryview(whole)[begin:]).hexdigest() != said["content"]:
            raise ValueError("other bytes")
        arrays: dict[str, Array] = {}
        for name, dtype, shape, place in said["arrays"]:
            count = int(np.prod(shape, dtype=np.int64))
            arrays[name] = (
                np.frombuffer(whole, dtype, count, begin + place).reshape(shape) if count else np.zeros(shape, dtype)
            )
        return arrays, said["about"]
