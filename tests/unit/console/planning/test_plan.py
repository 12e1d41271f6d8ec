"""A plan says what the group does when it happens: compared with a group to which it happens."""

from collections.abc import Callable

import pytest

from allocators import allocator
from rebalance.groups.model.commands import ChooseMode, ChooseStrategy, DrainMember, Pause
from rebalance.ids import MemberId, TopicName
from tests.builders.command_line import Run
from tests.builders.records import commanded
from tests.unit.console.planning.published_group import (
    NAME,
    Ask,
    PublishedGroup,
    moved,
    route,
    told,
)

REFUSED, NOT_FOUND = 3, 4


@pytest.fixture
def group() -> PublishedGroup:
    """Three members and eight queues, at rest."""
    group = PublishedGroup()
    group.joins("node-1-a", rack="r1")
    group.hears(route("orders", 8))
    group.joins("node-1-b", "node-2-c", rack="r2")
    group.waits(2)
    return group


def drains(group: PublishedGroup) -> None:
    """An operator drains a member."""
    group.story.reads(commanded(DrainMember(MemberId("node-1-b"))))
    group.waits(1)


def dies(group: PublishedGroup) -> None:
    """A member is silent for longer than its session."""
    group.waits(60, silent=["node-2-c"])


def burns(group: PublishedGroup) -> None:
    """All members of a host are silent."""
    group.waits(240, silent=["node-1-a", "node-1-b"])


def grows(group: PublishedGroup) -> None:
    """Two members come."""
    group.joins("node-1-a-new-1", "node-1-a-new-2")


def changes(group: PublishedGroup) -> None:
    """Another strategy is chosen."""
    group.story.reads(commanded(ChooseStrategy("AVG_BY_CIRCLE")))
    group.story.allocator = allocator("AVG_BY_CIRCLE")
    group.waits(1)


@pytest.mark.parametrize(
    ("question", "happen"),
    [
        (("--drain", "node-1-b"), drains),
        (("--lose", "node-2-c"), dies),
        (("--lose-host", "node-1"), burns),
        (("--add", "2"), grows),
        (("--strategy", "AVG_BY_CIRCLE"), changes),
    ],
)
def test_a_plan_says_what_then_happens(
    group: PublishedGroup,
    ask: Ask,
    question: tuple[str, ...],
    happen: Callable[[PublishedGroup], None],
) -> None:
    """The same queues go from the same members to the same."""
    code, plan = ask("plan", NAME, *question)
    before = group.owners()
    happen(group)

    assert (0, []) == (code, plan["unknown"])
    assert moved(before, group.owners()) == told(plan)
    assert len(plan["moved"]) == plan["moves"] > 0


def test_who_would_come_shares_what_a_command_has_shared(group: PublishedGroup, ask: Ask) -> None:
    """It owns none of it, as those that are there."""
    names = [f"client-{it}" for it in "abc"]
    group.joins(*names, topics=("visits",), protocol="eager")
    group.hears(route("visits", 8))
    group.story.reads(commanded(ChooseMode(TopicName("visits"), pops=True)))
    group.waits(1)
    code, plan = ask("plan", NAME, "--add", "1", "--like", "client-a")

    assert (0, []) == (code, plan["moved"])
    assert {0} == {
        row["after"] for row in plan["members"] if row["member"] in {*names, "client-a-new-1"}
    }


def test_a_plan_says_why(ask: Ask) -> None:
    """Of each queue, in sum and by member."""
    _, plan = ask("plan", NAME, "--drain", "node-1-b")

    assert ["drain node-1-b"] == plan["changes"]
    assert {"node-1-b drains"} == {row["why"] for row in plan["moved"]}
    assert plan["moves"] == sum(row["queues"] for row in plan["pairs"])
    (gone,) = [row for row in plan["members"] if row["member"] == "node-1-b"]
    assert (plan["moves"], 0, plan["moves"]) == (gone["before"], gone["after"], gone["gives"])


def test_people_read_a_sum_first(group: PublishedGroup, ask: Ask, run: Run) -> None:
    """Who gives how many to whom; then each queue."""
    del group, ask
    code, out, _ = run("plan", NAME, "--lose", "node-2-c")

    assert 0 == code
    assert "change: node-2-c is lost: node-2-c" in out
    assert "note: noticed after 10 s without heartbeats" in out
    assert out.index("FROM") < out.index("BEFORE") < out.index("WHY")


def test_many_that_fall_silent_at_once_are_doubted(group: PublishedGroup, ask: Ask) -> None:
    """So it is said for how long."""
    group.joins("node-1-d")
    group.waits(1)
    _, plan = ask("plan", NAME, "--lose-host", "node-1")

    assert any("evictions are held for" in note for note in plan["notes"])


def test_what_is_not_known_is_said(group: PublishedGroup, ask: Ask) -> None:
    """A join that the log does not hold any more, and the queues of a topic."""
    group.topics["trimtab.members"] = group.topics["trimtab.members"][1:]
    del group.topics["trimtab.routes"]
    code, plan = ask("plan", NAME, "--drain", "node-1-b")

    assert 0 == code
    assert 8 == plan["queues"]
    assert 2 == len(plan["unknown"])
    assert plan["unknown"][0].startswith("how node-1-a joined")
    assert plan["unknown"][1].startswith("the queues of orders")


