"""What a callback sends to a topic that kafka-python does not know: it cannot wait for it there."""

import pytest

from tests.unit.sdk.sending.played import Client
from trimtab.sending.kafka_python import KafkaPythonSender

REFUSED = (
    "ConfigurationError: send: the client does not know topic audit yet, and learns of it on the "
    "thread of this callback: name it in `topics` of the producer, or send to it once before, "
)


@pytest.mark.parametrize(
    ("key", "how"), [(None, "without a key"), (b"k", "with a key")], ids=["without a key", "keyed"]
)
def test_on_the_thread_that_asks_for_it_it_is_refused(
    sender: KafkaPythonSender,
    clients: list[Client],
    key: bytes | None,
    how: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """That would wait for itself, for a minute, and all other messages with it."""
    sender.send("t", b"v", key, lambda *_: sender.send("audit", b"more", key))
    client = clients[-1]
    client.known = None
    client.call_back()

    assert REFUSED + how in caplog.text
    assert (["t"], 0) == (client.sent, sender.flush(0.0))


def test_on_another_thread_it_waits(sender: KafkaPythonSender, clients: list[Client]) -> None:
    """Each client has one of its own; and of a topic that is known nothing is refused."""
    sender.send("t", b"v", None, lambda *_: sender.send("audit", b"more", b"k"))
    sender.send("t", b"v", None, lambda *_: sender.send("t", b"more"))
    sender.send("t", b"v", b"k")
    clients[1].known = None
    clients[0].call_back()
    clients[0].known = None
    sender.send("audit", b"by the application")

    assert [["t", "t", "t", "audit"], ["t", "audit"]] == [it.sent for it in clients]


def test_the_client_for_keys_looks_for_what_is_known_already(
    sender: KafkaPythonSender, clients: list[Client]
) -> None:
    """Also for topics that were named: callbacks on its thread may send there."""
    sender.send("t", b"v", b"k")

    assert ["named"] == clients[1].looked_for
