"""What RocketMQ's clients say of each group, in our words."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders.fault_vectors import cases, read
from tests.builders.rocketmq import CLIENT, consumer, heartbeat
from trimtab.protocol import (
    Registration,
    UndecodableRecord,
    Unregistration,
    limits,
    murmur2,
    registration_changes,
)
from trimtab.protocol.limits import TEXT_CHARACTERS


def test_a_heartbeat_is_a_statement_of_each_of_its_groups() -> None:
    """With its topics, each once, its mode, and a hash of all groups that it names."""
    said = list(registration_changes(heartbeat(consumer("g", "T", "T", "%RETRY%g"), consumer("h"))))
    said_of_all: dict[str, Any] = {"mode": "clustering", "groups_hash": murmur2(b"g/h")}

    assert [
        Registration(client=CLIENT, group="g", topics=frozenset({"T", "%RETRY%g"}), **said_of_all),
        Registration(client=CLIENT, group="h", topics=frozenset({"T"}), **said_of_all),
    ] == said


def test_the_hash_of_its_groups_is_one_in_any_order() -> None:
    """And another one when there is a group more."""
    hashes = [
        {
            it.groups_hash
            for it in registration_changes(heartbeat(*map(consumer, names)))
            if isinstance(it, Registration)
        }
        for names in ("gh", "hg", "ghi")
    ]

    assert hashes[0] == hashes[1] != hashes[2]
    assert 1 == len(hashes[0])


def test_the_message_model_is_the_mode() -> None:
    """Broadcasting members have every queue."""
    (said,) = registration_changes(heartbeat(consumer(messageModel="BROADCASTING")))

    assert isinstance(said, Registration)
    assert "broadcasting" == said.mode


def test_a_client_that_pops_shares_its_queues() -> None:
    """Unless it broadcasts: then it has them all anyway."""
    pops = {"consumeType": "CONSUME_POP"}
    said = registration_changes(
        heartbeat(consumer("g", **pops), consumer("h", **pops, messageModel="BROADCASTING"))
    )

    assert ["shared", "broadcasting"] == [
        each.mode for each in said if isinstance(each, Registration)
    ]


def test_a_heartbeat_without_subscriptions_is_as_before() -> None:
    """Heartbeats V2 leave them out while the broker knows them; an empty one has none."""
    (silent,) = registration_changes(heartbeat(consumer(subscriptionDataSet=[]), withoutSub=True))
    (empty,) = registration_changes(heartbeat(consumer(subscriptionDataSet=[])))

    assert isinstance(silent, Registration)
    assert isinstance(empty, Registration)
    assert (None, frozenset()) == (silent.topics, empty.topics)


def test_a_producer_says_nothing_of_groups() -> None:
    """Who could produce is of no use to anybody here."""
    assert [] == list(registration_changes(heartbeat(producerDataSet=[{"groupName": "p"}])))
    assert [] == list(registration_changes(b'{"clientID":"c","producerGroup":"p"}'))


@pytest.mark.parametrize(
    "value",
    [
        b'{"clientID":"c","consumerGroup":"g"}',
        b'{"clientID":"c","consumerGroup":"g","producerGroup":"p"}',
        b'{"code":35,"extFields":{"clientID":"c","consumerGroup":"g"},"language":"JAVA","opaque":3}',
    ],
)
def test_a_client_unregisters(value: bytes) -> None:
    """The fields of the request, alone or in the header that they travel in."""
    assert [Unregistration(client="c", group="g")] == list(registration_changes(value))


@cases(read("heartbeat"), "encode")
def test_every_real_heartbeat_is_understood(line: dict[str, Any]) -> None:
    """All its groups; without a client's name, it is nobody's."""
    value, expected = line["body"].encode(), line["fields"]
    if expected["clientID"] is None:
        with pytest.raises(UndecodableRecord, match="clientID"):
            list(registration_changes(value))
    else:
        groups = sorted(each["groupName"] for each in expected["consumerDataSet"])
        assert groups == sorted(
            each.group for each in registration_changes(value) if isinstance(each, Registration)
        )


WHOLLY_BAD = {
    "no value": (None, "null_value"),
    "no body": (b"", "not_object"),
    "null": (b"null", "not_object"),
    "no object": (b"5", "not_object"),
    "no JSON": (b"hello", "garbage"),
    "nobody": (b"{}", "invalid"),
    "too many groups": (
        heartbeat(*(consumer(f"g{n}") for n in range(limits.GROUPS_PER_CLIENT + 1))),
        "invalid",
    ),
    "more objects than anybody has": (
        heartbeat(consumer("g", *(f"t{n}" for n in range(limits.BEANS_PER_HEARTBEAT)))),
        "oversize",
    ),
    "a field of another kind": (heartbeat(withoutSub="perhaps"), "invalid"),
}


@pytest.mark.parametrize(("value", "reason"), WHOLLY_BAD.values(), ids=WHOLLY_BAD)
def test_a_record_that_says_nothing_is_refused(value: bytes | None, reason: str) -> None:
    """With the reason."""
    with pytest.raises(UndecodableRecord) as refusal:
        list(registration_changes(value))

    assert reason == refusal.value.reason


PARTLY_BAD = {
    "nothing": None,
    "no name": consumer(groupName=None),
    "a name with a control character": consumer("a\nb"),
    "a reserved name": consumer("$tick"),
    "an endless name": consumer("g" * 256),
    "no model": consumer(messageModel=None),
    "an unknown model": consumer(messageModel="SHARED"),
    "no subscriptions": consumer(subscriptionDataSet=None),
    "a subscription of nothing": consumer(subscriptionDataSet=[{"topic": None}]),
    "an empty topic": consumer("h", ""),
    "too many topics": consumer("h", *(f"t{n}" for n in range(limits.TOPICS_PER_MEMBER + 1))),
}


@pytest.mark.parametrize("bad", PARTLY_BAD.values(), ids=PARTLY_BAD)
def test_a_group_that_cannot_be_understood_spoils_no_other(bad: object) -> None:
    """What is said of the others stands, and it is said where the fault is."""
    good, fault, also_good = registration_changes(heartbeat(consumer("g"), bad, consumer("h")))

    assert isinstance(good, Registration)
    assert isinstance(also_good, Registration)
    assert isinstance(fault, UndecodableRecord)
    assert fault.detail.startswith("consumerDataSet.1")


KEYS = ["clientID", "consumerDataSet", "groupName", "messageModel", "subscriptionDataSet", "topic"]
KEYS += ["withoutSub", "consumerGroup", "code", "extFields"]
Documents = st.SearchStrategy[object]


def within(inner: Documents) -> Documents:
    """A document, or one that holds such."""
    return inner | st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner)


LEAF: Documents = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
JSON = within(within(within(within(LEAF))))


@given(value=st.binary() | JSON.map(lambda document: json.dumps(document).encode()))
def test_any_bytes_are_registration_changes_or_a_reason(value: bytes) -> None:
    """Nothing else can come out."""
    try:
        said = list(registration_changes(value))
    except UndecodableRecord as refusal:
        said = [refusal]
    for each in said:
        assert not isinstance(each, UndecodableRecord) or len(each.detail) <= TEXT_CHARACTERS
