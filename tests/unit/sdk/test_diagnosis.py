"""How trouble with Kafka is worded, and what is known of the way there."""

from collections.abc import Mapping

import pytest

from trimtab import ConfigurationError
from trimtab.transports.diagnosis import Fault, Said, interrupted, unreachable
from trimtab.transports.link import Link
from trimtab.transports.listener import Listener

ANN = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.username": "ann"}
LINK = Link.of_confluent("k:9092", ANN)


@pytest.fixture
def fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The listener is as the client wants it."""
    found = Listener("k:9092", "SASL_SSL", ("PLAIN",))
    monkeypatch.setattr("trimtab.transports.diagnosis.look", lambda _, **_options: found)


@pytest.mark.parametrize("fault", Fault)
def test_the_same_fault_has_the_same_words(fault: Fault) -> None:
    """Librdkafka counts and measures in its texts; then each would be news."""
    texts = {
        interrupted(LINK, Said(fault, f"k:9092/1: Connect failed (after {ms}ms in state {it})"))
        for ms, it in [(0, "CONNECT"), (12, "CONNECT, 5 identical error(s) suppressed")]
    }

    assert 1 == len(texts)


@pytest.mark.usefixtures("fit")
@pytest.mark.parametrize(
    ("said", "text"),
    [
        (None, "Kafka at k:9092 answers, but not to this client in time: is it overloaded?"),
        (
            Said(Fault.OTHER, "inner:29092/1: Failed to resolve (after 3ms in state CONNECT)"),
            "inner:29092/1: Failed to resolve: check the brokers' advertised.listeners",
        ),
        (
            Said(Fault.PASSWORD, "no"),
            'Kafka at k:9092 refuses the password of user "ann" (no): check sasl.username, sasl.p',
        ),
    ],
)
def test_where_the_listener_is_right_the_client_has_the_word(said: Said | None, text: str) -> None:
    """Brokers may advertise addresses that only they can reach."""
    error = unreachable(LINK, said)
    assert text in str(error)
    assert error.guessed == (said is None)


@pytest.mark.parametrize(
    ("servers", "places"),
    [
        ("a:1,b:2", ("a:1", "b:2")),
        ("a, b:2", ("a:9092", "b:2")),
        ("SASL_SSL://a:1", ("a:1",)),
        ("[::1]:9093,[::1]", ("[::1]:9093", "[::1]:9092")),
    ],
)
def test_servers_are_read_as_the_clients_read_them(servers: str, places: tuple[str, ...]) -> None:
    """With Kafka's own port where none is named."""
    assert places == Link.of_confluent(servers, {}).servers


def test_a_port_is_a_number() -> None:
    """Else nobody could be asked there."""
    with pytest.raises(
        ConfigurationError, match=r'^bootstrap_servers: "a:http" is not "host:port"'
    ):
        Link.of_confluent("a:http", {})


@pytest.mark.parametrize(
    ("options", "principal"),
    [({}, "User:ANONYMOUS"), (ANN, "User:ann"), ({"security.protocol": "ssl"}, "User:...")],
)
def test_the_user_is_called_as_rights_call_him(options: Mapping[str, str], principal: str) -> None:
    """A certificate's name is known to the broker alone."""
    assert principal == Link.of_confluent("a:1", options).principal


def test_options_are_called_as_the_client_calls_them() -> None:
    """Kafka-python has names of its own."""
    link = Link.of_kafka_python("a:1", {"sasl_plain_username": "ann"})

    assert ("sasl_plain_password", "ssl_cafile", "security_protocol", "ann") == (
        link.option("sasl.password"),
        link.option("ssl.ca.location"),
        link.option("security.protocol"),
        link.user,
    )
