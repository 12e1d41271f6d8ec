"""`trimtab replay` lets a group begin above the epochs of neighbours that are forgotten since."""

from random import Random

from console.recordings.replaying import Replay
from console.settings import load
from console.wiring import described
from tests.builders.command_line import Run
from tests.builders.log import join, leave, route
from tests.unit.console.a_controller import GROUP, NEIGHBOUR, Cluster
from trimtab.protocol import COMMANDS, MEMBERS, ROUTES, EvictMember

SOON = "policy.keep_empty=5s"


def comes_and_goes(cluster: Cluster, group: str, *members: str) -> None:
    """A group has these members, one after the other."""
    for name in members:
        cluster.says(MEMBERS.name, join(name), group)
        cluster.lives(1)
        cluster.says(MEMBERS.name, leave(name), group)
        cluster.lives(1)
        cluster.members.clear()


def rests(cluster: Cluster) -> None:
    """Nobody says anything for so long that even who left is forgotten."""
    for _ in range(160):
        cluster.now += 950  # as far as one tick moves the log's clock
        cluster.lives(1)


def test_a_group_begins_above_what_its_cell_remembers(run: Run) -> None:
    """In its first life and in its second; also what a command for no such group is told."""
    options = described(load(environment={}, key_values=[SOON]).settings)
    cluster = Cluster(Random(1), controller=Replay.of(options))
    cluster.lives(2)
    comes_and_goes(cluster, NEIGHBOUR, "x", "y")
    rests(cluster)
    evict = EvictMember(id="e", principal="ann", reason="it is slow", member="nobody")
    cluster.says(COMMANDS.name, evict)
    cluster.lives(2)
    comes_and_goes(cluster, GROUP, "a")
    comes_and_goes(cluster, NEIGHBOUR, "x", "y", "z")
    rests(cluster)
    cluster.says(COMMANDS.name, evict.model_copy(update={"id": "f"}))
    cluster.lives(2)
    cluster.says(MEMBERS.name, join("b"))
    cluster.lives(2)
    cluster.says(ROUTES.name, route(queues=4))
    cluster.lives(3)
    begun = [it for it in cluster.history(GROUP) if '"epoch_before":' in it]
    assert ["4", "5", "10", "11"] == [it.split('"epoch_before":')[1].split(",")[0] for it in begun]

    cluster.compact()
    code, out, error = run("replay", cluster.write(), "--group", GROUP, "--set", SOON)
    assert (0, "") == (code, error)
    assert len(begun) == out.count("rebalance ")
    assert 2 == out.count("no such group")
