"""What a callback sends to a topic that kafka-python does not know yet: it cannot wait for it."""

import time

import pytest

from tests.unit.sdk.sending.played import Client
from trimtab import ConfigurationError
from trimtab.sending.kafka_python import KafkaPythonSender


class Callback:
    """One that sends to another topic, and whose client can be told to know it."""

    def __init__(self, sender: KafkaPythonSender, clients: list[Client], key: bytes | None) -> None:
        self.heard: list[object] = []
        self._sender, self._clients, self._key = sender, clients, key
        sender.send("t", b"v", key)
        self.client = clients[-1]

    def send(self, number: bytes) -> None:
        """Send in a callback."""
        with self._sender.here:
            self._sender.send("audit", b"v", self._key, self._hear, [("number", number)])

    def know(self, *, is_known: bool) -> None:
        """The topic is known to the client, or not."""
        self.client.known = {0} if is_known else None
        self.client.on_send = bool if is_known else lambda: pytest.fail("it waits for a minute")

    def tick(self) -> None:
        """What the thread of second tries does."""
        self._sender._put_off.offer(self._sender._send_late)  # noqa: SLF001 - without the thread

    def sent(self) -> list[bytes]:
        """The numbers of what the client was given."""
        return [headers[0][1] for headers in self.client.headers[1:]]

    def _hear(self, error: object, _metadata: object) -> None:
        self.heard.append(error)


@pytest.fixture
def callback(
    sender: KafkaPythonSender, clients: list[Client], request: pytest.FixtureRequest
) -> Callback:
    """It."""
    return Callback(sender, clients, getattr(request, "param", None))


both = pytest.mark.parametrize(
    "callback", [None, b"k"], ids=["without a key", "with one"], indirect=True
)


@both
def test_a_callback_waits_for_no_topic_and_what_it_sends_goes_later(
    sender: KafkaPythonSender, callback: Callback
) -> None:
    """In its order, also if the topic is known before all that waits has gone."""
    callback.know(is_known=False)
    for number in (b"1", b"2"):
        callback.send(number)
    callback.tick()
    assert ([], "audit", 3) == (callback.sent(), callback.client.looked_for[0], sender.flush(0.0))

    callback.know(is_known=True)
    callback.send(b"3")
    assert [] == callback.sent()
    callback.tick()
    callback.send(b"4")
    assert [b"1", b"2", b"3", b"4"] == callback.sent()
    assert 5 == sender.flush(0.0)
    for deliver in callback.client.deliver:
        deliver(type("Metadata", (), {"partition": 0}))
    assert (0, [None] * 4) == (sender.flush(0.0), callback.heard)


def test_a_client_is_not_made_in_a_callback(
    sender: KafkaPythonSender, clients: list[Client], callback: Callback
) -> None:
    """It connects, for which all others would wait."""
    with sender.here:
        sender.send("audit", b"v", b"k")
    assert 1 == len(clients)
    callback.tick()

    assert ["audit"] == clients[1].sent


@both
def test_a_topic_that_stays_unknown_is_told_of_in_time(
    sender: KafkaPythonSender, callback: Callback, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the deadline, as nothing else was to come of it."""
    callback.know(is_known=False)
    callback.send(b"1")
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 29)
    callback.tick()
    assert [] == callback.heard
    monkeypatch.setattr(time, "monotonic", lambda: now + 31)
    callback.tick()

    assert ["KafkaTimeoutError: the topic is unknown"] == [str(it) for it in callback.heard]
    monkeypatch.undo()
    assert 1 == sender.flush(0.0)


@both
def test_what_waits_is_told_that_the_producer_was_closed(
    sender: KafkaPythonSender, callback: Callback
) -> None:
    """And after that no callback sends anything."""
    callback.know(is_known=False)
    callback.send(b"1")
    callback.client.on_wait = callback.client.deliver.clear

    assert 2 == sender.close(0.0)
    assert ["KafkaError: the producer was closed"] == [str(it) for it in callback.heard]
    with pytest.raises(ConfigurationError, match=r"^send: the producer was closed"):
        callback.send(b"2")
