"""Sending with kafka-python, its clients played: what takes how long, and what is refused."""

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest
from kafka.errors import KafkaTimeoutError

from tests.builders.application import until
from tests.unit.sdk.sending.played import Client
from trimtab import ConfigurationError
from trimtab.sending import kafka_python
from trimtab.sending.broker_times import BrokerTimes
from trimtab.sending.kafka_python import KafkaPythonSender

FAILURE: Final = KafkaTimeoutError("played")


def test_a_wait_is_not_longer_than_it_may_be(
    sender: KafkaPythonSender, clients: list[Client]
) -> None:
    """Though there are two clients to wait for."""
    for key in (None, b"k"):
        sender.send("t", b"v", key)

    assert 2 == sender.flush(0.1)
    assert sum(sum(it.waited) for it in clients) < 0.15
    assert [9_000, 29_000] == [it.timeout_ms for it in clients]


def test_the_end_waits_for_callbacks_and_what_they_send(
    sender: KafkaPythonSender, clients: list[Client]
) -> None:
    """They run on a thread of the client's, which nobody joins."""
    is_to_end = threading.Event()

    def send_another(*_: object) -> None:
        is_to_end.wait(5)
        sender.send("another", b"v")

    sender.send("t", b"v", None, send_another)
    thread = threading.Thread(target=clients[0].deliver[0], args=(None,))
    thread.start()
    assert 1 == sender.flush(0.05)
    clients[0].on_wait = is_to_end.set
    left = sender.close(0.2)
    thread.join()

    assert (1, ["t", "another"]) == (left, clients[0].sent)


def test_what_is_delivered_at_the_last_moment_is_not_lost(
    sender: KafkaPythonSender, clients: list[Client]
) -> None:
    """The client is given a moment more than whoever closes; another one is not."""
    heard: list[object] = []
    for _ in range(2):
        sender.send("t", b"v", None, lambda error, _: heard.append(error))
    clients[0].on_wait = lambda: clients[0].deliver.pop()(None)

    assert (1, [None]) == (sender.close(0.0), heard)


def test_what_fails_after_the_end_is_told_and_was_counted(
    sender: KafkaPythonSender, clients: list[Client]
) -> None:
    """A callback may keep the client's thread for longer than it is waited for."""
    heard: list[object] = []
    fail: list[Callable[[Exception], object]] = []
    clients[0].on_error = fail.append
    sender.send("t", b"v", None, lambda error, _: heard.append(error))
    assert 1 == sender.close(0.0)
    fail[0](FAILURE)

    assert [FAILURE] == heard


def test_the_count_at_the_end_is_of_one_moment(sender: KafkaPythonSender) -> None:
    """A message that is settled meanwhile is in one of both counts."""
    sender.send("t", b"v")
    counts = sender._lock  # noqa: SLF001 - as who settles takes it
    left: list[int] = []
    thread = threading.Thread(target=lambda: left.append(sender.close(0.0)))
    with counts:
        thread.start()
        thread.join(0.2)
        assert [] == left
    thread.join()

    assert [1] == left


