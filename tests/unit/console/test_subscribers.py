"""Who has joined Kafka's own group: what is not answered is not known, and ends nobody."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from subprocess import Popen
from threading import Thread
from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    ListConsumerGroupsResult,
)

from console import subscribers, subscribers_process
from console.errors import Away, Failure
from console.settings import load
from console.subscribers import Described, Subscribers
from tests.builders.command_line import Run

NOTHING: frozenset[tuple[str, int]] = frozenset()


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a Kafka that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.slow
def test_a_kafka_that_hangs_is_said_to(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its client's library may end the process that asks: it is not ours."""
    monkeypatch.setattr(subscribers, "PATIENCE_S", 60.0)
    settings = load(environment={"TRIMTAB_KAFKA__BOOTSTRAP_SERVERS": silent}).settings
    with subscribers.asking(settings) as asked, pytest.raises(Failure):
        asked.of(["billing"])


def test_consumers_that_can_move_are_no_foreign_members() -> None:
    """They join by rights; anybody else is named with the host."""
    members = [("trimtab-moving-a", "/h1"), ("old", "/h2")]
    groups = {
        "billing": Described(is_steady=True, members=members, assigned=NOTHING),
        "b": Described(is_steady=False, members=[], assigned=NOTHING),
    }

    (billing,) = subscribers.foreign(groups).values()

    assert (["old at /h2"], {"a": 1}) == (billing.foreign, billing.movable)


def test_what_those_have_that_cannot_move_is_told_apart() -> None:
    """They read it, whatever was committed last."""
    members = [["trimtab-moving-a", "/h1", [["orders", 0]]], ["old", "/h2", [["orders", 1]]]]
    told = json.dumps({"billing": {"is_steady": True, "members": members}})
    process = cast("Popen[str]", SimpleNamespace(communicate=lambda *_: (told, ""), returncode=0))
    found = Subscribers(process).committed("billing")

    assert [("orders", 1)] == [*found.unmovable]
    assert [("orders", 0), ("orders", 1)] == sorted(found.assigned)


@pytest.mark.slow
def test_who_asks_on_which_side_a_group_is_does_not_die_of_it(run: Run) -> None:
    """Nobody listens there: one line, and a code that scripts know."""
    nowhere = "kafka.bootstrap_servers=127.0.0.1:1"
    code, out, err = run("groups", "sides", "billing", "--set", nowhere)

    assert (5, "", 1) == (code, out, len(err.splitlines())), err
    assert err.startswith("trimtab: billing: Kafka does not answer")


@pytest.mark.parametrize(
    "option", ["ssl.ca.location=no-such-file", "sasl.mechanism=TELEPATHY", "no.such.option=1"]
)
def test_a_wrong_option_is_no_dead_kafka(run: Run, option: str) -> None:
    """Whoever moves a group back would look for that, and a script would try again for ever."""
    options = ["security.protocol=SASL_SSL", "sasl.username=a", "sasl.password=b", option]
    flags = [it for each in options for it in ("--set", f"kafka.options.{each}")]
    nowhere = "kafka.bootstrap_servers=127.0.0.1:1"
    code, out, err = run("groups", "sides", "billing", "--set", nowhere, *flags)

    assert (2, "") == (code, out)
    assert err.startswith("trimtab: kafka.options: ")


@pytest.fixture
def plain() -> Iterator[str]:
    """The address of a Kafka that knows nothing of TLS."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with suppress(OSError):  # until it is closed
                while True:
                    caller, _ = server.accept()
                    with caller, suppress(OSError):
                        caller.sendall(b"no TLS is spoken here")

        Thread(target=answer, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.slow
@pytest.mark.parametrize("groups", [["billing"], ["billing", "orders"]])
def test_what_was_met_on_the_way_is_said(plain: str, groups: list[str]) -> None:
    """It is told beside the answer, which is that time is up."""
    settings = load(
        key_values=["kafka.options.security.protocol=ssl", f"kafka.bootstrap_servers={plain}"],
        environment={},
    ).settings
    with subscribers.asking(settings) as asked, pytest.raises(Away, match="SSL"):
        asked.of(groups)


class Half:
    """A Kafka of which one broker does not say which groups it has."""

    def list_consumer_groups(self, **_: object) -> "Future[Any]":
        """Say what the others have."""
        answer: Future[Any] = Future()
        error = KafkaError(KafkaError.COORDINATOR_NOT_AVAILABLE)
        answer.set_result(ListConsumerGroupsResult(valid=[], errors=[cast("Any", error)]))
        return answer


def test_what_one_broker_does_not_say_is_not_known() -> None:
    """The doctor would find no foreign members in the groups that are there."""
    with pytest.raises(KafkaException):
        subscribers_process.ask(Half(), ["billing", "orders"])  # type: ignore[arg-type]  # a client


class Strange:
    """A Kafka to which somebody has committed what is no text."""

    topic, partition, offset = "orders", 3, 7

    @property
    def metadata(self) -> str:
        """As confluent-kafka reads it, which now and then goes on behind the end."""
        return b"trimtab:5:\xff".decode()

    def list_consumer_group_offsets(
        self, asked: list[Any], **_: object
    ) -> "dict[str, Future[Any]]":
        """Say what a group has committed."""
        answer = Future[Any]()
        answer.set_result(SimpleNamespace(topic_partitions=[self]))
        return {asked[0].group_id: answer}


def test_what_is_no_text_behind_a_commit_is_left_out() -> None:
    """No command ends by it, and the side that was said counts."""
    kafka: Any = Strange()

    assert [("orders", 3, 7, "trimtab:5:")] == subscribers_process.committed(kafka, "billing")


def test_it_waits_longer_than_the_process() -> None:
    """Which asks twice; its own reason says more than that nothing came."""
    assert 2 * subscribers_process.ASK_S < subscribers.PATIENCE_S
