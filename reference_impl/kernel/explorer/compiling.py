"""The functions of the explore reading over numpy columns, made from their source text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from reference_impl.kernel.explorer.columns import Bools, Columns, U
from spec.explore.columns_source import Source, columns_source
from spec.explore.layout import Layout

Successors: TypeAlias = Callable[..., tuple[int, int]]
"""Writes the successors of columns of states; see ``columns_source``."""


@dataclass(frozen=True)
class Functions:
    """What an engine needs of a layout.

    Attributes:
        source: the text that these functions were made of.
        successors: ``successors(out, *columns)``.
        canonical: ``canonical(*columns)``, a tuple of columns.
    """

    source: Source
    successors: Successors
    canonical: Callable[..., tuple[npt.NDArray[np.uint64], ...]]

    def canonical_columns(self, states: Columns) -> Columns:
        """The canonical forms of states, as one array; may share memory with what it is given."""
        words = self.canonical(*states)
        return words[0][None, :] if len(words) == 1 else np.stack(words)


def functions(layout: Layout) -> Functions:
    """Make the functions of a layout for numpy."""
    source = columns_source(layout)
    scope: dict[str, Any] = {name: U(value) for name, value in source.constants.items()}
    scope |= {"flatnonzero": np.flatnonzero, "least": np.minimum, "most": np.maximum, "pick": np.where, "ones": ones}
    scope["ORDER"] = source.order
    exec(source.text, scope)  # noqa: S102 - the text is derived from closed terms, never from input
    return Functions(source, scope["successors"], scope["canonical"])


def ones(condition: Bools) -> npt.NDArray[np.uint64]:
    """Words of ones alone where the condition holds, and of zeros elsewhere."""
    return np.negative(condition.astype(np.int64)).view(U)
