"""Tables that are too large for the exact way: swaps must not cost what matters more."""

import random

import numpy as np
import pytest

from allocators.sticky.chain import Chain
from allocators.sticky.pour import exchange
from allocators.sticky.swaps import swap


def chain(dice: random.Random, members: int = 12, topics: int = 9) -> Chain:
    """Make a chain whose loads are settled somehow: some queues kept, some new, some lost."""
    may = np.array([[dice.random() < 0.7 for _ in range(topics)] for _ in range(members)])
    held = np.array([[dice.randint(0, 3) for _ in range(topics)] for _ in range(members)])
    held = np.asfortranarray(np.where(may, held, 0).astype(np.int32))
    free = np.zeros(topics, np.int64)
    bounds = np.zeros(members, np.int64)
    made = Chain(held, may, free, bounds, bounds)
    gets = np.array([[dice.choice([0, 0, 0, 1, 9]) for _ in range(topics)] for _ in range(members)])
    made.gets[:] = np.where(may, gets, 0)
    return made


def moves(table: Chain) -> int:
    """Count queues that somebody has and had not."""
    return int(np.maximum(table.gets - table.held, 0).sum())


@pytest.mark.parametrize("seed", range(50))
def test_a_swap_costs_nothing_that_matters_more(seed: int) -> None:
    """Loads, topics and subscriptions stay; moves do not rise; of moves and squares one falls."""
    table = chain(random.Random(seed))
    before, moved = table.gets.copy(), moves(table)
    swap(table)

    assert (before.sum(axis=1) == table.gets.sum(axis=1)).all()
    assert (before.sum(axis=0) == table.gets.sum(axis=0)).all()
    assert (table.gets >= 0).all()
    assert not table.gets[~table.may].any()
    assert (moves(table), (table.gets**2).sum()) <= (moved, (before**2).sum())


def test_heaps_that_stand_out_are_lowered() -> None:
    """Two members, two topics, each with all of one: one of each is better."""
    table = Chain(
        np.zeros((2, 2), np.int32), np.ones((2, 2), np.bool_), *np.zeros((3, 2), np.int64)
    )
    table.gets[:] = [[4, 0], [0, 4]]
    swap(table)

    assert [[2, 2], [2, 2]] == table.gets.tolist()


def test_room_is_found_round_the_corner() -> None:
    """B is full and may have the stuck topic; a has room, but only for what b was just given."""
    may = np.array([[True, False], [True, True]])
    limit = np.array([1, 1])
    table = Chain(np.zeros((2, 2), np.int32), may, np.array([0, 1]), limit, limit)
    table.gets[:] = [[0, 0], [1, 0]]
    table.loads = np.array([0, 1])
    table.recount()
    exchange(table, np.array([1, 1]))

    assert [[1, 0], [0, 1]] == table.gets.tolist()
    assert ([1, 1], [0, 0]) == (table.loads.tolist(), table.free.tolist())
