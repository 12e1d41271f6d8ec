"""What the terminal says of a live group: how it is, who has each queue, since when and why."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.command_line import Run
from tests.integration.conftest import QUEUES
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from trimtab.protocol import DeadLetter, encode

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

OK, REFUSED, NOT_FOUND, TIMEOUT = 0, 3, 4, 5
WHY = ("--reason", "rack 7")


def read(terminal: Run, *arguments: str) -> list[dict[str, Any]]:
    """The rows that a command prints for programs."""
    code, out, error = terminal(*arguments, "-o", "json")
    assert (OK, "") == (code, error)
    (rows,) = json.loads(out).values()
    return rows  # type: ignore[no-any-return]  # of JSON


def wrong(terminal: Run, group: str) -> list[str]:
    """What the doctor would type about a group; a slow machine's controller may be ill as well."""
    code, out, _ = terminal("doctor", group, "-o", "json")
    found = json.loads(out)["findings"]
    assert code == (REFUSED if found else OK)
    remedies = [it["remedy"] for it in found if it["subject"] == group]
    return [command for it in remedies for command in re.findall(r"`(.*?) --reason", it)]


@pytest.mark.usefixtures("two")
def test_a_live_group_is_told_in_one_command_each(terminal: Run, group: str, topic: str) -> None:
    """Which groups and how they are; who has each queue; who is in; what happened."""
    (summary,) = [row for row in read(terminal, "groups", "list") if row["group"] == group]
    assert ("stable", 2, QUEUES, 0) == tuple(
        summary[it] for it in ("state", "members", "assigned", "unassigned")
    )

    queues = read(terminal, "queues", "list", group)
    assert {f"{topic}-{number}" for number in range(QUEUES)} == {row["queue"] for row in queues}
    assert {("a", "held", "b"), ("b", "held", "a")} == {
        (row["owner"], row["state"], row["next"]) for row in queues
    }
    assert {"a": QUEUES // 2, "b": QUEUES // 2} == {
        row["member"]: row["hold"] for row in read(terminal, "members", "list", group)
    }
    kinds = [row["kind"] for row in read(terminal, "groups", "history", group)]
    assert {"member", "rebalance", "grant", "handover"} == {*kinds}

    code, screen, _ = terminal("groups", "describe", group)
    assert OK == code
    for part in (f"group         {group}", topic, "went from a to b", "b joined"):
        assert part in screen


def committed(servers: str, group: str, topic: str) -> None:
    """Three messages in the first queue of a topic, of which the group has finished one."""
    producer = Producer({"bootstrap.servers": servers})
    for _ in range(3):
        producer.produce(topic, b"", partition=0)
    assert 0 == producer.flush(30)
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group})
    consumer.commit(offsets=[TopicPartition(topic, 0, 1)], asynchronous=False)
    consumer.close()


@pytest.mark.usefixtures("two")
def test_the_lag_of_each_queue_stands_beside_its_owner(
    terminal: Run, kafka: EmbeddedKafka, group: str, topic: str
) -> None:
    """Where the group has committed; elsewhere nothing is guessed."""
    committed(kafka.bootstrap_servers, group, topic)
    rows = read(terminal, "queues", "list", group, "--lag")

    assert (1, 3, 2) == tuple(rows[0][it] for it in ("committed", "end", "lag"))
    assert {None} == {row["lag"] for row in rows[1:]}
    assert {"a", "b"} == {row["owner"] for row in rows}


@pytest.mark.usefixtures("two")
def test_a_queue_that_moved_is_explained(terminal: Run, group: str) -> None:
    """The join, the rebalance and the hand-over, with their places in the log."""
    moved = next(row for row in read(terminal, "queues", "list", group) if row["owner"] == "b")
    steps = read(terminal, "groups", "explain", group, moved["queue"])
    whole = read(terminal, "groups", "explain", group)

    assert "b joined" == steps[0]["what"]
    assert steps[1]["what"].startswith("rebalance ")
    assert f"{moved['queue']}" in steps[2]["what"]
    assert "went from a to b" in steps[2]["what"]
    assert f"now b holds it under epoch {moved['epoch']}" == steps[-2]["what"]
    assert steps[-1]["what"].startswith("now a comes next, under epoch ")
    assert all("join of b, " in row["because"] for row in steps[:-1])
    assert "b joined" == whole[0]["what"]
    assert whole[-1]["what"].startswith("now stable")

    code, out, error = terminal("groups", "explain", group, "--at", "2001-01-01")
    assert (NOT_FOUND, "") == (code, out)
    assert error.startswith(f"trimtab: the history has no rebalance of {group} up to then: it begi")


