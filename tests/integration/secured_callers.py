"""Members and consumers at a broker that asks who they are, and what they are told is wrong.

Used by the tests of passwords and listeners, and by those of rights.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from types import MappingProxyType
from typing import Any

from confluent_kafka import Producer

from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from tests.integration.controller_process import ControllerProcess
from tests.integration.secured_kafka import SecuredKafka
from trimtab import Consumer, Member
from trimtab.transports import Client

Further = Mapping[str, str | None]
"""More options of the client; None: without that one."""
CLIENTS: tuple[Client, ...] = ("confluent", "kafka-python")
ANN, PASSWORD = "ann", "a secret"
"""Who is known, and has no rights."""
PREFIX = "t."
PARTITIONS = 4
TOLD_S = 15.0
"""What the README promises."""
PATIENCE_S = 30.0
_FAILURE = 1
"""An exit code; docs/operate.md lists them."""
_LONG_S = 90.0
"""A batch, or its controller, ends and starts."""


class Caller:
    """Makes members of one client library."""

    def __init__(self, kafka: SecuredKafka, client: Client) -> None:
        self._kafka = kafka
        self.client = client

    def arguments(
        self,
        protocol: str,
        user: str = ANN,
        password: str = PASSWORD,
        further: Further = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Where to connect, and as whom."""
        names = {"ssl.ca.location": "ssl_cafile", "sasl.mechanism": "sasl_mechanism"}
        told = self._kafka.options(protocol, user, password)
        if self.client == "kafka-python":
            told = self._kafka.options_of_kafka_python(protocol, user, password)
            further = {names[it]: value for it, value in further.items()}
        kafka = {it: value for it, value in (told | dict(further)).items() if value is not None}
        return {"bootstrap_servers": self._kafka.servers(protocol), "kafka": kafka}

    def elsewhere(self, protocol: str, listener: str) -> dict[str, Any]:
        """Speak a protocol to the listener of another one."""
        return self.arguments(protocol) | {"bootstrap_servers": self._kafka.servers(listener)}


def flags(arguments: Mapping[str, Any]) -> list[str]:
    """Return the settings with which the terminal is called as such a member of confluent-kafka."""
    settings = {f"kafka.options.{name}": it for name, it in arguments["kafka"].items()}
    del settings["kafka.options.log_level"]
    settings["kafka.bootstrap_servers"] = arguments["bootstrap_servers"]
    settings |= {"topics.prefix": PREFIX, "topics.partitions": PARTITIONS}
    return [word for name, it in settings.items() for word in ("--set", f"{name}={it}")]


class Listener:
    """A member that is told what is wrong."""

    def __init__(self, name: str, client: Client, arguments: dict[str, Any]) -> None:
        self.told: list[tuple[float, Exception]] = []
        self._begun = 0.0
        self.member = Member(
            **{"group": "billing", "topics": ["orders"], "prefix": PREFIX} | arguments,
            member_id=f"{name}-{client}",
            client=client,
            on_error=lambda error: self.told.append((time.monotonic() - self._begun, error)),
        )

    def start(self) -> None:
        """Begin; what it is told counts from now."""
        self._begun = time.monotonic()
        self.member.start()

    @property
    def texts(self) -> list[str]:
        """What it was told."""
        return [str(error) for _, error in self.told]


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


def a_right_to_write_is_taken_away_and_given_back(
    secured: SecuredKafka, controller: ControllerProcess, arguments: dict[str, Any]
) -> None:
    """It ends, with the topic in its last line, and goes on when it is started again (F3)."""
    secured.forbid("controller", "Write", PREFIX + "assignments")
    with Member(**arguments, group="refused", topics=["orders"], prefix=PREFIX) as member:
        assert _FAILURE == controller.ends(_LONG_S)
        said = controller.log.read_text().splitlines()[-1]
        assert f"Not authorized to access topics: [{PREFIX}assignments]" in said
        assert () == member.assignment
        secured.allow("controller", "Write", PREFIX + "assignments")
        controller.start()
        member.wait_until(lambda it: len(it.assignment) == 2, _LONG_S)


def trouble_of_a_reader(arguments: dict[str, Any], client: Client, **options: Any) -> list[str]:  # noqa: ANN401 - as of it
    """What a consumer is told that owns a queue, and only reads by Kafka."""
    told: list[str] = []
    member = MemoryTransport()
    ours: dict[str, Any] = {
        "group": GROUP,
        "topics": ["orders"],
        "client": client,
        "transport": member,
    }
    with Consumer(
        **arguments, **ours, **options, on_error=lambda error: told.append(str(error))
    ) as consumer:
        member.assign(1, hold=[(0, 1)])
        late = time.monotonic() + TOLD_S
        while time.monotonic() < late and not any("no right" in it for it in told):
            consumer.poll(0.2)
    return told


def reads_one(kafka: SecuredKafka, arguments: dict[str, Any], **options: Any) -> None:  # noqa: ANN401 - as of it
    """Have a consumer read what is written now, and commit it."""
    with closing(Producer({"bootstrap.servers": kafka.servers("PLAINTEXT")})) as account:
        account.produce("orders", b"one", partition=0)
        assert 0 == account.flush(PATIENCE_S)
    with Consumer(
        **arguments, group="readers", topics=["orders"], prefix=PREFIX, **options
    ) as consumer:
        consumer.member.wait_until(lambda it: len(it.assignment) == 2, 2 * PATIENCE_S)
        message = consumer.poll(PATIENCE_S)
        assert message is not None
        if "fencing" in options:
            assert consumer.send(message, "orders", b"an effect of it")
        assert consumer.poll("0s") is None  # the one before is done
        consumer.commit()


def reads_for_itself(arguments: dict[str, Any]) -> None:
    """Have a consumer read that has positions of its own, and commit one."""
    whole = arguments | {"group": "readers", "topics": ["orders"], "prefix": PREFIX}
    with Consumer(**whole, mode="broadcasting", member_id="m", commit="manual") as consumer:
        message = consumer.poll(2 * PATIENCE_S)
        assert message is not None
        consumer.commit(message)
