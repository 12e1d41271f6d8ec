"""Passwords, listeners and rights on a real broker: what is wrong is named, and what is enough."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Message, Producer, TopicPartition

from tests.integration.controller_process import ControllerProcess
from tests.integration.secured_kafka import SecuredKafka
from tests.integration.topics import create_control_topics, create_topic
from trimtab import Member, NoControllerError
from trimtab.kafka import ConsumerBinding
from trimtab.protocol import MEMBERS, decode, partition_of
from trimtab.transports import Client
from trimtab.transports.rights import NEEDED

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

CLIENTS: tuple[Client, ...] = ("confluent", "kafka-python")
ANN, PASSWORD = "ann", "a secret"
PREFIX = "t."
PARTITIONS = 4
TOLD_S = 15.0
"""What the README promises."""
PATIENCE_S = 30.0
RIGHTS = [(topic, operation) for topic, them in NEEDED.items() for operation in them]

Case = tuple[str, Callable[["Caller"], dict[str, Any]], str]


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    """The broker, with trimtab's topics, a topic of the user's, and a user without rights."""
    with SecuredKafka(tmp_path_factory.mktemp("secured") / "kafka") as kafka:
        create_control_topics(kafka.servers("PLAINTEXT"), PREFIX, PARTITIONS)
        create_topic(kafka.servers("PLAINTEXT"), "orders", 2)
        kafka.user(ANN, PASSWORD)
        yield kafka


class Caller:
    """Makes members of one client library."""

    def __init__(self, kafka: SecuredKafka, client: Client) -> None:
        self._kafka = kafka
        self.client = client

    def arguments(
        self, protocol: str, user: str = ANN, password: str = PASSWORD, **options: object
    ) -> dict[str, Any]:
        """Where to connect, and as whom."""
        names = {"ssl.ca.location": "ssl_cafile", "sasl.mechanism": "sasl_mechanism"}
        told = self._kafka.options(protocol, user, password)
        if self.client == "kafka-python":
            told = self._kafka.options_of_kafka_python(protocol, user, password)
            options = {names[it]: value for it, value in options.items()}
        kafka = {it: value for it, value in (told | options).items() if value is not None}
        return {"bootstrap_servers": self._kafka.servers(protocol), "kafka": kafka}

    def elsewhere(self, protocol: str, listener: str) -> dict[str, Any]:
        """Speak a protocol to the listener of another one."""
        return self.arguments(protocol) | {"bootstrap_servers": self._kafka.servers(listener)}


class Listener:
    """A member that is told what is wrong."""

    def __init__(self, name: str, client: Client, arguments: dict[str, Any]) -> None:
        self.told: list[tuple[float, Exception]] = []
        begun = time.monotonic()
        self.member = Member(
            **{"group": "billing", "topics": ["orders"], "prefix": PREFIX} | arguments,
            member_id=f"{name}-{client}",
            client=client,
            on_error=lambda error: self.told.append((time.monotonic() - begun, error)),
        )

    @property
    def texts(self) -> list[str]:
        """What it was told."""
        return [str(error) for _, error in self.told]


CASES: list[Case] = [
    (
        "wrong password",
        lambda it: it.arguments("SASL_SSL", password="wrong"),
        r'Kafka at localhost:\d+ refuses the password of user "ann" \(.*: check sasl.\w+',
    ),
    (
        "unknown mechanism",
        lambda it: it.arguments("SASL_PLAINTEXT", **{"sasl.mechanism": "PLAIN"}),
        r"Kafka at localhost:\d+ has no SASL mechanism PLAIN: set sasl.mechanism to one of SCRAM",
    ),
    (
        "unknown authority",
        lambda it: it.arguments("SASL_SSL", **{"ssl.ca.location": None}),
        r"no TLS with Kafka at localhost:\d+: .*verif.*: if its certificate is not trusted, set ",
    ),
    (
        "no password where one is wanted",
        lambda it: it.elsewhere("PLAINTEXT", "SASL_PLAINTEXT"),
        r"localhost:\d+ is a SASL_PLAINTEXT listener of Kafka, and .* PLAINTEXT: set security.prot",
    ),
    (
        "no TLS where it is wanted",
        lambda it: it.elsewhere("PLAINTEXT", "SASL_SSL"),
        r"localhost:\d+ is a SASL_SSL listener of Kafka, and this client speaks PLAINTEXT",
    ),
    (
        "TLS where it is not spoken",
        lambda it: it.elsewhere("SSL", "PLAINTEXT"),
        r"localhost:\d+ is a PLAINTEXT listener of Kafka, and this client speaks SSL",
    ),
    (
        "a password where none is wanted",
        lambda it: it.elsewhere("SASL_PLAINTEXT", "PLAINTEXT"),
        r"localhost:\d+ is a PLAINTEXT listener of Kafka, and this client speaks SASL_PLAINTEXT",
    ),
    (
        "nobody listens",
        lambda it: it.arguments("PLAINTEXT") | {"bootstrap_servers": "localhost:1"},
        r"nobody listens at localhost:1 \(Connection refused\): is the broker up",
    ),
    (
        "no such host",
        lambda it: it.arguments("PLAINTEXT") | {"bootstrap_servers": "nowhere.invalid:9092"},
        r'no host has the name in "nowhere.invalid:9092"',
    ),
    (
        "no topics of trimtab's",
        lambda it: it.arguments("PLAINTEXT") | {"prefix": "another."},
        r"topic another.members does not exist on Kafka at localhost:\d+: run `trimtab topics ",
    ),
    (
        "no right to anything",
        lambda it: it.arguments("SASL_SSL"),
        r'user "ann" has no right to Write on topic t.members, .*Read and Write on topic t.rel',
    ),
    (
        "no topic of the user's",
        lambda it: it.arguments("PLAINTEXT") | {"topics": ["orders", "odrers"]},
        r"no topic odrers on Kafka at localhost:\d+: the member waits",
    ),
]


def until(condition: Callable[[], object]) -> None:
    """Wait for what somebody else does."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def ended(members: list[Listener]) -> None:
    """End all of them at once: each may be waiting for Kafka."""
    for it in members:
        it.member.leave("0s")
    for it in members:
        it.member.join("0s")


