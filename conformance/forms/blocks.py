"""HTML of a report that tells no stories: a verdict, and blocks of lines, on the page that stories stand on."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from conformance.forms.html import PAGE, PICTURES

Block = tuple[str, Sequence[str]]
"""What a block is about, and its lines."""


def render(name: str, verdict: str, blocks: Sequence[Block]) -> str:
    """The page; its search hides lines.

    Args:
        name: what was judged.
        verdict: holds, violated or unknown.
        blocks: the first of them says the verdict.
    """
    (head, lines), *others = blocks
    said = f"<p class='verdict {escape(verdict)}'>{escape(head)}</p>{_lines(lines)}"
    articles = "".join(f"<article><h3>{escape(head)}</h3>{_lines(lines)}</article>" for head, lines in others)
    section = f"<section><h1>{escape(name)}</h1>{said}{articles}</section>"
    return PAGE.substitute(title=escape(f"quorate: {name}"), pictures=PICTURES, traces=section)


def _lines(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li class=found>{escape(line)}' for line in lines)}</ul>"
