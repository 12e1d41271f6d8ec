"""Operators' commands: one record each on `commands`.

The contract checks a command before it is written, and the controller judges it when it is read: a
group's answer stands in `history`, a broker's in its verdict.

Called by `trimtab groups` and `trimtab brokers`. Its one rule: if a record could not be written,
the command fails and says so.
"""

import getpass
import os
import uuid
from dataclasses import dataclass

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from pydantic import ValidationError

from console.cluster import bootstrap_servers, native_options
from console.errors import ExitCode, Failure
from console.settings import Settings
from trimtab.protocol import (
    COMMANDS,
    Command,
    UndecodableRecord,
    encode,
    partition_of,
    read_group_key,
)
from trimtab.protocol.limits import NAME_CHARACTERS

PATIENCE_S = 30.0

_NAMES = f"a name has 1 to {NAME_CHARACTERS} characters, and no control characters"
_CHECK = "compare `trimtab topics check`, topics.prefix and topics.partitions"
_NOWHERE = {
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,  # noqa: SLF001 - librdkafka's own name
    KafkaError._UNKNOWN_PARTITION,  # noqa: SLF001 - as above
}
"""There is no such topic, or it has fewer partitions."""


@dataclass(frozen=True, slots=True)
class Address:
    """Whom a command is for."""

    asked_as: str
    """How the command line asks for the name."""
    name: str


def send_command(
    settings: Settings, address: Address, reason: str, verb: str, **said: object
) -> Command:
    """Sign a command and write it.

    Raises:
        Failure: It breaks the contract, or Kafka did not take it.
    """
    signed = {"id": str(uuid.uuid4()), "principal": _user(), "reason": reason}
    try:
        read_group_key(address.name.encode())
        command = COMMANDS.kinds[verb].model_validate({**signed, **said})
    except UndecodableRecord as error:
        wrong = error.detail.split(": ", maxsplit=1)[0]
        raise Failure(f"{address.asked_as}: {wrong}: {_NAMES}", ExitCode.USAGE) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(str(step) for step in first["loc"])
        raise Failure(f"{path}: {first['msg']}", ExitCode.USAGE) from error
    _write(settings, address.name, command)
    return command


def _user() -> str:
    """Return who commands; in a container the user may have a number and no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _write(settings: Settings, key: str, command: Command) -> None:
    failed: list[KafkaError] = []

    def delivered(error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            failed.append(error)

    topic, servers = f"{settings.topics.prefix}{COMMANDS.name}", bootstrap_servers(settings)
    producer = Producer({**native_options(settings), "bootstrap.servers": servers, "log_level": 2})
    partition = partition_of(key, settings.topics.partitions)
    try:
        producer.produce(topic, encode(command), key.encode(), partition, on_delivery=delivered)
    except KafkaException as error:
        raise Failure(f"{topic}: {error.args[0].str()}") from error
    if producer.flush(PATIENCE_S):
        reason = f"not written within {PATIENCE_S:.0f} s: does Kafka answer at {servers}?"
        raise Failure(f"{topic}: {reason}", ExitCode.TIMEOUT)
    if failed:
        remedy = f"; {_CHECK}" if failed[0].code() in _NOWHERE else ""
        raise Failure(f"{topic}: {failed[0].str()}{remedy}")