def test_what_waits_is_bounded(sender: KafkaPythonSender, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with librdkafka; this client would take messages until the memory is full."""
    monkeypatch.setattr(kafka_python, "_UNSETTLED_MAX", 2)
    for key in (None, b"k"):
        sender.send("t", b"v", key)

    for key in (None, b"k"):
        with pytest.raises(BufferError, match=r"^send: 2 messages are not settled"):
            sender.send("t", b"v", key)


@pytest.mark.parametrize("key", [None, b"k"])
def test_a_topic_that_was_forgotten_is_looked_for_again(
    sender: KafkaPythonSender, key: bytes | None
) -> None:
    """Whatever is sent to it: else its leaders would be in no report."""
    for _ in range(2):
        sender.send("t", b"v", key)
        assert ["t"] == sender.dispatch.topics()
        sender.dispatch.forget("t")


def test_after_the_end_nothing_is_taken(sender: KafkaPythonSender) -> None:
    """With a key or without one."""
    sender.close(0.0)

    for key in (None, b"k"):
        with pytest.raises(ConfigurationError, match=r"^send: the producer was closed"):
            sender.send("t", b"v", key)


def test_second_tries_do_not_hold_up_the_end(
    sender: KafkaPythonSender, clients: list[Client]
) -> None:
    """Each might wait for metadata; what is left is settled by who closes."""
    heard: list[object] = []
    put_back(sender, heard, 2)
    clients[0].on_send = sender._closing.set  # noqa: SLF001 - while the first one is sent
    sender._run()  # noqa: SLF001 - without the thread
    sender.close(0.0)

    assert (["t"], 1) == (clients[0].sent, len(heard))


def test_a_second_try_has_the_headers_of_the_first(
    sender: KafkaPythonSender, clients: list[Client]
) -> None:
    """The application may have used them again, for the next message."""
    headers = [("a", b"x")]
    clients[0].on_error = lambda failed: failed(FAILURE)
    sender.send("t", b"v", headers=headers)
    headers.clear()
    sender._hand_on(*sender._again.popleft())  # noqa: SLF001 - without the thread

    assert [[("a", b"x")]] * 2 == clients[0].headers


def test_a_topic_that_is_gone_is_not_waited_for(
    sender: KafkaPythonSender, clients: list[Client]
) -> None:
    """All other second tries would wait as well; what it has met before is what is told."""
    heard: list[object] = []
    put_back(sender, heard, 1)
    clients[0].known = None
    clients[0].on_send = lambda: pytest.fail("it waits for a minute")
    sender._hand_on(*sender._again.popleft())  # noqa: SLF001 - without the thread

    assert [FAILURE] == heard


def test_a_topic_that_is_unknown_for_a_moment_is_tried_again(
    sender: KafkaPythonSender, clients: list[Client]
) -> None:
    """Metadata may come without it, while its leader changes."""
    heard: list[object] = []
    put_back(sender, heard, 1, begun_s=time.monotonic())
    clients[0].known = None
    sender._hand_on(*sender._again.popleft())  # noqa: SLF001 - without the thread
    assert ([], []) == (clients[0].sent, heard)
    clients[0].known = {0}
    sender._hand_on(*sender._again.popleft())  # noqa: SLF001 - as above

    assert (["t"], []) == (clients[0].sent, heard)


def test_a_second_try_that_fails_at_once_is_told_and_ends_no_thread(
    sender: KafkaPythonSender, clients: list[Client]
) -> None:
    """The application's serializer is called again, and asks a registry that is away by now."""

    def serialize() -> None:
        raise ConnectionError

    heard: list[object] = []
    clients[0].on_send = serialize
    put_back(sender, heard, 1)
    sender.start()
    until(lambda: heard)
    put_back(sender, heard, 1)
    until(lambda: len(heard) > 1)
    sender.close(0.0)

    assert [ConnectionError] * 2 == [type(it) for it in heard]


def test_a_mistake_in_between_ends_no_thread(
    sender: KafkaPythonSender, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Second tries and verdicts would rest, silently."""
    ticks: list[int] = []

    def tick(*_: object) -> None:
        ticks.append(1)
        raise SystemExit(3)

    monkeypatch.setattr(sender.dispatch, "tick", tick)
    sender.start()
    until(lambda: len(ticks) > 1)
    monkeypatch.undo()
    sender.close(0.0)

    assert "SystemExit: 3" in caplog.text


def test_a_callback_that_exits_ends_no_thread_of_the_clients(
    sender: KafkaPythonSender, caplog: pytest.LogCaptureFixture
) -> None:
    """Python would end it without a word."""
    put_back(sender, [], 1)
    _, pending = sender._again.popleft()  # noqa: SLF001 - without the thread
    exits = replace(pending, on_delivery=lambda *_: sys.exit(3))
    sender._settle(exits, None, None)  # noqa: SLF001 - as the client's thread does

    assert "a callback failed" in caplog.text


def test_a_callback_is_known_as_one(sender: KafkaPythonSender) -> None:
    """To wait for others in it is refused by `Producer`."""
    refusals: list[str] = []

    def wait(_error: object, _metadata: object) -> None:
        try:
            sender.here.refuse("flush")
        except ConfigurationError as error:
            refusals.append(str(error))

    put_back(sender, [], 1)
    _, pending = sender._again.popleft()  # noqa: SLF001 - without the thread
    sender._settle(replace(pending, on_delivery=wait), None, None)  # noqa: SLF001 - as above
    sender.here.refuse("flush")

    assert ["flush"] == [it.partition(":")[0] for it in refusals]


def put_back(
    sender: KafkaPythonSender, heard: list[object], count: int, begun_s: float = -1e6
) -> None:
    """Messages that were tried once; long ago, if not said otherwise."""
    for _ in range(count):
        pending = kafka_python._Pending(  # noqa: SLF001 - as the sender makes them
            "t", b"v", None, lambda error, _: heard.append(error), begun_s, begun_s, error=FAILURE
        )
        sender._again.append((BrokerTimes("1"), pending))  # noqa: SLF001 - as its errback does
