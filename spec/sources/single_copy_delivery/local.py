"""LogDevice, Single Copy Delivery: nodes near the reader send."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import code, named_tests
from spec.sources.sentence import LEAD, MOTIVE, REMARK, Heading, aside, but, defines, demands, shows, under

LOCAL = named_tests("reference_impl/log/delivery/test_local")
SHIPPING = named_tests("reference_impl/log/delivery/test_shipping")
SCD = named_tests("reference_impl/log/stream/test_single_copy_delivery")
CORRECT = named_tests("reference_impl/test_correct_machine")
CLOSENESS = code("reference_impl/log/delivery/local")
SHIPS = code("reference_impl/log/delivery/shipping")

LOCAL_DELIVERY = under(
    "Local SCD",
    defines(
        "e4d930",
        "With local single copy delivery, nodes near the reader send if they can, to be quicker.",
        SHIPPING("higher_priorities_come_first"),
        SHIPPING("local_delivery_in_steady_state"),
    ),
    demands(
        "7e3845",
        "A client may say where it is when it connects, in HELLO.",
        LOCAL("nodes_of_a_cluster"),
        CLOSENESS("closeness_of"),
    ),
    demands("ed2e60", "A flag in START asks for it.", SCD("the_log_decides")),
    demands(
        "49b739",
        "Storage nodes give every member of a copyset a priority.",
        LOCAL("nodes_of_a_cluster"),
        SHIPPING("higher_priorities_come_first"),
    ),
    defines(
        "d72bf0",
        "It is how many location scopes the member shares with the client, none to five.",
        LOCAL("all_six_priorities"),
        CLOSENESS("shared_scopes"),
        CORRECT("in_the_nearest_form_the_reader_s_rack_sends_most"),
        differs=but("As shipped, only the region counts.", CLOSENESS("is_in_region"), LOCAL("all_six_priorities")),
    ),
    defines("3e11e6", "None: another region.", LOCAL("all_six_priorities")),
    defines("6140f3", "Five: the same rack.", LOCAL("all_six_priorities")),
    demands(
        "62cdb0",
        "Among the members that are up, the first of those with the highest priority sends.",
        SHIPPING("higher_priorities_come_first"),
        SHIPS("closest_recipient"),
    ),
    aside("e18c42", "An example follows, with three nodes near the reader.", LEAD),
    aside("191942", "What one node has.", LEAD),
    shows(
        "ad1a64",
        "The records of the first example: N1 sends 42 and 48, N2 sends 47, and N0 the others.",
        SHIPPING("local_delivery_in_steady_state"),
    ),
    shows("8e7129", "With N0 listed, N1 sends 42, 43, 44 and 48.", SHIPPING("local_delivery_with_nodes_down")),
    shows(
        "cda6a3",
        "With N0 and N2 listed, N0 is said to send 42, 43, 44, 46 and 48.",
        SHIPPING("local_delivery_with_nodes_down"),
        differs=but(
            "By the document's own rule it sends 43 to 46: 42 and 48 are N1's, and 45 is its own.",
            SHIPPING("local_delivery_with_nodes_down"),
        ),
    ),
)

SHIPPED = under(
    "Current implementation",
    demands(
        "e8c890",
        "The code does not tell all priorities apart.",
        LOCAL("all_six_priorities"),
        CLOSENESS("is_in_region"),
    ),
    demands("90b8c7", "It knows the region alone.", LOCAL("all_six_priorities"), CLOSENESS("is_in_region")),
    demands(
        "e4fefe",
        "Nodes in the client's region have priority 1, and all others 0.",
        LOCAL("all_six_priorities"),
        LOCAL("nodes_of_a_cluster"),
    ),
    aside("0777c2", "Smaller scopes would save little time.", MOTIVE),
    aside("493d6c", "More may come.", REMARK),
)

HEADINGS: Final[tuple[Heading, ...]] = (LOCAL_DELIVERY, SHIPPED)
"""Who sends to readers nearby."""
