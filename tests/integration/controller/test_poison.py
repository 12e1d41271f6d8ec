"""Bad records on every topic that the controller reads."""

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from streaming.wire.rows import LARGE_BYTES
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import PARTITIONS
from trimtab.protocol import TICK_KEY, Join, encode, limits, partition_of

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.alone]

READ = ("members", "heartbeats", "latency", "releases", "routes", "commands")
TOO_LONG = ("latency", "oversize")
OVERSIZE = b"[" + b" " * limits.RECORD_BYTES
FOREIGN = b'{"id":1,"items":[' + b"7," * LARGE_BYTES + b"7]}"
"""Somebody's own data, in the wrong topic."""


def test_bad_records_are_set_aside_and_good_ones_proceed(
    kafka: EmbeddedKafka, controller: ControllerProcess, published: Published, group: str
) -> None:
    """Each bad record becomes one dead letter with its reason; a join amid them is answered."""
    key, home = group.encode(), partition_of(group, PARTITIONS)
    good = encode(
        Join(
            member="a",
            incarnation="1767225600000-9f86d081",
            sequence=1,
            topics=(f"{group}-none",),
            session_timeout_ms=60_000,  # it never beats
        )
    )
    poison = [
        (key, b"\x00\xff garbage", home, "garbage"),
        (key, b"[]", home, "not_object"),
        (key, good.replace(b'"v":1', b'"v":99'), home, "unsupported_version"),
        (key, b'{"v":1,"kind":"nonsense"}', home, "unknown_kind"),
        (key, None, home, "null_value"),
        (key, OVERSIZE, home, "oversize"),
        (key, FOREIGN, home, "garbage"),
        (key, b"{}", (home + 1) % PARTITIONS, "misrouted"),
        (None, good, home, "null_key"),
        (b"a\nb", good, partition_of(b"a\nb", PARTITIONS), "bad_key"),
        (TICK_KEY, b"x", home, "bad_key"),
    ]
    published.catch_up()
    others = len(published.letters)  # tests share the controller's topics
    producer = Producer(
        {"bootstrap.servers": kafka.bootstrap_servers, "message.max.bytes": 2 * len(OVERSIZE)}
    )
    # What is too long for `latency`, Kafka itself refuses.
    sent = [(topic, it) for it in poison for topic in READ if (topic, it[3]) != TOO_LONG]
    for topic, (bad_key, value, partition, _) in sent:
        producer.produce(f"{controller.prefix}{topic}", value, bad_key, partition)
    large = good[:-1] + b',"of_a_later_release":"' + b"x" * LARGE_BYTES + b'"}'
    for _ in poison:
        producer.produce(f"{controller.prefix}members", large, key, home)
    assert 0 == producer.flush(30)

    expected = sorted((f"{controller.prefix}{topic}", it[3]) for topic, it in sent)
    published.wait_until(lambda: len(published.letters) >= others + len(expected))
    published.wait_until(lambda: group in published.groups)
    published.watch(2)
    letters = published.letters[others:]

    assert expected == sorted((letter.topic, letter.reason) for letter in letters)
    assert {len(OVERSIZE)} == {it.size for it in letters if it.reason == "oversize"}
    assert ["a"] == [it.member for it in published.groups[group].people]
