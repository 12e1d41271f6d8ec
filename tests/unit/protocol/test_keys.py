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
GROUP = st.text(PRINTABLE | st.sampled_from("%/2F5"), min_size=1, max_size=255).filter(
    lambda name: name not in {"$tick", "$start", "$told"}
)
NAME = st.text(PRINTABLE, min_size=1, max_size=255)


@given(group=GROUP, member=NAME)
def test_a_member_key_is_read_as_it_was_written(group: str, member: str) -> None:
    """Whatever both are called, slashes and all."""
    assert MemberKey(group, member) == read_member_key(member_key(group, member))


@given(cluster=GROUP, broker=NAME | st.just(""))
def test_a_broker_key_is_read_as_it_was_written(cluster: str, broker: str) -> None:
    """A broker may be without a name."""
    assert BrokerKey(cluster, broker) == read_broker_key(broker_key(cluster, broker))


@pytest.mark.parametrize(
    ("group", "written"), [("eu/billing", b"eu%2Fbilling/m"), ("%RETRY%g", b"%25RETRY%25g/m")]
)
def test_a_border_is_no_part_of_a_name(group: str, written: bytes) -> None:
    """What could be read as one, or as its spelling, is spelt."""
    assert written == member_key(group, "m")


@given(groups=st.lists(GROUP, min_size=2, max_size=2, unique=True), member=NAME)
def test_two_groups_have_two_keys(groups: list[str], member: str) -> None:
    """Also if one is called as the other is spelt."""
    assert member_key(groups[0], member) != member_key(groups[1], member)


@given(group=GROUP)
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
        (read_group_key, b"$tick", "does not name a group"),
        (read_group_key, b"a\xff", "not UTF-8 at byte 1"),
        (read_group_key, b"\xed\xa0\x80", "not UTF-8 at byte 0"),
        (read_group_key, b"a\n", "does not name a group"),
        (read_group_key, b"a" * 256, "at most 255 characters"),
        (read_member_key, b"group", 'has no "/"'),
        (read_member_key, b"group/", "does not name a member"),
        (read_member_key, b"/member", "does not name a group"),
        (read_member_key, b"a%b/member", 'a "%" that stands for nothing'),
        (read_member_key, b"a%2fb/member", 'a "%" that stands for nothing'),
        (read_broker_key, b"$tick/b", "does not name a cluster"),
        (read_topic_key, b"", "does not name a topic"),
    ],
)
def test_a_bad_key_says_what_is_wrong(read: type, key: bytes, detail: str) -> None:
    """The reason is the same, the detail names the fault."""
    with pytest.raises(UndecodableRecord, match=detail) as refusal:
        read(key)

    assert "bad_key" == refusal.value.reason
