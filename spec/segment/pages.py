"""The page of invariants: what carries each, where it is seen to fail, and what is left open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spec.segment.invariants import INVARIANTS, Invariant
from spec.segment.questions import QUESTIONS, Question
from spec.sources.carriers import carrier
from spec.sources.pages import links

ABOUT = """What the segment distribution document says of channels, iterators and writers, or implies. A rule
judges traces, and beside it stands one that breaks it; a clause of the protocol text is proved, and the text's page
lists wrong forms in which the proof fails; a test holds the definition of iterators to its cases. What happens *in the
end* is judged where a trace ends quietly: its header promises `quiet`."""


def page() -> str:
    """Markdown of all invariants and open questions."""
    lines = ["# Invariants of segment layers", "", ABOUT, ""]
    lines += ["| | what holds | kind | source | carried by |", "|---|---|---|---|---|"]
    lines += [_row(number, invariant) for number, invariant in INVARIANTS.items()]
    lines += [
        "",
        "## Open questions",
        "",
        "Each answer is a promise of a trace's header, or a choice of the definition",
    ]
    lines += ["of iterators.", ""]
    for question in QUESTIONS:
        lines += _question(question)
    return "\n".join(lines)


def _row(number: int, invariant: Invariant) -> str:
    kind = f"{'in the end' if invariant.is_liveness else 'always'}, {'implied' if invariant.is_implied else 'said'}"
    return f"| {number} | {invariant.says} | {kind} | {invariant.section} | {_linked(invariant.by)} |"


def _question(question: Question) -> Iterator[str]:
    yield from (f"### {question.asks.rstrip('?')}", "")
    yield from (f"- {answer}: {consequence}." for answer, consequence in question.answers.items())
    yield from ("", f"Shown by {_linked(question.by)}.", "")


def _linked(by: Iterable[str]) -> str:
    return links(map(carrier, by))