@pytest.mark.usefixtures("two")
def test_what_happened_is_decided_again_batch_by_batch(terminal: Run, group: str) -> None:
    """The batches of the controller that lives: all that it published comes, and no difference."""
    code, out, error = terminal("replay", "--group", group)

    assert (OK, False) == (code, "difference" in error), error
    told = [row["what"] for row in read(terminal, "groups", "history", group)]
    assert told
    assert all(what.partition(" in ")[0] in out for what in told)


def test_a_name_that_is_not_there_is_said_to_be_so(terminal: Run, group: str) -> None:
    """Exit code 4 and one line."""
    for command in (
        ("groups", "describe", group),
        ("groups", "history", group),
        ("groups", "explain", group, "orders-0"),
        ("queues", "list", group),
        ("members", "list", group),
    ):
        code, out, error = terminal(*command)
        assert (NOT_FOUND, "") == (code, out), command
        assert error.startswith(f"trimtab: there is no group {group}")
        assert 1 == len(error.splitlines())


@pytest.mark.usefixtures("two")
def test_a_command_waits_for_its_answer(terminal: Run, published: Published, group: str) -> None:
    """Done, with what undoes it; refused, with the reason; what it names has to be there."""

    def order(*arguments: str) -> tuple[int, str]:
        code, out, error = terminal("groups", *arguments, *WHY)
        return code, out + error

    code, told = order("drain", group, "b")
    assert (OK, True) == (code, told.startswith(f"done: drain b of {group} at epoch "))
    undo = f'trimtab groups undrain {group} b --reason "as before"'
    assert f"undo: {undo}" == told.splitlines()[1]

    last = "no other member works on "
    code, told = order("drain", group, "a")
    assert (REFUSED, True) == (code, told.startswith(f"trimtab: refused: {last}"))
    assert OK == order("drain", group, "a", "--force")[0]
    published.wait_until(lambda: published.groups[group].state == "starved")
    assert [f"trimtab groups undrain {group} a"] == wrong(terminal, group)
    assert OK == order("undrain", group, "a")[0]
    published.wait_until(lambda: published.groups[group].state == "stable")
    assert [] == wrong(terminal, group)
    assert group in terminal("top", "--once")[1]

    code, told = order("strategy", group, "NOPE")
    assert (REFUSED, True) == (code, told.startswith("trimtab: refused: strategy: "))
    code, told = order("policy", group, "session_timeout=11m")
    assert (REFUSED, True) == (code, told.startswith("trimtab: refused: session_timeout must lie"))
    nobody = f"trimtab: there is no member c of {group}; there are a, b\n"
    assert (NOT_FOUND, nobody) == order("evict", group, "c")
    assert NOT_FOUND == order("pause", f"{group}-x")[0]
    code, told = order("rebalance", group, "--timeout", "1ms")
    assert TIMEOUT == code
    assert "Is a controller running?" in told
    assert OK == order("rebalance", group, "--no-wait")[0]

    (drained,) = [row for row in read(terminal, "members", "list", group) if row["member"] == "b"]
    assert "draining" == drained["state"]


@pytest.mark.usefixtures("two")
def test_a_plan_is_what_the_controller_then_does(
    terminal: Run, published: Published, group: str
) -> None:
    """A dry run moves nothing; then the command moves what the plan has said."""
    before = {row["queue"]: row["owner"] for row in read(terminal, "queues", "list", group)}
    code, out, _ = terminal("plan", group, "--drain", "b", "-o", "json")
    plan = json.loads(out)
    assert (OK, []) == (code, plan["unknown"])
    assert QUEUES // 2 == plan["moves"]

    code, out, _ = terminal("groups", "drain", group, "b", *WHY, "--dry-run")
    assert (OK, True) == (code, "b drains" in out)
    assert before == {row["queue"]: row["owner"] for row in read(terminal, "queues", "list", group)}
    assert OK == terminal("groups", "drain", group, "b", *WHY)[0]
    published.wait_until(
        lambda: (
            {("a", QUEUES), ("b", 0)}
            == {(it.member, it.hold) for it in published.groups[group].people}
        )
    )

    after = {row["queue"]: row["owner"] for row in read(terminal, "queues", "list", group)}
    assert {row["queue"]: row["to"] for row in plan["moved"]} == {
        queue: owner for queue, owner in after.items() if owner != before[queue]
    }


