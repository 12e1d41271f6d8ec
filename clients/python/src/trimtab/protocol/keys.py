"""Record keys: a name, or two names with a "/" between them.

The first "/" is the border, and the second name may contain more of them. So may the first: in
front of a border its "/" is written "%2F" and its "%" is "%25", as in the path of a URL. A name
that is a key alone is written as it is. Keys are UTF-8.
"""

from typing import Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from trimtab.protocol.names import BrokerName, ClusterName, GroupName, MemberName, TopicName
from trimtab.protocol.reasons import UndecodableRecord

_GROUP: Final = TypeAdapter[str](GroupName)
_CLUSTER: Final = TypeAdapter[str](ClusterName)
_MEMBER: Final = TypeAdapter[str](MemberName)
_BROKER: Final = TypeAdapter[str](BrokerName)
_TOPIC: Final = TypeAdapter[str](TopicName)


class MemberKey(NamedTuple):
    """The key of an assignment."""

    group: str
    member: str


class BrokerKey(NamedTuple):
    """The key of a verdict."""

    cluster: str
    broker: str


def member_key(group: str, member: str) -> bytes:
    """Write the key of a member's assignment."""
    return f"{_escaped(group)}/{member}".encode()


def broker_key(cluster: str, broker: str) -> bytes:
    """Write the key of a broker's verdict."""
    return f"{_escaped(cluster)}/{broker}".encode()


def read_group_key(key: bytes | None) -> str:
    """Read a key that is a group (or a cluster: the same rule)."""
    return _read(_GROUP, _text(key), "a group")


def read_topic_key(key: bytes | None) -> str:
    """Read a key that is a topic."""
    return _read(_TOPIC, _text(key), "a topic")


def read_member_key(key: bytes | None) -> MemberKey:
    """Read the key of an assignment."""
    group, member = _halves(_text(key))
    return MemberKey(_read(_GROUP, group, "a group"), _read(_MEMBER, member, "a member"))


def read_broker_key(key: bytes | None) -> BrokerKey:
    """Read the key of a verdict."""
    cluster, broker = _halves(_text(key))
    return BrokerKey(_read(_CLUSTER, cluster, "a cluster"), _read(_BROKER, broker, "a broker"))


def _text(key: bytes | None) -> str:
    if key is None:
        raise UndecodableRecord("null_key", "The record has no key")
    try:
        return key.decode()
    except UnicodeDecodeError as error:
        raise UndecodableRecord("bad_key", f"The key is not UTF-8 at byte {error.start}") from None


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F")


def _halves(text: str) -> tuple[str, str]:
    first, slash, second = text.partition("/")
    if not slash:
        raise UndecodableRecord("bad_key", 'The key has no "/"')
    name = first.replace("%2F", "/").replace("%25", "%")
    if _escaped(name) != first:
        raise UndecodableRecord("bad_key", 'The key has a "%" that stands for nothing')
    return name, second


def _read(rule: TypeAdapter[str], text: str, noun: str) -> str:
    try:
        return rule.validate_python(text)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise UndecodableRecord("bad_key", f"The key does not name {noun}: {detail}") from None
