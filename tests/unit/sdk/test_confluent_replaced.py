"""A producer that has given up for good is replaced while other threads send."""

from collections.abc import Callable

import pytest
from confluent_kafka import KafkaError

from trimtab.session import Send
from trimtab.transports.confluent import ConfluentTransport
from trimtab.transports.contract import Undelivered

Report = Callable[[KafkaError, None], object]
PURGED = KafkaError(KafkaError._PURGE_QUEUE)  # noqa: SLF001 - its documented name


class Played:
    """A producer that delivers nothing, and reports that of what waits when it is purged."""

    made: Callable[[], object] = bool
    """What another thread does while one is made, which takes some milliseconds."""

    def __init__(self, *_: object, **__: object) -> None:
        self._waiting: list[Report] = []
        self._purged: list[Report] = []
        Played.made()

    def produce(self, *_: object, on_delivery: Report, **__: object) -> None:
        """Keep it."""
        self._waiting.append(on_delivery)

    def purge(self) -> None:
        """Give up what waits."""
        self._purged, self._waiting = self._waiting, []

    def poll(self, _: float) -> None:
        """Report that."""
        for report in self._purged:
            report(PURGED, None)
        self._purged = []


def test_what_is_sent_while_a_producer_is_replaced_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A release of which nothing is heard is not said again, and its member never leaves."""
    monkeypatch.setattr("trimtab.transports.confluent.Producer", Played)
    transport = ConfluentTransport("127.0.0.1:1", "t.", 1_000, {"log_level": 0})
    transport.send(Send("members", b"", b"", 1))
    transport.renew()
    monkeypatch.setattr(Played, "made", lambda: transport.send(Send("releases", b"", b"", 2)))
    events = transport.poll(0)
    transport._consumer.close()  # noqa: SLF001 - its producer is none

    assert [1, 2] == [it.ticket for it in events if isinstance(it, Undelivered)]
