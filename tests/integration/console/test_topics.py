"""`trimtab topics init|check` on a real broker: create once, then compare and never change."""

import json
import time
from functools import partial

import pytest
from confluent_kafka import KafkaError, Producer
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from console.embedded.broker import EmbeddedKafka
from console.topics import create, problems, survey
from tests.builders.command_line import Run
from trimtab.protocol import TOPICS, limits, topic_specs

pytestmark = pytest.mark.kafka

PATIENCE_S = 30.0


@pytest.fixture
def run(command_line: Run) -> Run:
    """The command line of topics, before any is made."""
    return partial(command_line, "topics")


@pytest.fixture
def admin(kafka: EmbeddedKafka) -> AdminClient:
    """Somebody else's admin client."""
    return AdminClient({"bootstrap.servers": kafka.bootstrap_servers})


def alter(admin: AdminClient, topic: str, name: str, value: str) -> None:
    """Do what an operator may do behind our back."""
    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    (done,) = admin.incremental_alter_configs([resource]).values()
    done.result(PATIENCE_S)
    deadline = time.monotonic() + PATIENCE_S
    while value != config_of(admin, topic)[name]:  # brokers learn of it a moment later
        assert time.monotonic() < deadline
        time.sleep(0.02)


def wait_until_gone(admin: AdminClient, topic: str) -> None:
    """Wait until brokers have learnt of a deletion."""
    deadline = time.monotonic() + PATIENCE_S
    while topic in admin.list_topics(timeout=PATIENCE_S).topics:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def config_of(admin: AdminClient, topic: str) -> dict[str, str]:
    """The configuration of a topic."""
    (answer,) = admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]).values()
    return {name: entry.value for name, entry in answer.result(PATIENCE_S).items()}


def states(out: str) -> set[str]:
    """The states in a JSON report."""
    return {topic["state"] for topic in json.loads(out)["topics"]}


def test_init_creates_every_topic_as_the_contract_says(
    run: Run, admin: AdminClient, topics_prefix: str
) -> None:
    """Names, partitions and configuration are those of the wire contract; then all is well."""
    code, out, err = run("init", "-o", "json")
    assert (0, "") == (code, err)
    assert {"created"} == states(out)
    assert {f"{topics_prefix}{name}" for name in TOPICS} == {
        topic["topic"] for topic in json.loads(out)["topics"]
    }

    found = admin.list_topics(timeout=PATIENCE_S).topics
    assert all(len(found[f"{topics_prefix}{name}"].partitions) == 2 for name in TOPICS)
    config = config_of(admin, f"{topics_prefix}assignments")
    assert "compact" == config["cleanup.policy"]
    assert "LogAppendTime" == config["message.timestamp.type"]

    code, out, err = run("check", "-o", "json")
    assert (0, "", {"ok"}) == (code, err, states(out))


def test_what_unpacks_to_more_than_the_limit_is_refused(
    run: Run, kafka: EmbeddedKafka, topics_prefix: str
) -> None:
    """Kafka's limit is on what it stores: packed, it would let in what no reader can unpack."""
    run("init")
    options = {"compression.type": "zstd", "message.max.bytes": 100_000_000}
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, **options})
    told: list[int | None] = []
    for size in (limits.RECORD_BYTES - 1_000, 20 * limits.RECORD_BYTES):
        producer.produce(
            f"{topics_prefix}releases",
            b"0" * size,
            on_delivery=lambda error, _: told.append(None if error is None else error.code()),
        )
        assert 0 == producer.flush(PATIENCE_S)
    assert [None, KafkaError.MSG_SIZE_TOO_LARGE] == told


def test_init_may_be_repeated(run: Run) -> None:
    """The second time there is nothing to do, and it says so."""
    assert 0 == run("init")[0]
    code, out, err = run("init", "-o", "json")
    assert (0, "", {"ok"}) == (code, err, states(out))


