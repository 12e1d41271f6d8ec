"""The tracing paper: reads see the drawing, the map beneath stays as it was."""

import pytest

from rebalance.groups.model.overlay import Overlay

BENEATH = {"a": 1, "b": 2, "c": 3}


def test_reads_see_the_drawing_first() -> None:
    """What was drawn hides what is beneath; a blot hides it too."""
    paper = Overlay(BENEATH)
    paper.put("b", 20)
    paper.remove("c")

    assert [1, 20, None, None] == [paper.get(key) for key in "abcd"]
    assert 20 == paper["b"]


def test_what_must_be_there_is_asked_for_by_index() -> None:
    """A key that is not visible is an error for those who know that it must be."""
    paper = Overlay(BENEATH)
    paper.remove("c")

    with pytest.raises(KeyError):
        paper["c"]


def test_items_keep_the_order_of_the_map_and_add_new_keys_at_the_end() -> None:
    """Command is part of determinism: the map's own first, then new keys as they were drawn."""
    paper = Overlay(BENEATH)
    for key, value in (("z", 26), ("b", 20), ("d", 4)):
        paper.put(key, value)
    paper.remove("a")

    assert [("b", 20), ("c", 3), ("z", 26), ("d", 4)] == list(paper.items())
    assert [20, 3, 26, 4] == list(paper.values())


def test_key_that_was_blotted_out_may_be_drawn_again() -> None:
    """Only the last stroke at a key counts."""
    paper = Overlay(BENEATH)
    paper.remove("a")
    paper.put("a", 10)
    paper.put("d", 4)
    paper.remove("d")

    assert {"a": 10, "b": 2, "c": 3} == paper.merged()
    assert {"a": 10, "d": None} == paper.written


def test_clean_sheet_gives_the_map_itself() -> None:
    """A step that changes nothing copies nothing."""
    assert BENEATH is Overlay(BENEATH).merged()


def test_map_beneath_is_never_touched() -> None:
    """The state that a step was given is a value."""
    paper = Overlay(BENEATH)
    paper.put("a", 10)
    paper.remove("b")
    paper.merged()

    assert {"a": 1, "b": 2, "c": 3} == BENEATH


def test_what_is_visible_is_counted() -> None:
    """Whatever is drawn over, blotted out or drawn again counts once, or not at all."""
    overlay = Overlay({"a": 1, "b": 2})
    for key, value in [("a", 3), ("c", 4), ("b", None), ("b", None), ("b", 5), ("c", None)]:
        if value is None:
            overlay.remove(key)
        else:
            overlay.put(key, value)

        assert len(overlay.merged()) == len(overlay)
