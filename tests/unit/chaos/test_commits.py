"""Kafka's log of commits is read to its end, and a record of it as Kafka writes it."""

import struct
from contextlib import closing
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException

from chaos import commits
from chaos.commit_checks import NOTHING
from chaos.commits import Commit, Commits, parsed

SAID = b"trimtab:7:1790-abc"


def key(version: int) -> bytes:
    """Of a commit (0 or 1: OffsetCommitKey) of the group "g" on partition 3 of the topic "work"."""
    return struct.pack(">hh1sh4si", version, 1, b"g", 4, b"work", 3)


@pytest.mark.parametrize("said", [SAID, b"trimtab:7"])
@pytest.mark.parametrize(("head", "more"), [(">hqih", 0), (">hqiB", 1)])
def test_a_commit_says_its_token(head: str, more: int, said: bytes) -> None:
    """In both versions of OffsetCommitValue: the younger one has compact strings."""
    length = struct.pack(head, 3 + more, 42, -1, len(said) + more)
    value = length + said + struct.pack(">q", 1_790_000_000_000)

    assert Commit("g", 3, 7, 42) == parsed(key(1), value)


def test_what_others_commit_has_none() -> None:
    """And the records of groups are no commits."""
    value = struct.pack(">hqihq", 3, 42, -1, 0, 1_790_000_000_000)

    assert Commit("g", 3, -1, 42) == parsed(key(0), value)
    assert parsed(key(2), value) is None
    assert parsed(key(2), None) is None


def test_a_commit_without_a_value_deletes_one() -> None:
    """From then on nothing is committed, and the next owner would begin anywhere."""
    assert Commit("g", 3, -1, NOTHING) == parsed(key(1), None)


class Record:
    """A record of the log, or a word that it ends."""

    def __init__(self, offset: int, token: int = 0, code: int | None = None) -> None:
        self._offset, self._token = offset, token
        self._error = None if code is None else KafkaError(code)

    def key(self) -> bytes:
        """Of a commit."""
        return key(1)

    def value(self) -> bytes:
        """One that has come to 42."""
        said = b"trimtab:%d" % self._token
        return struct.pack(">hqih", 3, 42, -1, len(said)) + said + struct.pack(">q", 0)

    def error(self) -> KafkaError | None:
        """Whether it is none."""
        return self._error

    def partition(self) -> int:
        """Where it stands."""
        return 0

    def offset(self) -> int:
        """At which place there."""
        return self._offset

    def timestamp(self) -> tuple[int, int]:
        """When it was written."""
        return 1, 0


class Slow:
    """A client to which something comes with every third look."""

    coming: tuple[Record, ...] = ()

    def __init__(self, _settings: object) -> None:
        self._looks, self._coming = count(1), iter(self.coming)

    def list_topics(self, topic: str, _timeout: float) -> SimpleNamespace:
        """Say of what the log consists."""
        return SimpleNamespace(topics={topic: SimpleNamespace(partitions=[0])})

    def get_watermark_offsets(self, _place: object, _timeout: float) -> tuple[int, int]:
        """Say where it ends."""
        return 0, 3

    def assign(self, _places: object) -> None:
        """Begin."""

    def consume(self, _most: int, _timeout: float) -> list[Record]:
        """Look once."""
        return [*filter(None, [next(self._coming, None)])] if next(self._looks) % 3 == 0 else []

    def close(self) -> None:
        """Nothing more."""


def test_the_log_is_read_to_where_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slowly it comes; of the last place nothing but the end may be told."""
    end = Record(3, code=KafkaError._PARTITION_EOF)  # noqa: SLF001 - its public name
    monkeypatch.setattr(Slow, "coming", (Record(0), Record(1, token=7), end))
    monkeypatch.setattr(commits, "Consumer", Slow)

    with closing(Commits("kafka", "g", tmp_path)) as those:
        those.catch_up()

    assert {3: 42} == those.latest


def test_a_log_that_is_not_read_to_its_end_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody takes what was read for all there is."""
    monkeypatch.setattr(Slow, "coming", (Record(0), Record(1)))
    monkeypatch.setattr(commits, "Consumer", Slow)
    monkeypatch.setattr(commits, "_SOON_S", 0.05)

    with closing(Commits("kafka", "g", tmp_path)) as those, pytest.raises(KafkaException):
        those.catch_up()