@pytest.mark.parametrize(
    "question",
    [
        ("--drain", "nobody"),
        ("--lose", "nobody"),
        ("--lose-host", "nod"),
        ("--lose-rack", "r9"),
        ("--add", "1", "--like", "nobody"),
    ],
)
def test_who_is_not_there_cannot_go(ask: Ask, question: tuple[str, ...]) -> None:
    """One line, and 4."""
    code, plan = ask("plan", NAME, *question)

    assert NOT_FOUND == code
    assert 1 == len(plan["error"].splitlines())


def test_a_rack_is_what_members_said(ask: Ask) -> None:
    """When they joined."""
    _, plan = ask("plan", NAME, "--lose-rack", "r2")

    assert ["rack r2 is lost: node-1-b, node-2-c"] == plan["changes"]
    assert {"node-1-a"} == {row["to"] for row in plan["moved"]}


def test_those_that_come_are_like_one_that_is_there(ask: Ask) -> None:
    """Or subscribe what they are said to."""
    _, alike = ask("plan", NAME, "--add", "1", "--like", "node-1-b")
    _, others = ask("plan", NAME, "--add", "1", "--topic", "payments")

    assert ["node-1-b-new-1 comes, like node-1-b"] == alike["changes"]
    assert {"node-1-b-new-1"} == {row["to"] for row in alike["moved"]}
    assert [] == others["moved"]
    (note,) = others["notes"]  # it may be a typo, and is no plan in which nothing moves
    assert note.startswith("payments: no member of the group subscribes this, so its queues are")
    assert [] == ask("plan", NAME, "--add", "1", "--topic", "orders")[1]["notes"]


@pytest.mark.parametrize("option", ["--like", "--topic"])
def test_what_describes_new_members_needs_some(run: Run, option: str) -> None:
    """It would be passed over, and the plan would be of something else."""
    code, out, err = run("plan", NAME, option, "orders")

    assert (2, "") == (code, out)
    assert err.startswith(f"trimtab: {option} needs --add: ")


def test_a_dry_run_is_answered_by_the_brain(ask: Ask, run: Run) -> None:
    """What it refuses is refused, nothing is written, and a pause holds."""
    del ask
    why = ("--reason", "rack 7", "--dry-run")
    code, out, _ = run("groups", "drain", NAME, "node-1-b", *why)
    assert (0, True) == (code, "change: drain node-1-b" in out)
    code, out, _ = run("groups", "strategy", NAME, "NOPE", *why)
    assert (REFUSED, True) == (code, "refused: strategy: " in out)
    code, out, _ = run("groups", "evict", NAME, "node-1-b", "--base-epoch", "1", *why)
    assert (REFUSED, True) == (code, "conflict: the group is at epoch" in out)
    assert NOT_FOUND == run("groups", "evict", NAME, "nobody", *why)[0]


def test_a_pause_is_heeded(group: PublishedGroup, ask: Ask, run: Run) -> None:
    """A command moves what it moves in a paused group; a plan says what the end of it brings."""
    group.story.reads(commanded(Pause()))
    group.waits(1)
    group.joins("new-1")
    why = ("--reason", "rack 7", "--dry-run")
    code, out, _ = run("groups", "rebalance", NAME, *why)
    assert (0, True) == (code, "waits for `groups resume`" in out)
    assert "moves     0 of 8 queues" in out
    resumed = run("groups", "resume", NAME, *why)[1]
    assert "new-1" in resumed.splitlines()[-1]

    _, plan = ask("plan", NAME)
    assert "it is paused, and all of this waits for `groups resume`" in plan["notes"]
    code, out, _ = run("groups", "drain", NAME, "node-1-b", *why)
    before = group.owners()
    drains(group)
    rows = [
        f"{queue}  {giver}  {taker} "
        for queue, (giver, taker) in moved(before, group.owners()).items()
    ]
    assert 3 == len(rows)
    assert all(row in out for row in rows)


def test_the_last_worker_of_a_topic_is_refused_as_by_the_controller(
    group: PublishedGroup, ask: Ask, run: Run
) -> None:
    """With a plan as with the command; by force its queues have no worker."""
    group.joins("alone", topics=("payments",))
    group.hears(route("payments", 2))
    group.waits(1)
    why = ("--reason", "rack 7", "--dry-run")
    code, out, _ = run("groups", "drain", NAME, "alone", *why)
    assert (REFUSED, True) == (code, "no other member works on payments" in out)

    code, plan = ask("plan", NAME, "--drain", "alone")
    assert {("payments-0", None), ("payments-1", None)} == {
        (row["queue"], row["to"]) for row in plan["moved"]
    }


def test_members_are_taken_as_they_are(group: PublishedGroup, ask: Ask) -> None:
    """Who drains already gives nothing more, and gets nothing."""
    drains(group)
    _, plan = ask("plan", NAME, "--lose", "node-2-c")
    before = group.owners()
    dies(group)

    assert moved(before, group.owners()) == told(plan)
    assert {"node-1-a"} == {row["to"] for row in plan["moved"]}
