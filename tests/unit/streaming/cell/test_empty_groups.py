"""Groups that nobody is in: what is left of them, and where they begin again."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rebalance.ids import GroupName
from streaming.cell.codec import Cell, write
from tests.builders.log import beat, join, leave, route
from tests.unit.streaming.cell.lone_cell import SWEPT_S, Controller, last_word, neighbours, tokens
from trimtab.protocol import HEARTBEATS, MEMBERS, ROUTES


@pytest.mark.parametrize("lost", [False, True], ids=["remembered", "checkpoint lost"])
@pytest.mark.parametrize("end", ["empty", "swept", "forgotten", "forgotten and swept"])
def test_tokens_go_on_growing(*, lost: bool, end: str) -> None:
    """However a group ended, and whatever was lost since: a store's highest token stays behind."""
    controller = Controller()
    before = max(controller.lives("billing") for _ in range(2))
    if "forgotten" in end:
        controller.forgets_by_command("billing")
    if "swept" in end:
        controller.ticks("billing", seconds=SWEPT_S)
        assert {} == controller.cell.groups.by_name()
    if lost:
        controller.loses_its_checkpoint()

    assert controller.lives("billing") > before


def test_what_was_forgotten_is_said_to_be_empty_and_at_which_epoch() -> None:
    """A tombstone would say that it never was."""
    controller = Controller()
    token = controller.lives("billing")
    controller.forgets_by_command("billing")
    word = last_word(controller, "billing")

    assert ("empty", 0, {}) == (word.state, word.members, dict(word.topics))
    assert word.epoch > token
    assert "command" == word.cause.kind


def test_a_new_name_begins_above_all_that_was_swept() -> None:
    """So that one number is enough for the names that a cell has forgotten."""
    controller = Controller()
    one, other = neighbours("billing", 2)
    highest = max(controller.lives(one) for _ in range(5))
    controller.ticks(one, seconds=SWEPT_S)

    assert {} == controller.cell.groups.by_name()
    assert controller.lives(other) > highest


def test_an_empty_group_found_published_is_one_number() -> None:
    """Names that were seen a year ago cost a start neither state nor records."""
    controller = Controller()
    names = neighbours("billing", 20)
    tokens = {name: controller.lives(name) for name in names}
    controller.loses_its_checkpoint()
    folded = controller.reads()

    assert ({}, []) == (folded.cell.groups.by_name(), folded.records)
    assert all(controller.lives(name) > token for name, token in tokens.items())


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("place", [0, 1])
def test_the_floor_is_nothing_to_a_group_that_lives(place: int, *, later: bool) -> None:
    """What its neighbours have come to says nothing about what it has published."""
    controller = Controller()
    names = sorted(neighbours("billing", 2))
    living, empty = names[place], names[1 - place]
    controller.log.append(MEMBERS, living, join("a"), at=1_000)
    controller.log.append(ROUTES, living, route(), at=1_000)
    held = tokens(controller.reads().records)
    highest = max(controller.lives(empty) for _ in range(5))
    controller.loses_its_checkpoint()
    told = controller.log.read()
    if later:  # which the reminder does not do
        controller.log.rows = [row for row in told if row.key == empty.encode()]
        controller.reads()
        told = [row for row in told if row.key == living.encode()]
    controller.log.rows = told
    folded = controller.reads()

    assert highest > max(token for _, token in held)
    assert held == tokens(folded.records)


def test_an_old_copy_of_the_checkpoint_takes_nothing_back() -> None:
    """What began, ended and was swept after the copy was taken is above its floor all the same."""
    controller = Controller()
    one, other = neighbours("billing", 2)
    controller.lives(one)
    controller.ticks(one, seconds=SWEPT_S)
    copy = controller.cell
    token = max(controller.lives(other) for _ in range(3))
    controller.ticks(other, seconds=SWEPT_S)
    controller.loses_its_checkpoint(copy)

    assert controller.lives(other) > token


def test_a_strangers_beat_makes_no_group_of_a_swept_one() -> None:
    """It is answered, and the cell stays as small as it was."""
    controller = Controller()
    controller.lives("billing")
    controller.ticks("billing", seconds=SWEPT_S)
    swept = controller.cell
    controller.log.append(HEARTBEATS, "billing", beat("zombie"), at=controller.now)
    folded = controller.reads()

    assert [(b"billing/zombie", None)] == [record[2:4] for record in folded.records]
    assert swept == replace(folded.cell, clock=swept.clock)


def test_names_seen_once_cost_nothing_in_the_end() -> None:
    """Two hundred of them, swept, take as many bytes as none: but for the digits of the floor."""
    controller, names = Controller(), neighbours("billing", 200)
    for name in names:
        controller.log.append(MEMBERS, name, join("a"), at=1_000)
        controller.log.append(MEMBERS, name, leave("a"), at=1_000)
    controller.log.tick("billing", at=1_000)
    controller.reads()
    full = len(write(controller.cell))
    controller.ticks("billing", seconds=SWEPT_S)

    swept, blank = len(write(controller.cell)), len(write(Cell()))

    assert full > 30_000
    assert swept <= blank + 16
    assert GroupName("g0") not in controller.cell.groups.by_name()


def test_the_log_says_when_and_not_where_a_batch_ends() -> None:
    """From the last leave to the hour in one batch, and each tick in one of its own (I7)."""
    cells = []
    for cut in (False, True):
        controller = Controller()
        controller.log.append(MEMBERS, "billing", join("a"), at=1_000)
        controller.log.tick("billing", at=1_000)
        controller.reads()
        controller.log.append(MEMBERS, "billing", leave("a"), at=1_000)
        for second in range(2, SWEPT_S):
            controller.log.tick("billing", at=1_000 * second)
            if cut:
                controller.reads()
        if not cut:
            controller.reads()
        cells.append(controller.cell)

    assert {} == cells[0].groups.by_name()
    assert cells[0] == cells[1]


BILLING, NEIGHBOUR = "billing", neighbours("billing", 1)[0]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([BILLING, NEIGHBOUR]),
            st.sampled_from(
                [
                    "lives",
                    "lives",
                    "lives",
                    "forgotten",
                    "swept",
                    "copied",
                    "restored",
                    "lost",
                    "reread",
                ]
            ),
        ),
        max_size=16,
    )
)
def test_no_token_ever_goes_back(deeds: list[tuple[str, str]]) -> None:
    """Whatever becomes of groups and checkpoints, a queue's next owner has a greater one (I3)."""
    controller, highest = Controller(), {BILLING: 0, NEIGHBOUR: 0}
    for group, deed in deeds:
        match deed:
            case "lives":
                token = controller.lives(group)
                assert token > highest[group]
                highest[group] = token
            case "forgotten":
                controller.forgets_by_command(group)
            case "swept":
                controller.ticks(group, seconds=SWEPT_S)
            case "copied":
                controller.copy = controller.cell
            case "restored":
                controller.loses_its_checkpoint(controller.copy)
            case "reread":
                controller.loses_its_checkpoint(logged=True)
            case _:
                controller.loses_its_checkpoint()
