"""A Java member's side of its guard: what it says, to whom, and what becomes of it without."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.integration.java_process import PATIENCE_S, JavaProcess
from tests.integration.java_programs import answered, java
from trimtab.guard_lines import ADDRESS, Farewell, Post, Refused, Welcome, heard, line_of
from trimtab.holdings import Holdings
from trimtab.transports import Client

pytestmark = pytest.mark.slow

SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
LOGIN = r'required username="ann" password="a \"secret\";";'
ANN = {"sasl.username": "ann", "sasl.password": 'a "secret";'}
ENCRYPTED = {"security.protocol": "SSL"}
PEM = {"ssl.truststore.type": "PEM"}
TOLD = [
    ({}, {}),
    ({"client.id": "a", "security.protocol": "PLAINTEXT", "ssl.keystore.location": "a.jks"}, {}),
    (
        {
            "security.protocol": "sasl_ssl",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.jaas.config": f"{SCRAM} {LOGIN}",
            "ssl.truststore.location": "/etc/kafka/ca.pem",
            **PEM,
        },
        {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "ssl.ca.location": "/etc/kafka/ca.pem",
            **ANN,
        },
    ),
    (
        {
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": f"{PLAIN} {LOGIN}",
        },
        {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", **ANN},
    ),
    (
        {
            "ssl.truststore.certificates": "-----BEGIN",
            "ssl.endpoint.identification.algorithm": "",
            **ENCRYPTED,
            **PEM,
        },
        {
            "ssl.ca.pem": "-----BEGIN",
            "ssl.endpoint.identification.algorithm": "none",
            **ENCRYPTED,
        },
    ),
]
UNTOLD = [
    ({**ENCRYPTED, "ssl.keystore.location": "a.jks"}, "ssl.keystore.location"),
    (
        {**ENCRYPTED, "ssl.truststore.location": "a.jks"},
        "ssl.truststore.location (its type is JKS, not PEM)",
    ),
    ({"security.protocol": "SASL_SSL"}, "sasl.mechanism (GSSAPI)"),
    (
        {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": f"{SCRAM} {LOGIN}",
        },
        "sasl.jaas.config",
    ),
    ({"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}, "sasl.jaas.config"),
    ({"config.providers": "file"}, "config.providers"),
]


def test_the_guard_is_told_how_to_reach_kafka() -> None:
    """In the words of its own client; what has nothing to do with that is left out."""
    orders = [f"post {json.dumps(options)}" for options, _ in TOLD]
    own = {"security.protocol": "SSL", "log_level": 2}
    *posts, theirs = answered(java("guard.GuardRules"), [*orders, f"own {json.dumps(own)}"])

    about = Post(servers="127.0.0.1:1", group="billing", prefix="t.", patience_ms=10_000)
    for (_, kafka), line in zip(TOLD, posts, strict=True):
        client: Client | None = "confluent" if kafka else None
        assert replace(about, client=client, kafka=kafka) == heard(line.encode())
    assert replace(about, kafka=own) == heard(theirs.encode())


def test_what_the_guard_cannot_be_told_is_named() -> None:
    """With what to do: Kafka would not let the guard in, and nobody would know."""
    orders = [f"post {json.dumps(options)}" for options, _ in UNTOLD]

    assert [
        f"no guard: its client, librdkafka, cannot be told {option}; give all that it needs to"
        " reach Kafka by guardKafka(option, value): this member has no guard"
        for _, option in UNTOLD
    ] == answered(java("guard.GuardRules"), orders)


class Side:
    """A Java member's side, and the end of its connection that is here."""

    def __init__(self, member: JavaProcess, listener: socket.socket) -> None:
        self._member = member
        self._asked = 1
        member.tell("start")
        self.guard, _ = listener.accept()
        self.guard.settimeout(PATIENCE_S)
        assert member.wait_for("").endswith("ok")

    def ask(self, order: str) -> str:
        """Have it do something; return what it reports."""
        self._asked += 1
        self._member.tell(order)
        self._member.wait_for("", self._asked)
        return self._member.lines()[-1]

    def told(self) -> list[object]:
        """Read until it has closed; return what it has said."""
        said = b""
        while chunk := self.guard.recv(65_536):
            said += chunk
        return [heard(it) for it in said.splitlines()]


