"""Sending with librdkafka's real client, which reaches nobody: what waits is purged instead."""

import os
import re
import signal
import sys
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import sleep

import pytest

from tests.builders.application import until
from trimtab import ConfigurationError, Producer
from trimtab.sending.confluent import ConfluentSender

Sent = Callable[..., None]


@pytest.fixture
def producer() -> Iterator[Producer]:
    """One whose Kafka nobody reaches; its reports are served."""
    made = Producer("127.0.0.1:1", client="confluent", central=False, kafka={"log_level": 0})
    sender(made).start()  # and no keeper, who would ask for leaders
    yield made
    made.close("1ms")


def sender(made: Producer) -> ConfluentSender:
    """What is behind it."""
    found = made._sender  # noqa: SLF001 - its clients are purged here
    assert isinstance(found, ConfluentSender)
    return found


def purge(made: Producer) -> None:
    """Have everything reported that waits."""
    for lane in sender(made)._lanes:  # noqa: SLF001 - as above
        lane.client.purge()


@pytest.mark.parametrize("key", [None, b"k"])
def test_a_callback_that_sends_runs_in_no_other(producer: Producer, key: bytes | None) -> None:
    """If it is asked for reports while it gives some, librdkafka's client ends the process."""
    depths, under_way = list[int](), list[int]()

    def send_another(_error: object, _message: object) -> None:
        under_way.append(1)
        depths.append(len(under_way))
        sleep(0.05)  # until the other reports are ready
        producer.send("t", b"v", b"another")
        under_way.pop()

    for _ in range(2):
        producer.send("t", b"v", key, send_another)
    purge(producer)
    until(lambda: len(depths) == 2)

    assert [1, 1] == depths


def test_a_callback_waits_for_no_other(producer: Producer) -> None:
    """It would wait for itself; and nothing has ended by that."""
    refusals: list[str] = []

    def wait(_error: object, _message: object) -> None:
        for call in (producer.flush, producer.close):
            try:
                call()
            except ConfigurationError as error:
                refusals.append(str(error))

    producer.send("t", b"v", b"k", wait)
    purge(producer)
    until(lambda: len(refusals) == 2)
    producer.send("t", b"v")

    assert ["flush", "close"] == [it.partition(": it waits for callbacks")[0] for it in refusals]


