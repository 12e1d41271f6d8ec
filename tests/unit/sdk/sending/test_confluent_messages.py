"""What a message takes with it, sent with librdkafka's real client, which reaches nobody.

That is its callback, whatever that is like, and what its headers were when it was sent.
"""

from typing import Any

import pytest

from trimtab import Producer
from trimtab.sending.confluent import ConfluentSender
from trimtab.sending.confluent_callbacks import Attempt


def unreached() -> Producer:
    """A producer whose Kafka nobody reaches."""
    return Producer("127.0.0.1:1", client="confluent", central=False, kafka={"log_level": 0})


class Equal:
    """A callback that hears of one message, and equals each other one."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def __call__(self, error: object, _message: object) -> None:
        """Hear of it."""
        self.heard.append(error)

    def __eq__(self, _other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Unhashable(Equal):
    """The same, and no key of any dict."""

    __hash__ = None  # type: ignore[assignment]  # as a dataclass has it


@pytest.mark.parametrize("kind", [Unhashable, Equal])
def test_each_callback_hears_of_its_own_message(kind: Any) -> None:  # noqa: ANN401 - of either class
    """Also if it equals another one, or has no hash."""
    producer = unreached()
    first, second = kind(), kind()
    for callback in (first, second):
        producer.send("t", b"v", None, callback)
    producer.close("1ms")

    assert [1, 1] == [len(it.heard) for it in (first, second)]


def test_a_second_try_has_the_headers_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The application may have used them again, for the next message."""
    failed: list[Attempt] = []
    monkeypatch.setattr(ConfluentSender, "_answered", lambda *it: failed.append(it[2]))
    producer = unreached()
    headers: dict[str, str | bytes | None] = {"a": "x"}
    producer.send("t", b"v", headers=headers)
    headers.clear()
    producer.close("1ms")

    assert [{"a": "x"}] == [it.headers for it in failed]
