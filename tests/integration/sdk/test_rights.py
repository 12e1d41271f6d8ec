"""The least rights, on a real broker: each that is missing is named, and they are enough."""

from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from tests.builders.command_line import caller
from tests.builders.sessions import GROUP
from tests.integration.controller_process import ControllerProcess
from tests.integration.secured_callers import (
    CLIENTS,
    PARTITIONS,
    PASSWORD,
    PATIENCE_S,
    PREFIX,
    TOLD_S,
    Caller,
    Listener,
    a_right_to_write_is_taken_away_and_given_back,
    ended,
    flags,
    reads_for_itself,
    reads_one,
    trouble_of_a_reader,
    until,
)
from tests.integration.secured_kafka import SecuredKafka
from trimtab import NoControllerError
from trimtab.protocol import (
    MEMBERS,
    TOPICS,
    Cause,
    Group,
    QueueCounts,
    decode,
    encode,
    partition_of,
)
from trimtab.transports import Client
from trimtab.transports.rights import NEEDED

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

RIGHTS: list[tuple[str, str]] = [(it, one) for it, them in NEEDED.items() for one in them]
CONTROLLER = {
    "Read": (
        "members",
        "commands",
        "controllers",
        "rocketmq",
        "assignments",
        "groups",
        "heartbeats",
        "releases",
        "routes",
        "latency",
    ),
    "Write": (
        "assignments",
        "groups",
        "brokers",
        "history",
        "deadletters",
        "controllers",
        "heartbeats",
        "releases",
        "routes",
        "latency",
    ),
    "DescribeConfigs": tuple(TOPICS),
}
"""As in docs/rights.md."""


VIEWS = (
    *("groups", "assignments", "history", "brokers", "deadletters", "controllers", "heartbeats"),
    *("members", "routes", "latency"),  # of `doctor`, and of what says beforehand what would move
)
OPERATOR = [*((topic, "Read") for topic in VIEWS), ("commands", "Write")]
REPLAYING = [(topic, "Read") for topic in TOPICS]
"""As in docs/rights.md."""

WHY = ("--reason", "new disk")
ASKED = (
    (("groups", "list"), 0),
    (("groups", "describe", "billing"), 0),
    (("members", "list"), 0),
    (("queues", "list", "billing"), 0),
    (("brokers", "list"), 0),
    (("deadletters", "list"), 0),
    (("controllers", "list"), 0),
    (("top", "--once"), 0),
    (("doctor",), 3, 0),  # 0 if another test's controller was there a moment ago
    (("plan", "billing"), 0),
    (("groups", "pause", "billing", *WHY, "--timeout", "1s"), 5),
    (("brokers", "eject", "a", "--cluster", "east", "--force", *WHY, "--no-wait"), 0),
)
"""What an operator calls, and the exit code where nothing is and nobody answers."""
REPLAYED = ((("replay", "--every", "300"), 0, 4),)  # 4 if no member has joined yet
"""What needs all topics."""
EMPTY = Group(
    group="billing",
    state="empty",
    epoch=1,
    group_epoch=1,
    target_epoch=1,
    strategy="STICKY",
    members=0,
    queues=QueueCounts(assigned=0, moving=0, unassigned=0),
    topics={},
    at_ms=1_767_225_600_000,
    cause=Cause(kind="leave"),
    people=(),
)


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
            it.start()
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
            it.start()
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
            it.start()
        until(lambda: all(it.told for it in members))

    assert [NoControllerError] * 2 == [type(it.told[0][1]) for it in members], [
        it.texts for it in members
    ]
    assert all("Read topic heartbeats" in it.texts[0] for it in members)


