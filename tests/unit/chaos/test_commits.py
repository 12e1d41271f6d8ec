"""A record of Kafka's log of commits is read as Kafka writes it."""

import struct

import pytest

from chaos.commit_checks import NOTHING
from chaos.commits import Commit, parsed

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