def owners(terminal: Run, group: str) -> dict[str, str | None]:
    """Who works on each queue."""
    return {row["queue"]: row["owner"] for row in read(terminal, "queues", "list", group)}


@pytest.mark.usefixtures("two")
def test_who_comes_goes_and_how_it_is_shared_is_planned(
    terminal: Run,
    published: Published,
    group: str,
    arguments: Callable[[str], dict[str, object]],
) -> None:
    """A member more, a host that is lost, another strategy: then that is what happens."""

    def plan(*question: str) -> dict[str, str | None]:
        code, out, _ = terminal("plan", group, *question, "-o", "json")
        told = json.loads(out)
        assert (OK, []) == (code, told["unknown"])
        before = owners(terminal, group)
        assert told["moves"] == len(told["moved"])
        return before | {row["queue"]: row["to"] for row in told["moved"]}

    planned = plan("--add", "1")
    command = [sys.executable, "-m", "tests.integration.worker", json.dumps(arguments("a-new-1"))]
    with subprocess.Popen(command) as lost:
        try:
            published.wait_until(lambda: published.is_stable(group, ["a", "a-new-1", "b"], QUEUES))
            assert planned == owners(terminal, group)
            planned = plan("--lose-host", "a-new")
        finally:
            lost.kill()
    published.wait_until(lambda: published.is_stable(group, ["a", "b"], QUEUES))
    assert planned == owners(terminal, group)

    planned = plan("--strategy", "AVG_BY_CIRCLE")
    assert planned != owners(terminal, group)
    assert OK == terminal("groups", "strategy", group, "AVG_BY_CIRCLE", *WHY)[0]
    published.wait_until(lambda: published.groups[group].strategy == "AVG_BY_CIRCLE")
    published.wait_until(lambda: planned == owners(terminal, group))


def test_a_command_about_a_broker_is_answered(terminal: Run, group: str) -> None:
    """One that nobody knows is named only by force; that it is spared, as its last, is said."""
    about = ("a", "--cluster", f"cluster-of-{group}")
    assert NOT_FOUND == terminal("brokers", "eject", *about, *WHY)[0]

    code, out, _ = terminal("brokers", "eject", *about, *WHY, "--force", "--dry-run")
    assert (OK, True) == (code, out.startswith("would be done: eject a of "))
    assert NOT_FOUND == terminal("brokers", "list", *about[1:])[0]

    code, out, _ = terminal("brokers", "eject", *about, *WHY, "--force")
    spared = f"done: eject a of cluster-of-{group}: spared, too few would be left: "
    assert (OK, True) == (code, out.startswith(spared))
    (verdict,) = read(terminal, "brokers", "explain", *about)
    assert ("available", "operator") == (verdict["state"], verdict["detector"])
    assert OK == terminal("brokers", "restore", *about, *WHY)[0]
    assert OK == terminal("brokers", "forget", *about, *WHY)[0]


def test_a_record_that_was_refused_twice_is_one(
    terminal: Run, kafka: EmbeddedKafka, controller: ControllerProcess, group: str
) -> None:
    """A repeated batch, and a new checkpoint, write a dead letter again.

    Of a topic that no controller reads: others count what this one wrote itself.
    """
    record = DeadLetter(
        reason="invalid",
        detail=group,
        topic=f"of-{group}",
        partition=0,
        offset=1,
        size=0,
        truncated=False,
    )
    other = record.model_copy(update={"offset": 2})
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    for it in (record, other, record):
        producer.produce(f"{controller.prefix}deadletters", encode(it))
        producer.flush()
    producer.close()

    found = [it["record"] for it in read(terminal, "deadletters", "list") if it["detail"] == group]
    assert [f"{record.topic}/0@1", f"{record.topic}/0@2"] == found