@pytest.fixture
def listener(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The place of the guard that this test is; one may wait to be taken there, and no more."""
    monkeypatch.setenv(ADDRESS, str(tmp_path / "socket"))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen(0)
        listener.settimeout(PATIENCE_S)
        yield listener


@pytest.fixture
def member(tmp_path: Path, listener: socket.socket) -> Iterator[JavaProcess]:
    """A process that has a member's side of its guard."""
    assert listener.fileno() >= 0
    with JavaProcess(tmp_path / "home", java("guard.GuardRules")) as member:
        yield member


@pytest.fixture
def side(member: JavaProcess, listener: socket.socket) -> Iterator[Side]:
    """One that has found its guard."""
    side = Side(member, listener)
    with side.guard:
        yield side


def test_a_guard_that_has_to_take_others_first_is_waited_for(
    member: JavaProcess, listener: socket.socket
) -> None:
    """It is younger than its members, and they may be many."""
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(listener.getsockname())
        member.tell("start")
        time.sleep(0.4)
        assert [] == member.lines()
        taken = [listener.accept()[0] for _ in range(2)]
        assert member.wait_for("").endswith("ok")
        for it in taken:
            it.close()


def test_it_says_what_is_held_once_the_guard_watches(side: Side) -> None:
    """Each change once, also by an interrupted thread, for which Java likes to close things."""
    assert side.ask("keep 1") == "ok"
    side.guard.sendall(line_of(Welcome(pid=1)))
    orders = ("await", "keep 1", "keep 1", "interrupt", "keep 2", "dismiss", "keep 3")
    assert {"ok"} == {side.ask(order) for order in orders}
    post, *held, farewell = side.told()

    assert isinstance(post, Post)
    assert [1, 2] == [len(it.queues) for it in held if isinstance(it, Holdings)]
    assert (2, Farewell()) == (len(held), farewell)


def test_a_guard_that_refuses_or_ends_is_reported_once(side: Side) -> None:
    """The member goes on without."""
    side.guard.sendall(line_of(Refused(reason="no Kafka client is installed")))
    told = [side.ask(order) for order in ("await", "keep 1", "dismiss")]

    why = "the guard refuses: no Kafka client is installed: this member has no guard"
    assert [why, "ok", "ok"] == told


def test_a_guard_that_does_not_answer_is_reported_and_waited_for(side: Side) -> None:
    """Once, after ten seconds: one that is full may have room later."""
    told = [side.ask(order) for order in ("keep 1", "await", "keep 1")]
    side.guard.sendall(line_of(Welcome(pid=1)))
    told += [side.ask(order) for order in ("await", "keep 1", "dismiss")]

    assert ["ok", told[1], *["ok"] * 4] == told
    assert told[1].startswith("the guard has not answered for 10 s, ")
    assert any(isinstance(it, Holdings) for it in side.told())


@pytest.mark.parametrize(("name", "code"), [("trimtab.guard", -signal.SIGKILL), ("another", 0)])
def test_a_guard_that_does_not_hear_what_is_held_is_ended(side: Side, name: str, code: int) -> None:
    """It would name the wrong heirs. In another container its number is another process's here."""
    command = [sys.executable, "-IS", "-c", "input()", name]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as guard:
        side.guard.sendall(line_of(Welcome(pid=guard.pid)))
        told = [side.ask(order) for order in ("await", "keep 1", "keep 50000", "keep 2")]
        guard.communicate(b"over\n")

    why = "the guard does not hear what is held: this member has no guard"
    assert ["ok", "ok", why, "ok"] == told
    assert code == guard.returncode


def test_a_guard_that_is_not_there_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the address, and what may have happened."""
    address = str(tmp_path / "socket")
    monkeypatch.setenv(ADDRESS, address)
    first, second = answered(java("guard.GuardRules"), ["start", "keep 1"])

    assert first.startswith(f"no guard is at {address}, where TRIMTAB_GUARD says (")
    assert first.endswith("): it has ended, or it is another container's: this member has no guard")
    assert second == "ok"