def test_what_is_wrong_is_named_within_15_s_and_once(secured: SecuredKafka) -> None:
    """With the address and what to do, whatever client it is; also after many more tries."""
    members = {
        (name, client): Listener(name.replace(" ", "-"), client, arguments(Caller(secured, client)))
        for name, arguments, _ in CASES
        for client in CLIENTS
    }
    with ExitStack() as stack:
        stack.callback(ended, [*members.values()])
        for it in members.values():
            it.member.start()
        until(lambda: all(it.told for it in members.values()))
        time.sleep(8)  # another try, at least

    wrong = [
        (name, client, it.told)
        for name, _, text in CASES
        for client in CLIENTS
        for it in [members[name, client]]
        if not re.match(dotless(text) if client == "kafka-python" else text, it.texts[0])
        or it.told[0][0] > TOLD_S
        or [error for _, error in it.told[1:] if not isinstance(error, NoControllerError)]
    ]
    assert [] == wrong


def dotless(text: str) -> str:
    """The options have other names in kafka-python."""
    return text.replace("sasl.m", "sasl_m").replace("security.p", "security_p")


def given(kafka: SecuredKafka, user: str, rights: list[tuple[str, str]]) -> None:
    """Make a user who has these rights on trimtab's topics."""
    kafka.user(user, PASSWORD)
    for topic, operation in rights:
        kafka.allow(user, operation, PREFIX + topic)


def test_each_right_that_is_missing_is_named(secured: SecuredKafka) -> None:
    """Members have all that they need but for one operation on one topic."""
    members: list[tuple[str, str, Listener]] = []
    for topic, operation in RIGHTS:
        user = f"no-{operation}-{topic}"
        given(secured, user, [it for it in RIGHTS if it != (topic, operation)])
        for client in CLIENTS:
            arguments = Caller(secured, client).arguments("SASL_SSL", user)
            members.append((topic, operation, Listener(user, client, arguments)))
    with ExitStack() as stack:
        stack.callback(ended, [it for *_, it in members])
        for *_, it in members:
            it.member.start()
        until(lambda: all(it.told for *_, it in members))

    wrong = [
        (topic, operation, it.told)
        for topic, operation, it in members
        if f"has no right to {operation} on topic {PREFIX}{topic} (" not in it.texts[0]
        or f"--operation {operation} --topic {PREFIX}{topic}" not in it.texts[0]
        or it.told[0][0] > TOLD_S
    ]
    assert [] == wrong


