"""Programs in Java that Kafka refuses when they start: they work as soon as that is cured."""

import time
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from confluent_kafka import Consumer, TopicPartition

from bench.rocketmq.programs import FIVE
from tests.integration.java_process import JavaProcess
from tests.integration.java_programs import java
from tests.integration.secured_callers import PARTITIONS, PASSWORD, PREFIX, until
from tests.integration.secured_kafka import MECHANISM, SecuredKafka

pytestmark = pytest.mark.kafka

GROUP: Final = "refused-at-first"
# Users and their rights stay with the broker, which other tests use too: so ours are of Java.
VAIN_S: Final = 55
"""A minute passes before the hook makes a producer anew: we do not wait for most of it."""
COPIED_S: Final = 35.0


def login(secured: SecuredKafka, user: str) -> dict[str, str]:
    """What kafka-clients have to be told to come as that user, who may not be there."""
    module = "org.apache.kafka.common.security.scram.ScramLoginModule"
    return {
        "bootstrap.servers": secured.servers("SASL_PLAINTEXT"),
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": MECHANISM,
        "sasl.jaas.config": f'{module} required username="{user}" password="{PASSWORD}";',
    }


def let_in(secured: SecuredKafka, user: str) -> None:
    """Make the user, who may do everything with trimtab's topics."""
    secured.user(user, PASSWORD)
    secured.allow(user, "All", PREFIX, prefixed=True)


def written(secured: SecuredKafka, name: str) -> str:
    """All that one of trimtab's topics has."""
    servers = secured.servers("PLAINTEXT")
    with closing(
        Consumer({"bootstrap.servers": servers, "group.id": "t", "log_level": 2})
    ) as reader:
        places = [TopicPartition(PREFIX + name, it, 0) for it in range(PARTITIONS)]
        reader.assign(places)
        count = sum(reader.get_watermark_offsets(it)[1] for it in places)
        records = reader.consume(count, 10.0) if count else []
    return "".join(f"{it.key()!r} {it.value()!r}\n" for it in records)


def test_a_member_joins_when_it_is_let_in(secured: SecuredKafka, tmp_path: Path) -> None:
    """A producer that was refused once never asks for its id again; so it is made after that."""
    kafka = login(secured, "java-late")
    servers = kafka.pop("bootstrap.servers")
    about = [servers, PREFIX, GROUP, "orders", "a", *(f"{it}={kafka[it]}" for it in kafka)]
    with JavaProcess(tmp_path, [*java("KafkaWorker"), *about]) as worker:
        worker.tell("idle 60000")
        worker.wait_for('refuses the password of user "java-late"')
        let_in(secured, "java-late")
        until(lambda: GROUP in written(secured, "members"))


def test_a_member_that_may_not_write_is_told_so(secured: SecuredKafka, tmp_path: Path) -> None:
    """With the user, and where it says which rights there are."""
    secured.user("java-reader", PASSWORD)
    secured.allow("java-reader", "Read", PREFIX, prefixed=True)
    kafka = login(secured, "java-reader")
    servers = kafka.pop("bootstrap.servers")
    about = [servers, PREFIX, GROUP, "orders", "a", *(f"{it}={kafka[it]}" for it in kafka)]
    with JavaProcess(tmp_path, [*java("KafkaWorker"), *about]) as worker:
        worker.tell("idle 60000")
        said = worker.wait_for("a record did not reach Kafka")

    assert 'lets user "java-reader" write to no topic' in said
    assert "docs/rights.md" in said


def test_a_hook_copies_heartbeats_when_it_is_let_in(secured: SecuredKafka, tmp_path: Path) -> None:
    """The broker need not be restarted."""
    options = tmp_path / "options"
    options.write_text("".join(f"{it}={value}\n" for it, value in login(secured, "hook-b").items()))
    hook = {"kafka": secured.servers("SASL_PLAINTEXT"), "kafka.options": str(options)}
    settings = {**hook, "prefix": PREFIX, "groups": GROUP}
    command = [*java("rocketmq.broker.HookRules", FIVE, hook=settings), GROUP]
    with JavaProcess(tmp_path, command) as broker:
        broker.tell("copy late@1")
        until(lambda: "did not reach Kafka" in logged(tmp_path))
        let_in(secured, "hook-b")
        broker.tell(f"vain {VAIN_S}")
        late = time.monotonic() + COPIED_S
        while "late@1" not in written(secured, "rocketmq"):
            assert time.monotonic() < late, logged(tmp_path)
            broker.tell("copy late@1")
            time.sleep(2)


def logged(home: Path) -> str:
    """What is in the broker's log."""
    logs = home.rglob("broker.log")
    return "".join(it.read_text(errors="replace") for it in logs)
