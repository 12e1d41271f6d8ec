"""The ways to the controller, with real clients that reach nobody."""

import gc
import logging
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import confluent_kafka
import pytest
from confluent_kafka import Consumer, KafkaError, TopicPartition
from kafka.errors import TopicAuthorizationFailedError

from tests.builders.application import until
from tests.builders.half_written import HalfWritten
from trimtab import Producer, TransportError
from trimtab.sending import confluent_link, kafka_python_link
from trimtab.sending.confluent_link import ConfluentLink
from trimtab.sending.contract import Place
from trimtab.sending.kafka_python_link import KafkaPythonLink
from trimtab.sending.kafka_python_questions import cluster_id

NOWHERE = "127.0.0.1:1"
DENIED = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)


@pytest.fixture
def vain(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Let kafka-python give up soon; in the end there are the threads of before.

    It leaves sockets to the garbage collector, which warns of them in whatever test comes next; a
    line of its log would hold them until then.
    """
    caplog.set_level(logging.CRITICAL, "kafka")
    monkeypatch.setitem(kafka_python_link.DEFAULTS, "bootstrap_timeout_ms", 50)
    before = set(threading.enumerate())
    yield
    until(lambda: set(threading.enumerate()) <= before)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def test_who_connects_by_a_token_does_so_for_verdicts_and_reports_too() -> None:
    """Its name does not begin as that of the others does that say how to connect."""
    asked: list[object] = []

    def token(_config: object) -> tuple[str, float]:
        asked.append(threading.get_ident())
        return "a.b.c", 4e9

    how = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanisms": "OAUTHBEARER"}
    link = ConfluentLink(Place(NOWHERE, {**how, "oauth_cb": token}), "trimtab.")
    until(lambda: link.poll(10) or asked)
    link.close()


@pytest.mark.parametrize(
    "option", ["enable.ssl.certificate.verification", "enable.sasl.oauthbearer.unsecure.jwt"]
)
def test_all_that_says_how_to_connect_is_passed_on(option: str) -> None:
    """And nothing else: what concerns messages is the application's."""
    link = ConfluentLink(Place(NOWHERE, {option: "false", "linger.ms": 7}), "trimtab.")
    settings = link._reading, link._writing  # noqa: SLF001 - nothing public shows them
    link.close()

    assert [(True, None), (True, 0)] == [(option in it, it.get("linger.ms")) for it in settings]


def test_where_verdicts_were_cut_they_are_read_from_their_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both clients would go on at the end, and what is valid may stand before that."""
    given: list[Mapping[str, object]] = []

    def connected(_make: object, options: Mapping[str, object], _link: object) -> object:
        given.append(options)
        raise TransportError("away")

    monkeypatch.setattr(kafka_python_link, "connected", connected)
    with suppress(TransportError):
        KafkaPythonLink(Place(NOWHERE, {}), "trimtab.").open("east")
    link = ConfluentLink(Place(NOWHERE, {}), "trimtab.")
    given.append(link._reading)  # noqa: SLF001 - nothing public shows them
    link.close()

    assert ["earliest"] * 2 == [
        it.get("auto_offset_reset") or it.get("auto.offset.reset") for it in given
    ]


def test_a_right_that_librdkafka_misses_is_named() -> None:
    """It would be silence."""
    link = ConfluentLink(Place(NOWHERE, {}), "trimtab.")
    link._take(cast("Any", SimpleNamespace(error=lambda: DENIED)), [])  # noqa: SLF001 - no Kafka denies here
    link._delivered(DENIED, cast("Any", None))  # noqa: SLF001 - as above
    told = link.troubles()

    assert [] == link.troubles()
    assert [
        ("Read on topic trimtab.brokers", True),
        ("Write on topic trimtab.latency", True),
    ] == [(it.partition("has no right to ")[2].partition(" (")[0], NOWHERE in it) for it in told]
    link.close()
    link.close()


def test_clients_that_cannot_be_replaced_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is just replacing the files of their certificate."""
    kinds = {"Consumer": Consumer, "Producer": confluent_kafka.Producer}
    for name, kind in kinds.items():
        monkeypatch.setattr(confluent_link, name, HalfWritten(kind))
    monkeypatch.setattr(confluent_link, "_WORN_S", -1.0)
    link = ConfluentLink(Place(NOWHERE, {}), "trimtab.")
    link._start = TopicPartition("trimtab.brokers", 0)  # noqa: SLF001 - no Kafka tells it here
    clients = [(link._consumer, link._producer)]  # noqa: SLF001 - as above
    for _ in range(2):
        link._failing_since = 0.0  # noqa: SLF001 - as above
        link.poll(0)
        clients.append((link._consumer, link._producer))  # noqa: SLF001 - as above

    first, then, last = clients
    assert first == then
    assert not {*first} & {*last}
    link.close()


class Denying:
    """A client of kafka-python that may nothing."""

    def __init__(self) -> None:
        self._fetcher = SimpleNamespace(_next_partition_records=None)

    def poll(self, **_: object) -> object:
        """It is refused, at once."""
        raise TopicAuthorizationFailedError({"trimtab.brokers"})

    def send(self, *_: object, **__: object) -> object:
        """As above."""
        raise TopicAuthorizationFailedError("trimtab.latency")


def test_a_right_that_kafka_python_misses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is not asked for again and again."""
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    link = KafkaPythonLink(Place(NOWHERE, {}), "trimtab.")
    link._consumer = link._producer = Denying()  # noqa: SLF001 - no Kafka denies here
    assert [] == link.poll(200)
    link.report(b"{}")
    told = [it.partition("has no right to ")[2].partition(" (")[0] for it in link.troubles()]

    assert ["Read on topic trimtab.brokers", "Write on topic trimtab.latency"] == told
    assert [0.2] == slept


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.usefixtures("vain")
def test_what_kafka_python_does_not_reach_leaves_no_thread() -> None:
    """It is tried again each second."""
    place = Place(NOWHERE, {})
    for connect in (
        lambda: cluster_id(place),
        lambda: KafkaPythonLink(place, "trimtab.").open("east"),
        lambda: Producer(NOWHERE, client="kafka-python", kafka={"bootstrap_timeout_ms": 50}),
    ):
        with pytest.raises(TransportError, match=r"^nobody listens at 127\.0\.0\.1:1"):
            connect()


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.usefixtures("vain")
def test_what_the_admin_client_does_not_know_is_not_told_to_it() -> None:
    """It refuses what the others take, and no verdict would ever come."""
    with pytest.raises(TransportError, match=r"^nobody listens"):
        cluster_id(Place(NOWHERE, {"ssl_ciphers": "HIGH"}))
    with suppress(TransportError):
        KafkaPythonLink(Place(NOWHERE, {"ssl_ciphers": "HIGH"}), "trimtab.").open("east")
