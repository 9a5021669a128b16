"""LogDevice, Read path: nodes that are slow."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import code, named_tests, rule
from spec.sources.sentence import LEAD, MOTIVE, Heading, aside, but, demands, under

GREYLIST = named_tests("reference_impl/log/delivery/test_greylist")
ADAPTIVE = named_tests("reference_impl/log/delivery/test_adaptive")
OUTLIERS = named_tests("reference_impl/log/delivery/test_outliers")
VARIATIONS = named_tests("reference_impl/log/delivery/test_variations")
FILTERED = named_tests("reference_impl/log/delivery/test_filtered_out")
FLOW = named_tests("reference_impl/log/stream/test_flow_control")
WATCHING = named_tests("reference_impl/log/test_watching")
DETECTOR = code("reference_impl/log/delivery/greylist")

SLOW = under(
    "SCD greylisting (detecting slow shards)",
    aside("cca4c2", "Nodes that are slow, and not down, are another matter.", MOTIVE),
    aside("524695", "In single copy mode the slowest might be the one that sends.", MOTIVE),
    demands(
        "730523",
        "So clients detect nodes that are slow.",
        GREYLIST("who_is_behind_gets_time_until_the_threshold"),
        WATCHING("slow_nodes_get_onto_the_list_and_come_back"),
        DETECTOR("detect"),
    ),
    demands(
        "e97a49",
        "They measure how long each node takes for a window.",
        GREYLIST("when_a_window_is_complete"),
        GREYLIST("two_windows_are_remembered"),
        WATCHING("who_stays_behind_is_called_slow"),
    ),
    demands(
        "ad0fea",
        "The window slides once the reader is past a part of it: client-read-flow-control-threshold.",
        FLOW("the_window_slides_once_enough_is_delivered"),
    ),
    demands(
        "5879e1",
        "Samples go into buckets by time, and give a moving average for each node.",
        ADAPTIVE("a_moving_average"),
        GREYLIST("when_a_window_is_complete"),
    ),
    demands(
        "f8caec",
        "Nodes that are much slower than the others are listed as down.",
        rule("log.greylist.others_send"),
        rule("log.greylist.change_rewinds"),
        rule("log.greylist.fewer_than_copies"),
        WATCHING("others_send_while_a_node_is_on_the_list"),
        GREYLIST("who_is_behind_gets_time_until_the_threshold"),
        OUTLIERS("thresholds_by_hand"),
        FILTERED("down_goes_before_slow"),
        differs=but(
            "As shipped, in a list of their own: others send in their place, but they are not taken to be down.",
            FILTERED("down_goes_before_slow"),
        ),
    ),
    demands(
        "948311",
        "After a time of probation they are taken back, and measured again.",
        rule("log.greylist.keeps_its_term"),
        rule("log.greylist.comes_back"),
        GREYLIST("an_outlier_is_on_probation"),
        GREYLIST("an_outlier_is_reinstated"),
        WATCHING("after_its_term_it_is_back"),
    ),
    demands(
        "8b4a47",
        "The next time is longer or shorter, by how they do.",
        rule("log.greylist.terms_adapt"),
        GREYLIST("terms_grow"),
        GREYLIST("terms_shrink"),
        ADAPTIVE("bad_news_double_it"),
        ADAPTIVE("good_news_take_away"),
    ),
    aside("979b1e", "A setting has to do with it.", LEAD),
    demands(
        "2d73ea",
        "reader-slow-shards-detection turns the detector on and off.",
        VARIATIONS("a_detector_that_is_off_blames_nobody"),
        WATCHING("a_reader_without_a_greylist_lists_nobody"),
        differs=but(
            "As shipped, it is off unless it is turned on.", cite="docs/settings.md, reader-slow-shards-detection"
        ),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (SLOW,)
"""Who is slow."""
