"""Every sentence of the sources has an entry, and what is said to carry it is there and can fail.

CONTRIBUTING, True: a rule says what its source says, cites it, and can be violated. The sources themselves are not part
of the project: where they are at hand, the tables are held against every word of them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.rule_page import page as rule_page
from spec.proof.prove import all_theorems
from spec.protocols.pages import TITLES
from spec.protocols.registry import TEXTS
from spec.registry import BY_ID, RULES
from spec.sources.carriers import CarrierKind, carrier
from spec.sources.pages import overview, page
from spec.sources.registry import DOCUMENTS, carried_by
from spec.sources.sentence import Kind, Sentence
from spec.sources.tables import BadTable, document
from tests.support.carriers import missing
from tests.support.sentences import sentences, units

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "sources"
FILES = {
    "read-path": "000_*.txt",
    "single-copy-delivery": "001_*.txt",
    "recovery": "002_*.txt",
    "segment-distribution": "003_*.txt",
    "cluster-metadata-checker": "004_*.txt",
}
"""Where a source is in the background material."""

CARRIED = [name for name, source in DOCUMENTS.items() if source.is_carried]
"""Sources whose chapters are written; of the others, what is carried is counted on their pages."""

SAME_WORDS_MAX = 6
"""So many words in a row may be the same: names of things are facts, and longer runs are copies."""


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_sentence_has_its_entry(name: str, shared: Path) -> None:
    """All of them, unchanged and in order, under their headings."""
    (path,) = (shared / "seeds").glob(FILES[name])
    there = [(unit.heading, unit.number, unit.digest) for unit in units(path.read_text(encoding="utf-8"))]
    here = [
        (heading.title, number, sentence.digest)
        for heading in DOCUMENTS[name].headings
        for number, sentence in enumerate(heading.sentences, start=1)
    ]
    assert here == there


@pytest.mark.parametrize("name", DOCUMENTS)
def test_entries_are_in_our_own_words(name: str, shared: Path) -> None:
    """Facts may be used, sentences may not."""
    (path,) = (shared / "seeds").glob(FILES[name])
    theirs = " ".join(" ".join(unit.text.split()) for unit in units(path.read_text(encoding="utf-8"))).lower()
    copied = [
        " ".join(run)
        for sentence in DOCUMENTS[name].sentences
        for run in _runs(sentence.says.lower().rstrip(".").split(), SAME_WORDS_MAX + 1)
        if " ".join(run) in theirs
    ]
    assert copied == []


def _runs(words: list[str], length: int) -> list[list[str]]:
    return [words[at : at + length] for at in range(len(words) - length + 1)]


@pytest.mark.parametrize("name", CARRIED)
def test_what_binds_is_carried(name: str) -> None:
    """By a rule, a clause, a theorem or a test: code alone shows nothing."""
    assert [sentence.says for sentence in DOCUMENTS[name].sentences if not sentence.is_carried] == []


@pytest.mark.parametrize("name", CARRIED)
def test_examples_are_executed(name: str) -> None:
    """An example binds by its numbers, so a test has them."""
    examples = [sentence for sentence in DOCUMENTS[name].sentences if sentence.kind is Kind.EXAMPLE]
    tested = [sentence for sentence in examples if any(carrier.place is CarrierKind.TEST for carrier in sentence.by)]
    assert [sentence.says for sentence in examples if sentence not in tested] == []
    assert tested


@pytest.mark.parametrize("name", DOCUMENTS)
def test_carriers_are_there(name: str) -> None:
    """Every id, clause, test and function that a table names."""
    carriers = {carrier for sentence in DOCUMENTS[name].sentences for carrier in sentence.by}
    assert missing(carriers) == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_demands_nothing_says_why(name: str) -> None:
    """And only that."""
    odd = [
        sentence.says
        for sentence in DOCUMENTS[name].sentences
        if (sentence.kind is Kind.ASIDE) != bool(sentence.because) or (sentence.kind is Kind.ASIDE and sentence.by)
    ]
    assert odd == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_variants_are_named(name: str) -> None:
    """Where systems differ from a sentence, something here shows how, or the system's own code is named."""
    found = [sentence.differs for sentence in DOCUMENTS[name].sentences if sentence.differs]
    assert found or name not in CARRIED
    assert [one.says for one in found if not one.by and not re.match(r"[\w/]+\.(cpp|h|java|md)\b", one.cite)] == []
    assert missing(carrier for one in found for carrier in one.by) == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_page_is_what_the_table_says(name: str, request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew the pages."""
    path = FOLDER / f"{name}.md"
    if request.config.getoption("--rewrite"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(page(DOCUMENTS[name]), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == page(DOCUMENTS[name])


def test_the_overview_is_what_the_tables_say(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    path, text = FOLDER / "index.md", overview(DOCUMENTS.values())
    if request.config.getoption("--rewrite"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text
    assert text.count("100 %") == len(CARRIED)


CITED = re.compile(r"(?:LogDevice, |; |and )(Read path|Recovery|Single Copy Delivery)(?![\w.])((?:, [^,:;(]+)*)")
"""A document of the three, and what is said of the place in it."""


def unplaced(cite: str) -> list[str]:
    """The documents that a citation names without one of their headings; plurals in headings count alike."""
    titles = {
        document.title.lower(): [heading.title for heading in document.headings] for document in DOCUMENTS.values()
    }
    found = []
    for name, places in CITED.findall(cite):
        said = [place.rstrip(".").replace("switches", "switch") for place in places.split(", ")[1:]]
        headings = [title.replace("switches", "switch") for title in titles[name.lower()]]
        if not any(title.startswith(place) for title in headings for place in said):
            found.append(name)
    return found


def cites() -> dict[str, str]:
    """Every citation of rules, clauses and theorems."""
    clauses = {
        f"{name}, {clause.name}": clause.cite
        for name, text in TEXTS.items()
        for clause in (
            *text.protocol.definitions.values(),
            *(found for kind in TITLES for found in text.protocol.of_kind(kind)),
        )
    }
    rules = {rule.id: rule.cite for rule in RULES}
    return rules | clauses | {theorem.id: theorem.cite for theorem in all_theorems()}


def test_citations_name_headings_that_exist() -> None:
    """Whoever cites one of the three documents says under which heading."""
    assert {name: cite for name, cite in cites().items() if unplaced(cite)} == {}
    assert sum(bool(CITED.search(cite)) for cite in cites().values()) > 100
    assert unplaced("LogDevice, Read path: each slot") == unplaced("LogDevice, Read path, Nowhere: x") == ["Read path"]
    assert unplaced("LogDevice, common/Digest.h: x; Read path, Copyset: y; Recovery: z") == ["Recovery"]


def test_sentences_are_told_apart() -> None:
    """Labels stay with what they label, abbreviations end nothing, wrapped lines go on, code is one unit."""
    assert list(sentences("* **Flow control.** The window slides, i.e., it moves. It ends.")) == [
        "Flow control. The window slides, i.e., it moves.",
        "It ends.",
    ]
    found = units(
        "# One\n\nIt goes\non. Here!\n\n1. first\n   item\n2. second\nnot of it.\n```\na\n b\n```\n## Two\n![x](y)\n"
    )
    assert [(unit.heading, unit.number, unit.text) for unit in found] == [
        ("One", 1, "It goes on."),
        ("One", 2, "Here!"),
        ("One", 3, "first item"),
        ("One", 4, "second"),
        ("One", 5, "not of it."),
        ("One", 6, "```\na\n b\n```"),
        ("Two", 1, "![x](y)"),
    ]
    plain = units("A title\nA sentence.\n- an item\nAnother title\nMore.")
    assert [(unit.heading, unit.text) for unit in plain] == [
        ("A title", "A sentence."),
        ("A title", "an item"),
        ("Another title", "More."),
    ]


def test_a_rule_says_which_sentences_it_carries() -> None:
    """On its page, by document, heading and number."""
    spots = [str(spot) for spot in carried_by(carrier("rule log.recovery.keeps_acked"))]
    assert spots == ["Recovery, Recovery example, 17: Always a record where the append was acknowledged."]
    assert spots[0] in rule_page(BY_ID["log.recovery.keeps_acked"])
    assert "carries" not in rule_page(BY_ID["client.append.once"])


def test_the_judges_are_awake() -> None:
    """A carrier that is not there is found, and a sentence that only code carries is not carried."""
    absent = {
        carrier("rule log.read.nothing"),
        carrier("theorem quorum.nothing"),
        carrier("clause recovery: nothing"),
        carrier("clause nothing: plan"),
        carrier("variant recovery: nothing"),
        carrier("test spec/test_sources: nothing"),
        carrier("test spec/test_nothing: nothing"),
        carrier("code spec/log/quorum: nothing"),
    }
    assert set(missing(absent)) == absent
    assert missing([carrier("test spec/log/test_appending: TestAckedHasCopies.nothing")]) != []
    assert not Sentence("", "", Kind.DEMAND, (carrier("code spec/log/quorum: is_f_majority"),)).is_carried
    assert {place for place in CarrierKind if place not in {CarrierKind.CODE, CarrierKind.VARIANT}} == {
        one.place for one in absent if one.can_fail
    }


ENTRY = '[[heading]]\ntitle = "One"\n[[heading.sentence]]\ndigest = "abcdef"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[heading", "one: not TOML"),
        (ENTRY, "sentence abcdef: write its digest, and one of demands, defines, shows, aside"),
        (f'{ENTRY}aside = "a"\ndemands = "b"', "write its digest, and one of"),
        (f'{ENTRY}demand = "a"', "demand is nothing that is read"),
        (f'{ENTRY}aside = "a"\nbecause = "so"', "because 'so' is none of lead"),
        (f'{ENTRY}demands = "a"\nby = ["rule"]', "'rule' names no carrier"),
        (f'{ENTRY}demands = "a"\nby = ["test somewhere"]', "'test somewhere' names no carrier"),
        (f'{ENTRY}demands = "a"\nbut = {{words = "b"}}', "words is nothing that is read"),
    ],
)
def test_a_damaged_table_is_named(text: str, said: str) -> None:
    with pytest.raises(BadTable, match=re.escape(said)):
        document("one", text)