def test_init_creates_only_what_is_missing(
    run: Run, admin: AdminClient, topics_prefix: str
) -> None:
    """A topic that somebody deleted comes back; the others are left alone."""
    run("init")
    admin.delete_topics([f"{topics_prefix}latency"])[f"{topics_prefix}latency"].result(PATIENCE_S)
    wait_until_gone(admin, f"{topics_prefix}latency")
    code, out, _ = run("check", "-o", "json")
    assert 3 == code
    assert {f"{topics_prefix}latency": "missing"} == {
        topic["topic"]: topic["state"]
        for topic in json.loads(out)["topics"]
        if topic["state"] != "ok"
    }
    assert "created" in run("init")[1]
    assert 0 == run("check")[0]


def test_two_may_create_at_once(run: Run, admin: AdminClient, topics_prefix: str) -> None:
    """A topic that appears between the look and the creation is nobody's error."""
    run("init")
    specs = topic_specs(topics_prefix, partitions=2)
    create(admin, specs, "here")
    assert [] == problems(survey(admin, specs, "here"))


def test_a_dry_run_changes_nothing(run: Run, admin: AdminClient, topics_prefix: str) -> None:
    """It says what would be created, and creates nothing."""
    code, out, err = run("init", "--dry-run", "-o", "json")
    assert (0, "", {"would be created"}) == (code, err, states(out))
    existing = admin.list_topics(timeout=PATIENCE_S).topics
    assert [] == [name for name in existing if name.startswith(topics_prefix)]


@pytest.mark.parametrize(
    ("topic", "name", "value"),
    [
        ("heartbeats", "message.timestamp.type", "CreateTime"),
        ("assignments", "cleanup.policy", "delete"),
        ("members", "retention.ms", "1000"),
        ("releases", "max.message.bytes", "2000"),
        ("releases", "compression.type", "producer"),
    ],
)
def test_a_changed_topic_is_refused_with_the_fix(
    run: Run, admin: AdminClient, topics_prefix: str, topic: str, name: str, value: str
) -> None:
    """Exit code 3 and one line: the topic, what it has, what it must have, how to get there."""
    run("init")
    topic = f"{topics_prefix}{topic}"
    alter(admin, topic, name, value)
    for command in ("check", "init"):
        code, _, err = run(command)
        (line,) = err.splitlines()
        assert 3 == code
        assert line.startswith(f"trimtab: {topic} has {name}={value}, must be ")
        assert f"--entity-name {topic} --add-config {name}=" in line


def test_tuning_is_the_operator_s(run: Run, admin: AdminClient, topics_prefix: str) -> None:
    """What correctness does not rest on may be changed."""
    run("init")
    alter(admin, f"{topics_prefix}assignments", "segment.ms", "600000")
    assert 0 == run("check")[0]


def test_partition_counts_must_match_and_agree(
    run: Run, admin: AdminClient, topics_prefix: str
) -> None:
    """A topic with another count is named, and so are group-keyed topics that disagree."""
    name = f"{topics_prefix}heartbeats"
    admin.create_topics([NewTopic(name, 3, 1, config={"message.timestamp.type": "LogAppendTime"})])[
        name
    ].result(PATIENCE_S)
    code, _, err = run("init")
    assert 3 == code
    assert f"{name} has 3 partitions, must have 2: set topics.partitions to 3" in err
    assert "topics keyed by group must have equal partition counts, there are: " in err


def test_retention_is_the_settings_choice(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A topic made under one retention does not pass under another."""
    monkeypatch.setenv("TRIMTAB_TOPICS__RETENTION__HISTORY", "2d")
    run("init")
    assert 0 == run("check")[0]
    monkeypatch.delenv("TRIMTAB_TOPICS__RETENTION__HISTORY")
    assert "retention.ms=172800000, must be 7776000000" in run("check")[2]


def test_a_kafka_that_does_not_answer_is_a_timeout(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 5 and one line."""
    monkeypatch.setattr("console.topics.REQUEST_TIMEOUT_S", 1.0)
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "127.0.0.1:1")
    code, out, err = run("check")
    assert (5, "") == (code, out)
    assert err.startswith("trimtab: Kafka does not answer at 127.0.0.1:1: ")
