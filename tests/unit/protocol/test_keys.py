"""Keys of records: one name, or two with a slash between."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.protocol import (
    BrokerKey,
    MemberKey,
    UndecodableRecord,
    broker_key,
    member_key,
    read_broker_key,
    read_group_key,
    read_member_key,
    read_topic_key,
)

PRINTABLE = st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])
SEGMENT = st.text(PRINTABLE, min_size=1, max_size=255).filter(
    lambda name: "/" not in name and not name.startswith("$")
)
NAME = st.text(PRINTABLE, min_size=1, max_size=255)


@given(group=SEGMENT, member=NAME)
def test_a_member_key_is_read_as_it_was_written(group: str, member: str) -> None:
    """Whatever the member is called, slashes and all."""
    assert MemberKey(group, member) == read_member_key(member_key(group, member))


@given(cluster=SEGMENT, broker=NAME | st.just(""))
def test_a_broker_key_is_read_as_it_was_written(cluster: str, broker: str) -> None:
    """A broker may be without a name."""
    assert BrokerKey(cluster, broker) == read_broker_key(broker_key(cluster, broker))


@given(group=SEGMENT)
def test_a_group_key_is_the_group(group: str) -> None:
    """As UTF-8, without anything around it."""
    assert group == read_group_key(group.encode())


def test_a_topic_key_is_the_topic() -> None:
    """A topic is a name like any other."""
    assert "trimtab.beats/$" == read_topic_key(b"trimtab.beats/$")


@pytest.mark.parametrize("read", [read_group_key, read_member_key, read_broker_key, read_topic_key])
def test_a_record_without_a_key_is_addressed_to_nobody(read: type) -> None:
    """Every topic is addressed by key."""
    with pytest.raises(UndecodableRecord) as refusal:
        read(None)

    assert "null_key" == refusal.value.reason


@pytest.mark.parametrize(
    ("read", "key", "detail"),
    [
        (read_group_key, b"", "does not name a group"),
        (read_group_key, b"a/b", "does not name a group"),
        (read_group_key, b"$tick", "does not name a group"),
        (read_group_key, b"a\xff", "not UTF-8 at byte 1"),
        (read_group_key, b"\xed\xa0\x80", "not UTF-8 at byte 0"),
        (read_group_key, b"a\n", "does not name a group"),
        (read_group_key, b"a" * 256, "at most 255 characters"),
        (read_member_key, b"group", 'has no "/"'),
        (read_member_key, b"group/", "does not name a member"),
        (read_member_key, b"/member", "does not name a group"),
        (read_broker_key, b"$c/b", "does not name a cluster"),
        (read_topic_key, b"", "does not name a topic"),
    ],
)
def test_a_bad_key_says_what_is_wrong(read: type, key: bytes, detail: str) -> None:
    """The reason is the same, the detail names the fault."""
    with pytest.raises(UndecodableRecord, match=detail) as refusal:
        read(key)

    assert "bad_key" == refusal.value.reason
