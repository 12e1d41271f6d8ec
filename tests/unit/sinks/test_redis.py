"""What is written to Redis, by a real server: no hash goes back."""

from collections.abc import Iterator

import pytest
import redis

from sinks.redis import FORWARD, Entry
from tests.builders.redis_server import RedisServer

KEY = b"t.assignments:g/m"
OLD, YOUNG = "1767225600000-00000001", "1767225600001-00000002"
EXPIRE_MS = 60_000


class Hashes:
    """One member's hash."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._forward = client.register_script(FORWARD)

    def put(self, entry: Entry) -> int:
        """Write; tell whether anything changed."""
        return int(self._forward(keys=[entry.key], args=entry.arguments(EXPIRE_MS)))

    def has(self) -> list[bytes | str | None]:
        """Its epoch and its value."""
        return self._client.hmget(KEY, "epoch", "value")

    def expires_ms(self) -> int:
        """How long it stays."""
        return int(self._client.pttl(KEY))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A real one."""
    with RedisServer(tmp_path_factory.mktemp("redis")) as running:
        yield running


@pytest.fixture
def hashes(server: RedisServer) -> Iterator[Hashes]:
    """An empty one."""
    with redis.Redis.from_url(server.url) as client:
        client.flushall()
        yield Hashes(client)


def told(epoch: int, offset: int, life: str = OLD) -> Entry:
    """A record of the member."""
    return Entry(KEY, offset, f"record {epoch}".encode(), epoch, life)


def test_no_hash_goes_back(hashes: Hashes) -> None:
    """A smaller epoch is ignored, the same one changes nothing, a greater one is set."""
    assert 1 == hashes.put(told(5, 10))
    assert 0 == hashes.put(told(4, 11))
    assert 0 == hashes.put(told(5, 10))
    assert [b"5", b"record 5"] == hashes.has()

    assert 1 == hashes.put(told(6, 12))
    assert 0 == hashes.put(told(5, 13))
    assert [b"6", b"record 6"] == hashes.has()


def test_who_is_gone_stays_gone(hashes: Hashes) -> None:
    """Until it comes back; what an older controller says late neither revives nor removes it."""
    hashes.put(told(5, 10))
    assert 1 == hashes.put(Entry(KEY, 11, None))
    assert [b"5", None] == hashes.has()
    assert 0 == hashes.put(told(5, 10))
    assert [b"5", None] == hashes.has()

    assert 1 == hashes.put(told(7, 12, YOUNG))
    assert 0 == hashes.put(Entry(KEY, 11, None))
    assert [b"7", b"record 7"] == hashes.has()


def test_it_expires_unless_it_is_renewed(hashes: Hashes) -> None:
    """A repeated record renews it; a tombstone does not."""
    hashes.put(told(5, 10))
    assert 0 < hashes.expires_ms() <= EXPIRE_MS
    hashes.put(Entry(KEY, 11, None))
    left = hashes.expires_ms()
    hashes.put(Entry(KEY, 11, None))
    assert 0 < hashes.expires_ms() <= left


def test_nothing_is_kept_of_a_member_that_was_never_there(hashes: Hashes) -> None:
    """A tombstone alone makes no hash."""
    assert 0 == hashes.put(Entry(KEY, 11, None))
    assert [None, None] == hashes.has()
