"""What probes and Prometheus see of a controller."""

import json
import time
from collections import Counter

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from tests.builders.command_line import Run
from tests.integration.conftest import MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.outside_view import (
    ask,
    counts,
    each_input_is_counted_once,
    metrics,
)
from tests.integration.published import PATIENCE_S, Published
from tests.integration.topics import PARTITIONS
from trimtab.protocol import RebalanceDone, partition_of

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

QUEUES = 8


def test_probes_say_that_it_works(controller: ControllerProcess, published: Published) -> None:
    """It lives, and it is ready: a batch was committed a moment ago."""
    assert (200, '{"ok": true}\n') == ask(controller, "/livez")
    published.wait_until(lambda: ask(controller, "/readyz")[0] == 200)


def test_it_meets_its_workers_by_sockets(
    controller: ControllerProcess, published: Published
) -> None:
    """Over TCP each batch would wait 40 ms for a delayed acknowledgement."""
    del published  # its first batch is done
    assert any((controller.home / ".spark-scratch" / "sockets").glob(".*.sock"))


@pytest.mark.alone
def test_each_input_is_counted_once(
    kafka: EmbeddedKafka, controller: ControllerProcess, published: Published, group: str
) -> None:
    """All results together are all records, and dead letters are as many as were written (I12)."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    place = f"{controller.prefix}members", partition_of(group, PARTITIONS)
    for _ in range(7):
        producer.produce(place[0], b"garbage", group.encode(), place[1])
    assert 0 == producer.flush(30)
    shown = each_input_is_counted_once(controller)
    published.catch_up()

    letters = Counter[tuple[str, str]](
        (it.topic.removeprefix(controller.prefix), it.reason)
        for it in published.letters
        if it.topic.startswith(controller.prefix)  # not a test's own letter
    )
    counted = counts(shown, "dead_letters_total", "reason")
    differ = {it: (letters[it], counted[it]) for it in letters | counted}
    assert {} == {it: both for it, both in differ.items() if both[0] != both[1]}, (
        shown,
        published.letters[-20:],
    )
    assert 7 <= letters["members", "garbage"]


def test_what_is_decided_of_a_group_is_counted(
    controller: ControllerProcess, published: Published, group: str, member: MakeMember
) -> None:
    """Its members and queues as the summary has them, its rebalances as the history has them."""
    label = f'group="{group}"'
    members = f'trimtab_group_members{{{label},state="active"}}'
    with member("a"):
        published.wait_until(lambda: published.is_stable(group, "a", QUEUES))
        published.wait_until(lambda: metrics(controller).get(members) == 1)
        controller.commit()
        found = metrics(controller)

    assert QUEUES == found[f'trimtab_group_queues{{{label},state="assigned"}}']
    assert published.groups[group].epoch == found[f"trimtab_group_epoch{{{label}}}"]
    history = published.of_group(group)
    done = Counter(it.cause.kind for it in history if isinstance(it, RebalanceDone))
    shown = {it: found[f'trimtab_rebalances_total{{{label},cause="{it}"}}'] for it in done}
    assert done == shown


def test_it_says_how_it_is_doing(controller: ControllerProcess, terminal: Run) -> None:
    """On `controllers`, every five seconds; the command shows it."""
    rows: list[dict[str, object]] = []
    deadline = time.monotonic() + PATIENCE_S
    while not rows:
        assert time.monotonic() < deadline
        code, out, err = terminal("controllers", "list", "--living", "-o", "json")
        assert 0 == code, err
        rows = [it for it in json.loads(out)["controllers"] if it["batch"] is not None]

    port = controller.settings["controller.http_port"]
    expected = [("trimtab", f"http://127.0.0.1:{port}")]
    assert expected == [(it["controller"], it["page"]) for it in rows]
    assert "LONGEST_MS" in terminal("controllers", "list")[1]


def test_the_log_says_what_was_decided(
    controller: ControllerProcess, published: Published, group: str, member: MakeMember
) -> None:
    """A line for a rebalance; Spark's start is announced, and how long the whole start took."""
    with member("a"):
        published.wait_until(lambda: published.is_stable(group, "a", QUEUES))
        controller.wait_for_line("rebalanced", f"group={group}", within=PATIENCE_S)

    (line,) = controller.lines("Spark has started")
    assert "took_s=" in line
    assert "took_s=" in controller.lines("controller ready")[0]
