"""`trimtab replay` takes the batches as they were, and tells nothing that was not published."""

import json
from random import Random

import pytest

from tests.builders.command_line import Run
from tests.builders.log import join, route
from tests.unit.console.a_controller import GROUP, Cluster, a_cluster
from trimtab.protocol import COMMANDS, MEMBERS, ROUTES, Pause, Resume


def replayed(out: str) -> list[dict[str, object]]:
    """The history that a replay writes, durations aside."""
    lines = [json.loads(line) for line in out.splitlines()]
    return [timeless(it["value"]) for it in lines if it.get("topic") == "trimtab.history"]


def timeless(text: str) -> dict[str, object]:
    """An entry without what the length of a beat's way decides."""
    return {
        name: it for name, it in json.loads(text).items() if name not in {"duration_ms", "idle_ms"}
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("has_neighbour", [False, True], ids=["alone", "with a neighbour"])
def test_the_batches_are_those_of_the_controller(
    run: Run,
    seed: int,
    has_neighbour: bool,  # noqa: FBT001 - by pytest
) -> None:
    """All that was published comes again, in its order, and nothing else."""
    cluster = a_cluster(seed, has_neighbour=has_neighbour)
    code, out, error = run("replay", cluster.write(), "--group", GROUP, "--json")

    assert (0, "") == (code, error)
    assert [*map(timeless, cluster.history(GROUP))] == replayed(out)
    assert any("expired" in it for it in cluster.history(GROUP))


@pytest.mark.parametrize("seed", range(2))
def test_a_batch_that_was_repeated_is_told_once(run: Run, seed: int) -> None:
    """A controller that is killed writes the same again: part of it, and then all (A1, A10)."""
    cluster = a_cluster(seed, is_killed=True)
    name = cluster.write()
    code, out, error = run("replay", name, "--json")

    assert (0, "") == (code, error)
    assert [*map(timeless, cluster.history(GROUP))] == replayed(out)


@pytest.mark.parametrize("is_killed", [False, True])
def test_who_was_removed_is_judged_once(run: Run, is_killed: bool) -> None:  # noqa: FBT001 - by pytest
    """In the copy of a removal nobody is left who could be judged."""
    cluster = a_cluster(1, is_killed=is_killed)
    cluster.rows = [row for row in cluster.rows if row.value is not None]

    assert (0, "") == run("check", cluster.write())[::2]


@pytest.mark.parametrize("seed", [4, 5])
def test_many_may_join_at_once(run: Run, seed: int) -> None:
    """A deployment: more in one millisecond than is tried one by one, and a route unread."""
    cluster = Cluster(Random(seed))
    cluster.lives(2)
    cluster.says(MEMBERS.name, join("a"))
    cluster.lives(3)
    cluster.says(ROUTES.name, route(queues=4))
    cluster.now += 30
    for number in range(12):
        cluster.says(MEMBERS.name, join(f"m{number}"))
    cluster.reads(routine=False)
    cluster.lives(3)
    code, out, error = run("replay", cluster.write())

    assert (0, "") == (code, error)
    assert 13 == out.count(" joined ")


@pytest.mark.parametrize("seed", range(8))
def test_a_batch_may_have_read_one_topic_late_and_no_other(run: Run, seed: int) -> None:
    """What a member said at that moment it had read, and what an operator said it had not."""
    cluster = Cluster(Random(seed))
    cluster.lives(2)
    cluster.says(MEMBERS.name, join("a"))
    cluster.lives(1)
    cluster.says(ROUTES.name, route(queues=8))
    cluster.lives(2)
    for number in range(3):
        pause = Pause(id=f"p{number}", principal="ann", reason="work")
        cluster.says(COMMANDS.name, pause)
        cluster.lives(3)
        cluster.says(MEMBERS.name, join(f"z{number}"))
        cluster.now += 30
        cluster.says(COMMANDS.name, Resume(id=f"r{number}", principal="ann", reason="work"))
        cluster.lives(4)
    code, out, error = run("replay", cluster.write(), "--json")

    assert (0, "") == (code, error)
    assert [*map(timeless, cluster.history(GROUP))] == replayed(out)


def test_it_ends_where_something_else_was_published(run: Run) -> None:
    """What came before is told, the difference is named, and the code says that there is one."""
    cluster = a_cluster(1)
    place = next(n for n, row in enumerate(cluster.rows) if b'"expired"' in (row.value or b""))
    row = cluster.rows[place]
    cluster.rows[place] = row._replace(value=(row.value or b"").replace(b"expired", b"fenced"))
    code, out, error = run("replay", cluster.write())

    assert 3 == code
    assert "b joined" in out
    assert "b expired" not in out
    assert "difference at 2026-01-01T" in error
    assert "published: trimtab.history/" in error
    assert "b fenced" in error
    assert "replayed:  billing: b expired" in error


def test_other_settings_show_as_a_difference(run: Run) -> None:
    """And by --every they are tried without being compared."""
    name = a_cluster(1).write()
    other = ("--set", "policy.strategy=AVG_BY_CIRCLE", "--group", GROUP)

    assert 3 == run("replay", name, *other)[0]
    assert 0 == run("replay", name, *other, "--every", "300")[0]


def test_what_may_be_why_is_said_after_a_difference(run: Run) -> None:
    """Another number of partitions, another prefix beside it, a member that joins too often."""
    cluster = a_cluster(1)
    for number in range(5):
        life = f"{1_767_225_600_000 + number}-00000000"
        cluster.says(MEMBERS.name, join("e", incarnation=life))
        cluster.lives(1)
    cluster.append("b.members", GROUP, b"", cluster.now)
    code, _, error = run("replay", cluster.write(), "--set", "topics.partitions=12")

    assert 3 == code
    assert "partition than their key gives with topics.partitions = 12" in error
    assert "1 records of topics that are not read (b.members)" in error
    assert "e of billing joined again 5 times" in error


def test_a_clock_that_stepped_back_is_named(run: Run) -> None:
    """It is why a replay ends there, though the first records are kept (B2)."""
    cluster = a_cluster(1)
    cluster.now -= 60_000
    cluster.says(MEMBERS.name, join("d"))
    cluster.lives(9)
    code, _, error = run("replay", cluster.write())

    assert 3 == code
    assert "a broker's clock went back by 59" in error
    assert "clock" not in run("replay", a_cluster(1).write())[2]


def test_a_log_whose_beginning_is_gone_is_said_to_be_so(run: Run) -> None:
    """Nothing is made up of what is left."""
    code, out, error = run("replay", a_cluster(1).write("members"))

    assert (3, "") == (code, out)
    assert "not one record came as it was published" in error


def test_only_what_came_since_is_printed(run: Run) -> None:
    """The rest is decided all the same."""
    name = a_cluster(1).write()
    whole = run("replay", name)[1]
    late = run("replay", name, "--since", "2026-01-01T00:00:20Z")[1]

    assert whole.endswith(late)
    assert "b expired" in late
    assert "b joined" not in late
