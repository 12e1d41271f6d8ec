"""The writer to Redis, while Redis is away: it keeps a little, drops the rest, and says so."""

import json
from pathlib import Path

import pytest
import redis
from confluent_kafka import Message
from structlog.testing import capture_logs

from console.settings import load
from console.wiring import options
from streaming.feeds import redis as feed
from streaming.feeds.redis import RedisWriter
from streaming.metrics.catalogue import Metrics
from streaming.options import RedisOptions
from tests.builders.redis_server import RedisServer
from trimtab.protocol import Assignment, encode, member_key

EXAMPLE = Assignment.model_validate_json(json.dumps(Assignment.model_json_schema()["examples"][0]))
ROOM = 3


def told(number: int, epoch: int) -> Message:
    """A record of one of many members."""
    record = EXAMPLE.model_copy(update={"member": f"m{number}", "epoch": epoch})
    key = member_key("billing", f"m{number}")
    return Message(topic="t", partition=0, offset=epoch, key=key, value=encode(record))


def test_what_is_dropped_is_counted_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest of each member waits, up to a limit; the rest comes with the next reading."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(feed, "MOST_WAITING", ROOM)
    server, metrics = RedisServer(tmp_path), Metrics()
    chosen = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    writer = RedisWriter(chosen, RedisOptions(url=server.url, expire_ms=60_000), metrics)
    with capture_logs() as lines:
        for number, epoch in ((1, 1), (2, 2), (1, 3), (3, 4), (4, 5)):
            writer.take(told(number, epoch))
        assert not writer.write()
        assert not writer.write()
        with server, redis.Redis.from_url(server.url) as client:
            assert writer.write()
            there = {
                key.rpartition(b"/")[2]: client.hget(key, "epoch") for key in client.scan_iter()
            }

    assert {b"m1": b"3", b"m3": b"4", b"m4": b"5"} == there
    assert {("dropped",): 1, ("written",): 3} == {
        key: count for key, count in metrics.redis.values().items() if count
    }
    assert ["writing to Redis failed; retrying", "writing to Redis works again"] == [
        line["event"] for line in lines
    ]
    assert writer.has_lost()
