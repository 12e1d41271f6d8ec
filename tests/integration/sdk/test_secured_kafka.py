"""Passwords and listeners on a real broker: what is wrong is named, by both clients."""

import json
import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from tests.builders.command_line import caller
from tests.integration.java_process import JavaProcess
from tests.integration.java_programs import answered, java
from tests.integration.secured_callers import (
    ANN,
    CLIENTS,
    PASSWORD,
    PREFIX,
    TOLD_S,
    Caller,
    Listener,
    ended,
    flags,
    until,
)
from tests.integration.secured_kafka import MECHANISM, SecuredKafka
from trimtab import NoControllerError
from trimtab.guard_lines import Post, heard
from trimtab.transports import Client

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

Case = tuple[str, Callable[[Caller], dict[str, Any]], str]

CASES: list[Case] = [
    (
        "wrong password",
        lambda it: it.arguments("SASL_SSL", password="wrong"),
        r'Kafka at localhost:\d+ refuses the password of user "ann" \(.*: check sasl.\w+',
    ),
    (
        "unknown mechanism",
        lambda it: it.arguments("SASL_PLAINTEXT", further={"sasl.mechanism": "PLAIN"}),
        r"Kafka at localhost:\d+ has no SASL mechanism PLAIN: set sasl.mechanism to one of SCRAM",
    ),
    (
        "unknown authority",
        lambda it: it.arguments("SASL_SSL", further={"ssl.ca.location": None}),
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


AT_ONCE = 6
"""Members in one process, so that none waits for the processor rather than for Kafka."""


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("first", range(0, len(CASES), AT_ONCE))
def test_what_is_wrong_is_named_within_15_s_and_once(
    secured: SecuredKafka, client: Client, first: int
) -> None:
    """With the address and what to do, whatever client it is; also after many more tries."""
    cases = CASES[first : first + AT_ONCE]
    members = {
        name: Listener(name.replace(" ", "-"), client, arguments(Caller(secured, client)))
        for name, arguments, _ in cases
    }
    with ExitStack() as stack:
        stack.callback(ended, [*members.values()])
        for it in members.values():
            it.start()
        until(lambda: all(it.told for it in members.values()))
        time.sleep(8)  # another try, at least

    wrong = [
        (name, it.told)
        for name, _, text in cases
        for it in [members[name]]
        if not re.match(dotless(text) if client == "kafka-python" else text, it.texts[0])
        or it.told[0][0] > TOLD_S
        or [error for _, error in it.told[1:] if not isinstance(error, NoControllerError)]
    ]
    assert [] == wrong


def test_a_consumer_in_java_names_what_is_wrong(secured: SecuredKafka, tmp_path: Path) -> None:
    """A password: with the address, the user, and what to set."""
    login = "org.apache.kafka.common.security.scram.ScramLoginModule"
    kafka = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": MECHANISM,
        "sasl.jaas.config": f'{login} required username="{ANN}" password="wrong";',
    }
    servers = secured.servers("SASL_PLAINTEXT")
    about = [servers, PREFIX, "billing", "orders", "a", *(f"{it}={kafka[it]}" for it in kafka)]
    with JavaProcess(tmp_path, [*java("KafkaWorker"), *about]) as worker:
        worker.tell("idle 15000")
        said = worker.wait_for(" trouble ")

    assert f'Kafka at {servers} refuses the password of user "{ANN}" (' in said
    assert f"check sasl.jaas.config and sasl.mechanism ({MECHANISM})" in said


def test_the_guard_of_a_member_in_java_is_let_in(secured: SecuredKafka) -> None:
    """Its options are those of kafka-clients, in the words of the guard's client."""
    login = "org.apache.kafka.common.security.scram.ScramLoginModule"
    by_file = {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": MECHANISM,
        "sasl.jaas.config": f'{login} required username="{ANN}" password="{PASSWORD}";',
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(secured.authority),
    }
    by_text = {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": secured.authority.read_text(),
    }
    kafka = (by_file, by_text)
    posts = answered(java("guard.GuardRules"), [f"post {json.dumps(it)}" for it in kafka])
    for options, line in zip(kafka, posts, strict=True):
        post = heard(line.encode())
        assert isinstance(post, Post)
        servers = secured.servers(options["security.protocol"])
        guard = AdminClient({**post.kafka, "bootstrap.servers": servers, "log_level": 2})

        assert guard.list_topics(timeout=TOLD_S).brokers


def dotless(text: str) -> str:
    """The options have other names in kafka-python."""
    return text.replace("sasl.m", "sasl_m").replace("security.p", "security_p")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"protocol": "SASL_SSL", "password": "wrong"}, "invalid credentials"),
        ({"protocol": "SASL_SSL", "further": {"ssl.ca.location": None}}, "certificate"),
    ],
    ids=["wrong password", "unknown authority"],
)
@pytest.mark.parametrize(
    "command", [("groups", "list"), ("groups", "sides", "billing"), ("topics", "check")]
)
def test_the_terminal_says_what_is_refused(
    secured: SecuredKafka,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
    arguments: dict[str, Any],
    said: str,
) -> None:
    """Or who has mistyped a password would look for a dead Kafka."""
    monkeypatch.setattr("console.whole_topics._FIRST_S", 2.0)
    monkeypatch.setattr("console.topics.REQUEST_TIMEOUT_S", 2.0)
    wrong = Caller(secured, "confluent").arguments(**arguments)

    code, out, err = caller(monkeypatch, capsys)(*command, *flags(wrong))

    assert (5, "") == (code, out)
    assert "Kafka does not answer" in err
    assert "localhost:" in err
    assert said in err.lower()


def test_a_topic_that_one_may_not_see_is_not_missing(
    secured: SecuredKafka, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or whoever starts a controller would be told to make topics that are there."""
    secured.user("blind", PASSWORD)
    blind = Caller(secured, "confluent").arguments("SASL_SSL", "blind")

    code, out, err = caller(monkeypatch, capsys)("topics", "check", *flags(blind))

    assert (1, "") == (code, out)
    assert f"trimtab: no right to Describe topic {PREFIX}" in err


@pytest.mark.parametrize(
    ("command", "missing", "rights"),
    [
        ("check", "DescribeConfigs", ("Describe",)),
        ("init", "Create", ("Describe", "DescribeConfigs")),
    ],
)
def test_what_a_command_for_topics_may_not_do_is_named(
    secured: SecuredKafka,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    missing: str,
    rights: tuple[str, ...],
) -> None:
    """A controller that starts looks in the same way; Kafka itself does not name the operation."""
    user, prefix = f"lacks-{missing.lower()}", PREFIX if command == "check" else "unmade."
    secured.user(user, PASSWORD)
    for operation in rights:
        secured.allow(user, operation, prefix, prefixed=True)
    asking = Caller(secured, "confluent").arguments("SASL_SSL", user)

    run = caller(monkeypatch, capsys)
    code, out, err = run("topics", command, *flags(asking), "--set", f"topics.prefix={prefix}")

    assert (1, "") == (code, out)
    assert f"no right to {missing} topic {prefix}" in err
    assert "docs/rights.md" in err
