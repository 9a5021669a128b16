"""Pages behave like a dictionary that is copied before every change: states of the machine must be values."""

from hypothesis import given
from hypothesis import strategies as st

from reference_impl.kernel.pages import Pages

KEYS = st.integers(0, 200) | st.integers(1 << 32, (1 << 32) + 100)


@given(st.lists(st.tuples(KEYS, st.integers())), st.sets(KEYS), KEYS, KEYS)
def test_pages_are_a_map(pairs: list[tuple[int, int]], gone: set[int], first: int, last: int) -> None:
    """Set, remove, look up and list in order, as a dictionary would."""
    pages, plain = Pages[int](), dict[int, int]()
    for key, value in pairs:
        pages, plain[key] = pages.with_(key, value), value
    assert list(pages.items()) == sorted(plain.items())
    pages = pages.without(gone)
    plain = {key: value for key, value in plain.items() if key not in gone}
    assert list(pages.items()) == sorted(plain.items())
    assert len(pages) == len(plain)
    assert all(pages.get(key) == plain.get(key) for key in {*gone, first, last})
    assert pages.between(first, last) == [item for item in sorted(plain.items()) if first <= item[0] <= last]
    assert pages == Pages[int]().without([]) or plain


def test_a_change_leaves_the_old_map_alone() -> None:
    """A state that somebody holds does not change under their hands."""
    before = Pages[str]().with_(1, "a")
    after = before.with_(1, "b").with_(2, "c")
    assert (before.get(1), before.get(2)) == ("a", None)
    assert after.without([1]).get(1) is None
    assert after.get(1) == "b"
    assert hash(before) == hash(Pages[str]().with_(1, "a"))
    assert before != after
