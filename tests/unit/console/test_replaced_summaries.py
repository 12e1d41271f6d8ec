"""`trimtab replay` finds the batches of which only a summary told, where Kafka keeps the last."""

from collections.abc import Callable
from random import Random

import pytest

from tests.builders.command_line import Run
from tests.builders.log import join, leave, route
from tests.unit.console.a_controller import GROUP, Cluster
from trimtab.protocol import COMMANDS, MEMBERS, ROUTES, Pause, Resume

SEEDS = pytest.mark.parametrize("seed", range(2))


def pauses(cluster: Cluster) -> None:
    """An operator pauses, twice; somebody joins meanwhile."""
    for number in range(2):
        cluster.says(COMMANDS.name, Pause(id=f"p{number}", principal="ann", reason="work"))
        cluster.lives(2)
        cluster.says(MEMBERS.name, join(f"late-{number}"))
        cluster.lives(3)
        cluster.says(COMMANDS.name, Resume(id=f"r{number}", principal="ann", reason="done"))
        cluster.lives(1 + number * 3)


def falls_silent(cluster: Cluster) -> None:
    """Most are held, and heard again."""
    heard = dict(cluster.members)
    for name in "bcd":
        del cluster.members[name]
    cluster.lives(14)
    cluster.members = heard
    cluster.lives(6)


@SEEDS
@pytest.mark.parametrize("happens", [pauses, falls_silent])
def test_a_batch_that_only_a_summary_told_of_is_found(
    run: Run, happens: Callable[[Cluster], None], seed: int
) -> None:
    """Without it each later epoch would be one too low."""
    cluster = Cluster(Random(seed))
    cluster.lives(2)
    cluster.says(MEMBERS.name, join("a"))
    cluster.lives(1)
    cluster.says(ROUTES.name, route(queues=8))
    cluster.lives(1)
    for name in "bcd":
        cluster.says(MEMBERS.name, join(name))
    cluster.lives(9)
    happens(cluster)
    cluster.says(MEMBERS.name, leave("a"))
    del cluster.members["a"]
    cluster.lives(4)
    kept = run("replay", cluster.write(), "--group", GROUP)
    assert (0, "") == kept[::2]

    cluster.compact()
    code, out, error = run("replay", cluster.write(), "--group", GROUP)
    assert (0, "") == (code, error)
    assert [*map(untimed, kept[1].splitlines())] == [*map(untimed, out.splitlines())]


def untimed(line: str) -> str:
    """Leave out when and how a batch was cut."""
    return "batch" if line.startswith("batch ") else line
