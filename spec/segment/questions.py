"""What the segment distribution document leaves open: eight questions, each answer with a name and its consequence.

An answer is a promise that a header makes, or a choice of the definition of iterators. Rules of one answer are not
asked of a system that gives another.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Question(NamedTuple):
    """One of them.

    Attributes:
        asks: the question.
        answers: what may be promised or chosen, and what follows.
        by: what shows that it follows.
    """

    asks: str
    answers: dict[str, str]
    by: tuple[str, ...]


QUESTIONS: Final = (
    Question(
        "What does a call answer if its nodes do not agree?",
        {
            "promise `answers_all`": "false as soon as one node has nothing; since a node answers true if one of its "
            "channels has something, the answer shows where channels are",
            "promise `answers_any`": "true as long as one node has something: it does not matter where channels are",
            "neither": "as shipped, the last acknowledgement decides: the answer depends on the network's timing",
        },
        (
            "rule segment.ack.merged_by_all",
            "rule segment.ack.merged_by_any",
            "test spec/segment/iterator/test_definition: acknowledgements_merge_by_what_they_say_and_not_by_when",
        ),
    ),
    Question(
        "Does a seek to a time look for the segment that contains it, or for one that begins there or later?",
        {
            "`Target.SAMPLE`": "the nearest sample: how samples were written does not show",
            "`Target.SEGMENT`": "the segment that contains it comes first, as is shipped: whoever seeks sees segments",
        },
        ("test spec/segment/iterator/test_definition: seeks_by_segment_show_how_samples_were_written",),
    ),
    Question(
        "Where does an iterator stand after it turned, or after a false?",
        {
            "promise `moves_inverse`": "Prev right after Next covers the same again",
            "without it": "a move goes on from where the last one ended, whichever way it went",
        },
        (
            "rule segment.move.is_inverse",
            "test spec/segment/iterator/test_definition: back_is_the_reverse_of_on",
        ),
    ),
    Question(
        "Does an iterator see what is written while it is open?",
        {
            "promise `settled`": "nobody writes what is being read, so whatever a scan passes over is a loss",
            "without it": "as shipped, a scan may see it or not: losses cannot be told from what came late",
        },
        ("rule segment.read.no_segment_missed", "rule segment.read.no_sample_missed"),
    ),
    Question(
        "May a node acknowledge a move before it has read the data?",
        {
            "promise `data_before_answers`": "no, as is shipped: true means that data came, and a call waits for disks",
            "without it": "as written, acknowledging takes no disk: errors of reading come after a call answered true",
        },
        ("rule segment.ack.after_data", "rule segment.call.true_gives_data"),
    ),
    Question(
        "Who may write a channel?",
        {
            "promise `lock`": "one writer, and others are refused until it ends: one that hangs keeps all others out",
            "promise `authority`": "as shipped, whoever comes with the most authority: a writer that is open may store "
            "nothing, and must look at what it is answered",
        },
        (
            "rule segment.lock.one_writer",
            "rule segment.control.by_authority",
            "clause leaseholder: one_writer_at_a_time",
        ),
    ),
    Question(
        "How does a caller know that a segment is stored?",
        {
            "promise `confirms`": "a write or commit that returned true is stored",
            "without it": "as written, only by a Close without an error: until then nothing is known of any segment",
        },
        ("rule segment.write.confirmed_is_stored", "rule segment.write.accepted_is_stored"),
    ),
    Question(
        "What becomes of a request with segments for several nodes, if one of them refuses?",
        {
            "promise `atomic_requests`": "none of its segments is stored",
            "without it": "as shipped, each node decides for itself: of those that are not stored the caller is told",
        },
        ("rule segment.write.all_or_nothing", "rule segment.write.errors_are_told"),
    ),
)
"""All eight, in the order in which the document raises them."""
