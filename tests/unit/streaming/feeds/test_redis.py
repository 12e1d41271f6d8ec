"""The writer to Redis while Redis, or one key of it, does not take what it writes.

It keeps a little, drops the rest, and says so.
"""

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from threading import Event

import pytest
import redis
from confluent_kafka import Message
from structlog.testing import capture_logs

from console.settings import load
from console.wiring import options
from sinks.redis import Entry
from streaming.feeds import redis as feed
from streaming.feeds.redis import RedisWriter
from streaming.metrics.catalogue import Metrics
from streaming.options import RedisOptions
from tests.builders.redis_server import RedisServer
from trimtab.protocol import Assignment, encode, member_key

EXAMPLE = Assignment.model_validate_json(json.dumps(Assignment.model_json_schema()["examples"][0]))
ROOM = 3
GOES_ON = Event()


def told(number: int, epoch: int) -> Message:
    """A record of one of many members."""
    record = EXAMPLE.model_copy(update={"member": f"m{number}", "epoch": epoch})
    key = member_key("billing", f"m{number}")
    return Message(topic="t", partition=0, offset=epoch, key=key, value=encode(record))


def writer_to(url: str, metrics: Metrics) -> RedisWriter:
    """One that has read nothing yet."""
    settings = load(environment={}).settings
    chosen = options(settings, bootstrap_servers="127.0.0.1:1", jars=Path("jars"))
    return RedisWriter(chosen, RedisOptions(url=url, expire_ms=60_000), metrics)


def epochs(client: redis.Redis) -> dict[bytes, bytes | str | None]:
    """What stands of each member."""
    return {key.rpartition(b"/")[2]: client.hget(key, "epoch") for key in client.scan_iter()}


def counted(metrics: Metrics) -> dict[tuple[str, ...], float]:
    """What has become of records."""
    return {key: count for key, count in metrics.redis.values().items() if count}


def test_a_topic_that_is_made_anew_is_read_from_its_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else members would be missing until everything is read again."""
    asked: list[Mapping[str, object]] = []
    monkeypatch.setattr(feed, "FeedConsumer", lambda config, *_: asked.append(config))
    writer_to("redis://127.0.0.1:1", Metrics())._consumer()  # noqa: SLF001 - the rest needs a Kafka

    assert ["earliest"] == [it["auto.offset.reset"] for it in asked]


def test_what_is_dropped_is_counted_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest of each member waits, up to a limit; the rest comes with the next reading."""
    monkeypatch.setattr(feed, "MOST_WAITING", ROOM)
    server, metrics = RedisServer(tmp_path), Metrics()
    writer = writer_to(server.url, metrics)
    with capture_logs() as lines:
        for number, epoch in ((1, 1), (2, 2), (1, 3), (3, 4), (4, 5)):
            writer.take(told(number, epoch))
        assert not writer.write(GOES_ON)
        assert not writer.write(GOES_ON)
        with server, redis.Redis.from_url(server.url) as client:
            assert writer.write(GOES_ON)
            there = epochs(client)

    assert {b"m1": b"3", b"m3": b"4", b"m4": b"5"} == there
    assert {("dropped",): 1, ("written",): 3} == counted(metrics)
    assert ["cannot write to Redis; retrying", "can write to Redis again"] == [
        line["event"] for line in lines
    ]
    assert writer.has_lost()


@pytest.mark.parametrize("is_hash", [False, True])
def test_a_key_that_holds_something_else_keeps_no_other_waiting(
    tmp_path: Path, *, is_hash: bool
) -> None:
    """It is passed over until everything is written again, counted, and told once."""
    metrics = Metrics()
    with (
        RedisServer(tmp_path) as server,
        redis.Redis.from_url(server.url) as client,
        capture_logs() as lines,
    ):
        writer = writer_to(server.url, metrics)
        for number in (1, 2, 3):
            writer.take(told(number, number))
        (key,) = (it for it in writer._waiting if it.endswith(b"/m2"))  # noqa: SLF001 - as Redis has it
        if is_hash:
            client.hset(key, "epoch", "not ours")
        else:
            client.set(key, "not ours")

        assert writer.write(GOES_ON)
        assert b"1" == client.hget(key.replace(b"/m2", b"/m1"), "epoch")
        assert b"3" == client.hget(key.replace(b"/m2", b"/m3"), "epoch")
        assert not writer.has_lost()
        for _ in range(2):
            writer.take(told(2, 4))
            assert writer.write(GOES_ON)
        client.delete(key)
        writer.take(told(2, 5))
        assert writer.write(GOES_ON)

        assert {b"m1": b"1", b"m2": b"5", b"m3": b"3"} == epochs(client)
    assert {("dropped",): 3, ("written",): 3} == counted(metrics)
    what = "write to a key of Redis that holds something else"
    assert [f"cannot {what}; retrying", f"can {what} again"] == [it["event"] for it in lines]
    assert str(lines[0]["reason"]).startswith(f"{key.decode()}: ")


def test_what_redis_says_of_every_key_loses_nothing(tmp_path: Path) -> None:
    """A Redis that takes no writes for now is tried again with all of them."""
    metrics = Metrics()
    with RedisServer(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        writer = writer_to(server.url, metrics)
        writer.take(told(1, 1))
        client.replicaof("127.0.0.1", 1)

        assert not writer.write(GOES_ON)
        client.replicaof("NO", "ONE")
        assert writer.write(GOES_ON)

        assert {b"m1": b"1"} == epochs(client)
    assert {("written",): 1} == counted(metrics)


def test_a_server_that_became_a_replica_is_left_for_the_one_that_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connections live on, and it answers each write that it takes none."""
    former, present = RedisServer(tmp_path), RedisServer(tmp_path)
    found = [former]

    def resolved(*_: object, **__: object) -> list[tuple[object, ...]]:
        place = "127.0.0.1", found[0].port
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", place)]

    with former, present, redis.Redis.from_url(present.url) as client:
        with redis.Redis.from_url(former.url) as demoting, monkeypatch.context() as patched:
            demoting.ping()
            patched.setattr(socket, "getaddrinfo", resolved)
            writer = writer_to("redis://primary:6379/0", Metrics())
            writer.take(told(1, 1))
            assert writer.write(GOES_ON)
            demoting.replicaof("127.0.0.1", str(present.port))
            found[:] = [present]
            writer.take(told(1, 2))
            assert not writer.write(GOES_ON)
            assert writer.write(GOES_ON)

        assert {b"m1": b"2"} == epochs(client)


def test_a_slow_redis_holds_up_no_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten thousand members each two hundred may take it two seconds."""
    monkeypatch.setattr(feed, "_WRITTEN_AT_ONCE", 1)
    writer, stop, asked = writer_to(RedisServer(tmp_path).url, Metrics()), Event(), list[int]()

    def sent(entries: list[Entry]) -> list[int]:
        asked.append(len(entries))
        stop.set()
        return [1]

    monkeypatch.setattr(writer, "_sent", sent)
    for number in (1, 2, 3):
        writer.take(told(number, number))
    writer.write(stop)

    assert [1] == asked
