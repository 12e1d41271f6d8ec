"""Cells are dealt to tasks evenly; test_cluster sees that Spark deals them so."""

from collections import Counter

import pytest

from streaming.wire.places import places, task_of


@pytest.mark.parametrize("tasks", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("cells", [1, 8, 32, 512])
def test_tasks_differ_by_one_cell_at_most(cells: int, tasks: int) -> None:
    """And each number says which cell it is of."""
    numbers = places(cells, tasks)

    dealt = Counter(task_of(it, tasks) for it in numbers)
    assert {cells // tasks, -(-cells // tasks)} >= {dealt[it] for it in range(tasks)}
    assert list(range(cells)) == [it % cells for it in numbers]
    assert max(numbers) < 2**31


def test_with_one_task_a_cell_has_its_index() -> None:
    """So the checkpoints of one machine stay as they are."""
    assert list(range(32)) == places(32, 1)


def test_spark_hashes_numbers_so() -> None:
    """`SELECT pmod(hash(it), 2)` for the first eight."""
    assert HASHED == [task_of(it, 2) for it in range(8)]


HASHED = [1, 1, 0, 1, 0, 0, 1, 1]