@pytest.mark.parametrize("mistake", [SystemExit(3), CancelledError("3")], ids=repr)
@pytest.mark.parametrize("key", [None, b"k"])
def test_a_callback_that_exits_ends_no_thread_of_ours(
    producer: Producer,
    key: bytes | None,
    mistake: BaseException,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The next one is heard of as well."""
    heard: list[object] = []

    def raises(*_: object) -> None:
        raise mistake

    producer.send("t", b"v", key, raises)
    purge(producer)
    until(lambda: f"{type(mistake).__name__}: 3" in caplog.text)
    producer.send("t", b"v", key, lambda *it: heard.append(it))
    purge(producer)

    until(lambda: heard)


@pytest.mark.parametrize("end", [Producer.flush, Producer.close])
@pytest.mark.parametrize("keys", [(b"k", None), (None, b"k"), (b"k", None, b"k", None)])
def test_the_end_waits_for_what_callbacks_send(
    end: Callable[[Producer], int], keys: tuple[bytes | None, ...]
) -> None:
    """Whichever client it goes by: none is done before all are."""
    kafka = {"test.mock.num.brokers": 1, "linger.ms": 50, "log_level": 0}
    producer = Producer("127.0.0.1:1", client="confluent", central=False, kafka=kafka)
    heard, left = list[object](), iter(keys)

    def send_next(error: object = None, message: object = None) -> None:
        heard.extend([error] if message else [])
        with suppress(StopIteration):
            producer.send("t", b"v", next(left), send_next)

    send_next()

    assert (0, [None] * len(keys)) == (end(producer), heard)
    producer.close()


def test_all_that_nobody_asks_about_is_said(
    producer: Producer, caplog: pytest.LogCaptureFixture
) -> None:
    """How many are lost, also if that is at the very end."""
    for key in (None, b"k"):
        for _ in range(50):
            producer.send("t", b"v", key)
    purge(producer)
    until(lambda: "given up" in caplog.text)
    producer.send("t", b"v")
    producer.close("1ms")

    assert 101 == sum(map(int, re.findall(r"given up: (\d+) messages", caplog.text)))


def test_after_the_end_nothing_is_taken_and_nothing_is_left() -> None:
    """Whoever has kept `send` is told, too; the clients disconnect."""
    others = _threads_of_clients()
    producer = Producer("127.0.0.1:1", client="confluent", central=False, kafka={"log_level": 0})
    kept = producer.send
    producer.send("t", b"v", b"k")
    ours = _threads_of_clients() - others
    given_up = producer.close("1ms")
    for send in (kept, producer.send):
        for key in (None, b"k"):
            with pytest.raises(ConfigurationError, match=r"^send: the producer was closed"):
                send("t", b"v", key)
    del kept, send

    assert (1, 0, 1) == (given_up, producer.flush(), producer.close())
    with pytest.raises(ConfigurationError, match=r"^start: a producer is started once, and not"):
        producer.start()
    assert ours
    until(lambda: not _threads_of_clients() & ours)


def test_a_callback_that_exits_at_the_end_keeps_no_client_open() -> None:
    """Else the thread of the other one would ask for reports of a client that is gone."""
    producer = Producer("127.0.0.1:1", client="confluent", central=False, kafka={"log_level": 0})
    producer.send("t", b"v", None, lambda *_: sys.exit(3))
    producer.send("t", b"v", b"k")
    keyed = sender(producer)._keyed  # noqa: SLF001 - nobody else has it
    assert keyed is not None

    with pytest.raises(SystemExit):
        producer.close("1ms")
    assert not keyed._thread.is_alive()  # noqa: SLF001 - as above


def _threads_of_clients() -> set[str]:
    """Those of librdkafka, whose names say so."""
    found = set[str]()
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # it has just ended
            if (task / "comm").read_text().startswith("rdk:"):
                found.add(task.name)
    return found


def test_it_is_started_once() -> None:
    """Its threads are."""
    producer = Producer("127.0.0.1:1", client="confluent", central=False, kafka={"log_level": 0})
    producer.start("0s")

    with pytest.raises(ConfigurationError, match=r"^start: a producer is started once"):
        producer.start()
    producer.close("1ms")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_sends_nothing_and_ends_nothing(producer: Producer) -> None:
    """Its threads are in the other process, so nothing would be sent, and no wait would end."""
    if not (child := os.fork()):
        code = 99
        try:  # whatever happens: the tests go on in the other process alone
            calls: list[Callable[[], object]] = [producer.start]
            calls += [partial(producer.send, "t", b"v", key) for key in (None, b"k")]
            refused = sum(map(_is_refused, calls))
            code = refused + producer.flush() + producer.close()
        finally:
            os._exit(code)
    code = _exit_code(child)
    heard: list[object] = []
    producer.send("t", b"v", None, lambda *it: heard.append(it))
    purge(producer)

    assert 3 == code
    until(lambda: heard)


def _exit_code(child: int) -> int:
    """Wait for it, but not for one that hangs."""
    ended: list[int] = []

    def has_ended() -> bool:
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            ended.append(status)
        return bool(ended)

    try:
        until(has_ended)
    finally:
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended[0])


def _is_refused(call: Callable[[], object]) -> bool:
    try:
        call()
    except ConfigurationError as error:
        return "make it after the fork" in str(error)
    return False


def test_those_that_come_again_are_remembered(producer: Producer) -> None:
    """Methods are made anew each time they are named, and are the same all the same."""
    heard: list[object] = []

    class Hearer:
        def hear(self, error: object, _message: object) -> None:
            heard.append(error)

    hearer = Hearer()
    for _ in range(3):
        producer.send("t", b"v", None, hearer.hear)
    _, (_, told, _), _ = sender(producer).dispatch.turns["t"]()
    producer.close("1ms")

    assert (1, 3) == (len(told), len(heard))


def test_a_message_with_a_key_is_given_up_in_time(producer: Producer) -> None:
    """A timeout is noticed up to a second late."""
    assert 29_000 == sender(producer)._patience.whole_ms  # noqa: SLF001 - as above