@pytest.mark.spark
@pytest.mark.timeout(900)
def test_a_controller_and_its_members_need_no_more(secured: SecuredKafka, tmp_path: Path) -> None:
    """It gives queues to members who may do what members need, and to a program that reads them."""
    secured.user("controller", PASSWORD)
    for operation, topics in CONTROLLER.items():
        for name in topics:
            secured.allow("controller", operation, PREFIX + name)
    secured.allow("controller", "Describe", "orders")
    given(secured, "reader", RIGHTS)
    secured.allow("reader", "Read", "orders")
    secured.allow("reader", "Read", "readers", kind="group")
    options = secured.options("SASL_SSL", "controller", PASSWORD)
    del options["log_level"]
    settings = {f"kafka.options.{name}": value for name, value in options.items()}
    reader = Caller(secured, "confluent").arguments("SASL_SSL", "reader")
    controller = {"topics.partitions": PARTITIONS, **settings}
    with ControllerProcess(tmp_path, secured.servers("SASL_SSL"), PREFIX, **controller) as process:
        reads_one(secured, reader, guard=True)
        a_right_to_write_is_taken_away_and_given_back(secured, process, reader)
        for operation in ("Describe", "Write"):
            ids = "trimtab:readers:"
            secured.allow("reader", operation, ids, kind="transactional_id", prefixed=True)
        secured.allow("reader", "Write", "orders")
        reads_one(secured, reader, fencing="transactional")
        secured.allow("reader", "Read", "readers.", kind="group", prefixed=True)
        reads_for_itself(reader)


def test_who_makes_topics_needs_no_more(
    secured: SecuredKafka, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Be it `topics init`, or a controller with `--init-topics`, which goes the same way."""
    run = caller(monkeypatch, capsys)
    for user, command, prefix, rights, others in (
        ("maker", "init", "maker.", ("Create", "Describe", "DescribeConfigs"), {}),
        ("starter", "init", "starter.", ("Create",), CONTROLLER),
        ("checker", "check", "maker.", ("Describe", "DescribeConfigs"), {}),
    ):
        secured.user(user, PASSWORD)
        for operation in rights:
            secured.allow(user, operation, prefix, prefixed=True)
        for operation, topics in others.items():
            for name in topics:
                secured.allow(user, operation, f"{prefix}{name}")
        whole = flags(Caller(secured, "confluent").arguments("SASL_SSL", user))
        code, _, error = run("topics", command, *whole, "--set", f"topics.prefix={prefix}")
        assert 0 == code, (user, error)


@pytest.mark.parametrize("client", CLIENTS)
def test_each_right_that_a_consumer_lacks_is_named(secured: SecuredKafka, client: Client) -> None:
    """Once, in time: Kafka itself names neither the operation nor, of a group, which one."""
    secured.allow("lacks-group", "Read", "orders")
    secured.allow("lacks-topic", "Read", GROUP, kind="group")
    secured.allow("lacks-own", "Read", "orders")
    secured.allow("lacks-own", "Read", GROUP, kind="group")
    for user, right, options in (
        ("lacks-group", "Read on group billing", {}),
        ("lacks-topic", "Read on topic orders", {}),
        ("lacks-own", "Read on group billing.m", {"mode": "broadcasting", "member_id": "m"}),
    ):
        secured.user(user, PASSWORD)
        arguments = Caller(secured, client).arguments("SASL_SSL", user)
        told = trouble_of_a_reader(arguments, client, **options)
        assert 1 == sum(f"no right to {right} (" in it for it in told), told


def test_the_right_to_transactional_ids_is_named(secured: SecuredKafka) -> None:
    """They are the consumer's own, so nobody could guess what they are called."""
    secured.user("lacks-ids", PASSWORD)
    secured.allow("lacks-ids", "Read", "orders")
    secured.allow("lacks-ids", "Read", GROUP, kind="group")
    ours = Caller(secured, "confluent").arguments("SASL_SSL", "lacks-ids")

    told = trouble_of_a_reader(ours, "confluent", fencing="transactional")
    assert [it for it in told if "transactional ids that begin with trimtab:billing:" in it], told


def test_an_operator_needs_no_more(
    secured: SecuredKafka, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every view is read, and a command is written; nobody is there to answer it."""
    run = caller(monkeypatch, capsys)
    with closing(Producer({"bootstrap.servers": secured.servers("PLAINTEXT")})) as producer:
        place = partition_of("billing", PARTITIONS)
        producer.produce(f"{PREFIX}groups", encode(EMPTY), b"billing", partition=place)
        assert 0 == producer.flush(PATIENCE_S)
    for user, rights, asked in (("replaying", REPLAYING, REPLAYED), ("operator", OPERATOR, ASKED)):
        given(secured, user, rights)
        whole = flags(Caller(secured, "confluent").arguments("SASL_SSL", user))
        for command, *expected in asked:
            code, _, error = run(*command, *whole)
            assert code in expected, (command, error)
            seen = [it for it in error.splitlines() if not it.startswith("foreign members of ")]
            assert not any("uthoriz" in line for line in seen), (command, error)
