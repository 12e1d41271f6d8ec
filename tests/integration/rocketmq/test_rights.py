"""The least rights of the brokers' hook, and of producers that report: what docs/rights.md says.

Nobody but these asks for rights on topics under this prefix, and no controller is there: the tests
say what it would say.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from bench.rocketmq.programs import FIVE
from console.embedded.ports import choose_port
from tests.builders.sessions import assignment
from tests.integration.java_process import JavaProcess
from tests.integration.java_programs import java
from tests.integration.rocketmq_server import RocketMQ
from tests.integration.secured_callers import PASSWORD, PATIENCE_S, until
from tests.integration.secured_kafka import MECHANISM, SecuredKafka
from tests.integration.topics import create_control_topics
from trimtab.protocol import HolderRef, encode, member_key

pytestmark = pytest.mark.kafka

PREFIX: Final = "shop."
GROUP, TOPIC, SENT, CLIENT = "billing", "orders", "sent", "worker@a"
PATIENCE_OF_HOOK_S: Final = 12
AT_WORK: Final = b'{"kind": "controller", "role": "active"}'
"""All that the hook looks at of what a controller says of itself."""
SHARE: Final = {"0", "1"}
"""The queues that the client is given; there are four."""
LATELY_NS: Final = 1_000_000_000
TOLD_AGAIN_S: Final = 90.0
"""A minute passes first, if the same kind of trouble had another cause before."""


def options(kafka: SecuredKafka, user: str, home: Path) -> Path:
    """Make a user, and the file by which kafka-clients come as that one."""
    kafka.user(user, PASSWORD)
    login = "org.apache.kafka.common.security.scram.ScramLoginModule"
    file = home / f"{user}.properties"
    file.write_text(
        "security.protocol=SASL_SSL\n"
        f"sasl.mechanism={MECHANISM}\n"
        f'sasl.jaas.config={login} required username="{user}" password="{PASSWORD}";\n'
        "ssl.truststore.type=PEM\n"
        f"ssl.truststore.location={kafka.authority}\n"
    )
    return file


@pytest.fixture(scope="module")
def server(secured: SecuredKafka, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RocketMQ]:
    """A broker with the hook, whose user may read two of the three topics."""
    home = tmp_path_factory.mktemp("rocketmq")
    create_control_topics(secured.servers("PLAINTEXT"), PREFIX, 1)
    hook = {
        "kafka": secured.servers("SASL_SSL"),
        "kafka.options": str(options(secured, "hook", home)),
        "prefix": PREFIX,
        "groups": GROUP,
        "patience": str(PATIENCE_OF_HOOK_S),
    }
    for name in ("rocketmq", "assignments"):
        secured.allow("hook", "Read", PREFIX + name)
    names = f"127.0.0.1:{choose_port(0)}"
    with RocketMQ(home / "server", names, hook=hook) as server:
        for topic in (TOPIC, SENT):
            server.make(topic, 4)
        yield server


def heard(kafka: SecuredKafka, name: str) -> set[bytes | None]:
    """The keys of what one of trimtab's topics has."""
    settings = {"bootstrap.servers": kafka.servers("PLAINTEXT"), "group.id": "t", "log_level": 2}
    with closing(Consumer(settings)) as consumer:
        place = TopicPartition(PREFIX + name, 0, 0)
        consumer.assign([place])
        _, end = consumer.get_watermark_offsets(place)
        return {it.key() for it in (consumer.consume(end, PATIENCE_S) if end else [])}


def await_said(server: RocketMQ, *words: str) -> None:
    """Wait until a line of the hook's in the broker's log has all of these."""
    late = time.monotonic() + TOLD_AGAIN_S
    while True:
        logs = [it.read_text() for it in (server.home / "logs").rglob("broker.log")]
        lines = [it for log in logs for it in log.splitlines() if "trimtab: " in it]
        if any(all(word in line for word in words) for line in lines):
            return
        assert time.monotonic() < late, lines
        time.sleep(0.1)


def lately(client: JavaProcess) -> set[str]:
    """The queues on which a client has begun a message lately."""
    lines = [it.split() for it in client.lines() if f" begin broker-a/{TOPIC} " in it]
    return {it[3] for it in lines if int(it[0]) > time.monotonic_ns() - LATELY_NS}


def test_the_hook_of_a_broker_needs_no_more(
    secured: SecuredKafka, server: RocketMQ, tmp_path: Path
) -> None:
    """Two rights are missing, and named; with them a client works on what a controller says."""
    server.order(f"send {TOPIC}", "sends")
    about = [server.names, "none", PREFIX, GROUP, TOPIC, "a", "by-broker", "BROKER"]
    with (
        JavaProcess(tmp_path / "client", [*java("RocketWorker", FIVE), *about]) as client,
        closing(Producer({"bootstrap.servers": secured.servers("PLAINTEXT")})) as controller,
    ):
        lacks = f'denies topics [{PREFIX}controllers] to user "hook"'
        await_said(server, "the controller cannot be followed", lacks)
        lacks = 'lets user "hook" write to no topic'
        await_said(server, "what a client says did not reach Kafka", f"{PREFIX}rocketmq", lacks)
        await_said(server, "this broker shares the queues out by itself")
        assert CLIENT.encode() not in heard(secured, "rocketmq")

        secured.allow("hook", "Write", f"{PREFIX}rocketmq")
        secured.allow("hook", "Read", f"{PREFIX}controllers")
        until(lambda: CLIENT.encode() in heard(secured, "rocketmq"))
        hold = tuple(HolderRef(TOPIC, "broker-a", int(it), 1) for it in sorted(SHARE))
        told = {"group": GROUP, "member": CLIENT, "hold": hold}
        share = encode(assignment(1).model_copy(update=told))
        controller.produce(f"{PREFIX}assignments", share, member_key(GROUP, CLIENT))

        def works_on_its_share() -> bool:
            controller.produce(f"{PREFIX}controllers", AT_WORK, b"controller")
            return controller.flush(PATIENCE_S) == 0 and SHARE == lately(client)

        until(works_on_its_share)


def test_a_producer_that_reports_needs_no_more(
    secured: SecuredKafka, server: RocketMQ, tmp_path: Path
) -> None:
    """Each right is named while it is missing, and used when it is given; messages are sent."""
    file = options(secured, "sender", tmp_path)
    about = [server.names, secured.servers("SASL_SSL"), PREFIX, SENT, "p", str(file)]
    with JavaProcess(tmp_path / "sender", [*java("RocketSender", FIVE), *about]) as sender:
        sender.wait_for(f'denies topics [{PREFIX}brokers] to user "sender"')
        secured.allow("sender", "Read", f"{PREFIX}brokers")
        sender.wait_for("verdicts true")
        said = sender.wait_for("no report reaches Kafka")
        assert f'denies topics [{PREFIX}latency] to user "sender"' in said
        sender.wait_for(" to broker-a")
        secured.allow("sender", "Write", f"{PREFIX}latency")
        until(lambda: b"DefaultCluster" in heard(secured, "latency"))