def joined(kafka: SecuredKafka, group: str) -> set[str]:
    """Who asks to join a group."""
    settings = {"bootstrap.servers": kafka.servers("PLAINTEXT"), "group.id": "t", "log_level": 2}
    consumer = Consumer(settings)
    place = TopicPartition(PREFIX + MEMBERS.name, partition_of(group, PARTITIONS), 0)
    consumer.assign([place])
    _, end = consumer.get_watermark_offsets(place)
    messages = consumer.consume(end, PATIENCE_S) if end else []
    consumer.close()
    return {decode(MEMBERS, it.value()).member for it in messages if it.key() == group.encode()}


def test_a_right_that_is_given_later_is_used(secured: SecuredKafka) -> None:
    """Whatever had given up before begins again: librdkafka's producer does so for good."""
    given(secured, "late", [(it, "Describe") for it in NEEDED])
    members = [
        Listener(
            "late", client, Caller(secured, client).arguments("SASL_SSL", "late") | {"group": "g"}
        )
        for client in CLIENTS
    ]
    with ExitStack() as stack:
        stack.callback(ended, members)
        for it in members:
            it.member.start()
        until(lambda: all(any("no right to Write" in text for text in it.texts) for it in members))
        for topic, operation in RIGHTS:
            secured.allow("late", operation, PREFIX + topic)
        until(lambda: joined(secured, "g") == {it.member.member_id for it in members})


def test_a_member_needs_no_more_rights_than_that(secured: SecuredKafka) -> None:
    """It asks to join, and hears no answer: none is there. Nothing else is amiss."""
    given(secured, "member", RIGHTS)
    members = [
        Listener("enough", client, Caller(secured, client).arguments("SASL_SSL", "member"))
        for client in CLIENTS
    ]
    with ExitStack() as stack:
        stack.callback(ended, members)
        for it in members:
            it.member.start()
        until(lambda: all(it.told for it in members))

    assert [NoControllerError] * 2 == [type(it.told[0][1]) for it in members]
    assert all("Read topic heartbeats" in it.texts[0] for it in members)


@pytest.mark.spark
def test_a_controller_and_its_members_need_no_more(secured: SecuredKafka, tmp_path: Path) -> None:
    """It gives queues to members who may do what members need, and to a program that reads them."""
    secured.user("controller", PASSWORD)
    for operation in ("Read", "Write", "DescribeConfigs"):
        secured.allow("controller", operation, PREFIX, prefixed=True)
    secured.allow("controller", "Describe", "orders")
    given(secured, "reader", RIGHTS)
    secured.allow("reader", "Read", "orders")
    secured.allow("reader", "Read", "readers", kind="group")
    options = secured.options_of_both("controller", PASSWORD)
    del options["log_level"]
    settings = {f"kafka.options.{name}": value for name, value in options.items()}
    account = Producer({"bootstrap.servers": secured.servers("PLAINTEXT"), "log_level": 2})
    account.produce("orders", b"one", partition=0)
    assert 0 == account.flush(PATIENCE_S)
    account.close()
    arguments = Caller(secured, "confluent").arguments("SASL_SSL", "reader")
    with (
        ControllerProcess(
            tmp_path,
            secured.servers("SASL_SSL"),
            PREFIX,
            **{"topics.partitions": PARTITIONS},
            **settings,
        ),
        ConsumerBinding(
            {"bootstrap.servers": arguments["bootstrap_servers"], "group.id": "readers"}
            | arguments["kafka"]
        ) as binding,
        Member(
            **arguments,
            group="readers",
            topics=["orders"],
            prefix=PREFIX,
            binding=binding,
            guard=True,
        ) as member,
    ):
        member.wait_until(lambda it: len(it.assignment) == 2, 2 * PATIENCE_S)
        messages: list[Message | None] = []
        until(lambda: messages.append(binding.poll(0.1)) or messages[-1])
        assert messages[-1] is not None
        binding.done(messages[-1])
        binding.commit()
        member.leave("0s")
        until(lambda: binding.poll(0.05) or member.state == "ended")
