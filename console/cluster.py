"""The Kafka that the settings mean: the cluster they name, or the embedded broker of their home.

Commands that look at a cluster ask ``bootstrap_servers``; ``admin`` is the one place that makes
librdkafka's admin client from the settings.

A controller has clients of librdkafka and of Java, which want to be told the same in other words.
So one way to say it will do: what can be said in Java's words is said in them as well.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    ClusterMetadata,
)

from console.embedded.instance import Instance
from console.errors import Away, ExitCode, Failure
from console.met import Met
from console.settings import Settings

_JAVA_ONLY = (
    "sasl.client.callback.",
    "sasl.jaas.",
    "sasl.login.",
    "security.providers",
    "ssl.enabled.protocols",
    "ssl.engine.factory.",
    "ssl.keymanager.",
    "ssl.keystore.certificate.chain",
    "ssl.keystore.key",
    "ssl.keystore.type",
    "ssl.protocol",
    "ssl.trustmanager.",
    "ssl.truststore.",
)
"""Options that librdkafka refuses, and that Spark's Java client cannot do without; see
https://github.com/confluentinc/librdkafka/blob/master/CONFIGURATION.md for what it knows."""
_LOGINS: Final[Mapping[str, str]] = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}
"""By mechanism, what Java logs in with; user and password are arguments of it."""
_PROBE: Final = "probe"
"""librdkafka looks for the system's authorities, as Java does unless told."""
_NAMES_CHECKED: Final = "ssl.endpoint.identification.algorithm"
"""librdkafka says "none" for what is empty in Java."""
SILENCE: Final = {
    KafkaError._ALL_BROKERS_DOWN,  # noqa: SLF001 - librdkafka's own name
    KafkaError._TIMED_OUT,  # noqa: SLF001 - as above
    KafkaError._TRANSPORT,  # noqa: SLF001 - as above
    KafkaError._WAIT_COORD,  # noqa: SLF001 - as above
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.NOT_COORDINATOR,
}
"""Nobody has answered, or a broker that has just started cannot yet."""
_UNSURE: Final = {KafkaError.REQUEST_TIMED_OUT, KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND}
"""Errors of a broker that may have what was to be written."""


def bootstrap_servers(settings: Settings) -> str:
    """What to connect to.

    Raises:
        Away: The settings name no cluster and no embedded broker runs.
    """
    if settings.kafka.bootstrap_servers is not None:
        return settings.kafka.bootstrap_servers
    address = Instance(Path(settings.home)).running()
    if address is None:
        raise Away(
            f"no Kafka runs in {Path(settings.home).absolute()}, and kafka.bootstrap_servers is "
            "not set: name the settings by --config or TRIMTAB_CONFIG, or start one with "
            "`trimtab kafka start`",
            ExitCode.NOT_FOUND,
        )
    return address.bootstrap_servers


def refusal(what: str, error: KafkaException, code: ExitCode = ExitCode.ERROR) -> Failure:
    """Return how a command ends that Kafka has refused something, or not answered."""
    reason = error.args[0].str()
    if error.args[0].code() in SILENCE:
        return Away(f"{what}: Kafka does not answer: {reason}")
    return Failure(f"{what}: {reason}", code)


def is_unsure(error: KafkaError) -> bool:
    """Tell whether what was to be written may be there; a client's own errors (< 0) are no word."""
    return error.code() < 0 or error.code() in SILENCE | _UNSURE


def native_options(settings: Settings) -> dict[str, str]:
    """The Kafka options that are librdkafka's as well."""
    told = {
        name: value
        for name, value in settings.kafka.options.items()
        if not name.startswith(_JAVA_ONLY)
    }
    return told | ({_NAMES_CHECKED: "none"} if told.get(_NAMES_CHECKED) == "" else {})


def java_options(settings: Settings) -> dict[str, str]:
    """The Kafka options, and in Java's words what librdkafka has other words for."""
    told = dict(settings.kafka.options)
    mechanism = told.get("sasl.mechanism", told.get("sasl.mechanisms", ""))
    user, password = told.get("sasl.username"), told.get("sasl.password")
    if mechanism in _LOGINS and user is not None and password is not None:
        login = f"{_LOGINS[mechanism]} required username={_quoted(user)}"
        told.setdefault("sasl.mechanism", mechanism)
        told.setdefault("sasl.jaas.config", f"{login} password={_quoted(password)};")
    if not any(it.startswith("ssl.truststore.") for it in told):
        told |= _trusted(told)
    return told | ({_NAMES_CHECKED: ""} if told.get(_NAMES_CHECKED) == "none" else {})


def _trusted(told: Mapping[str, str]) -> dict[str, str]:
    """Say in Java's words which authorities are trusted; of a folder of them it knows nothing."""
    inline, place = told.get("ssl.ca.pem"), told.get("ssl.ca.location", _PROBE)
    if inline is not None:
        return {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": inline}
    if place == _PROBE or Path(place).is_dir():
        return {}
    return {"ssl.truststore.type": "PEM", "ssl.truststore.location": place}


def _quoted(text: str) -> str:
    escaped = text.replace("\\", r"\\").replace('"', r"\"")
    return f'"{escaped}"'


class _Admin(AdminClient):
    """One that says why it does not come through."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._met = Met()
        told: dict[str, Any] = {**options, "error_cb": self._met}
        super().__init__(told)

    def list_topics(self, *asked: Any, **options: Any) -> ClusterMetadata:  # noqa: ANN401 - as of it
        """Ask what topics there are, as the first thing that is asked."""
        try:
            return super().list_topics(*asked, **options)
        except KafkaException as error:
            self.poll(0)  # so it hears
            told = error.args[0]
            raise KafkaException(KafkaError(told.code(), self._met.beside(told))) from error


def admin(settings: Settings, servers: str) -> AdminClient:
    """An admin client; it connects when it is first used."""
    told = {"bootstrap.servers": servers, "log_level": 2, "allow.auto.create.topics": False}
    return _Admin({**native_options(settings), **told})
