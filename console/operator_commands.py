"""Operators' commands: one record each on `commands`, and the answer in `history`.

The contract checks a command before it is written, and the controller judges it when it is read.
Who gives one waits for what became of it, so it listens before it writes.

Called by `trimtab groups` and `trimtab brokers`. Its one rule: if a record could not be written,
was refused or is not answered, the command fails and says so.
"""

import getpass
import os
import time
import uuid
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Self

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer
from pydantic import ValidationError

from console.cluster import bootstrap_servers, is_unsure, native_options
from console.errors import ExitCode, Failure
from console.met import Met
from console.progress import Stderr
from console.settings import Settings
from console.topics import forbidden
from console.views.typed import quoted, typed
from console.whole_topics import count, end_of
from trimtab.protocol import (
    COMMANDS,
    HISTORY,
    Command,
    CommandAnswer,
    Record,
    Topic,
    UndecodableRecord,
    decode,
    encode,
    partition_of,
    read_group_key,
)
from trimtab.protocol.limits import NAME_CHARACTERS

PATIENCE_S = 30.0

_POLL_S = 0.5
MAY_BE = "It may be written all the same, and is obeyed then"
_NAMES = f"a name has 1 to {NAME_CHARACTERS} characters, and no control characters"


class PerhapsGiven(Failure):
    """It failed, and what was commanded is written, or may be: then it is obeyed."""


@dataclass(frozen=True, slots=True)
class Address:
    """Whom a command is for."""

    asked_as: str
    """How the command line asks for the name."""
    name: str


def signed(address: Address, reason: str, verb: str, **said: object) -> Command:
    """Make a command and sign it.

    Raises:
        Failure: It breaks the contract.
    """
    signature = {"id": str(uuid.uuid4()), "principal": user(), "reason": reason}
    try:
        read_group_key(address.name.encode())
        return COMMANDS.kinds[verb].model_validate({**signature, **said})
    except UndecodableRecord as error:
        wrong = error.detail.split(": ", maxsplit=1)[0]
        raise Failure(f"{address.asked_as}: {wrong}: {_NAMES}", ExitCode.USAGE) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(str(step) for step in first["loc"])
        raise Failure(f"{path}: {first['msg']}", ExitCode.USAGE) from error


def give(
    settings: Settings, name: str, command: Command, patience_s: float | None
) -> CommandAnswer | None:
    """Write a command to a group or a cluster; return its answer, None if none is waited for.

    Raises:
        Failure: Kafka did not take it, it was refused, or nobody has answered in time.
    """
    (answer,) = give_all(settings, name, [command], patience_s)
    if patience_s is None:
        return None
    if answer is None:
        reason = f"{command.kind} is written; {unanswered(name, command, patience_s)}"
        raise PerhapsGiven(reason, ExitCode.TIMEOUT)
    if answer.outcome != "done":
        raise Failure(f"{answer.outcome}: {answer.detail}", ExitCode.UNHEALTHY)
    return answer


def give_all(
    settings: Settings, name: str, commands: Sequence[Command], patience_s: float | None
) -> list[CommandAnswer | None]:
    """Write commands at once, so that few steps obey them all; return the answer to each.

    Raises:
        Failure: Kafka did not take them.
    """
    if patience_s is None:
        _write(settings, COMMANDS, name, commands)
        return [None] * len(commands)
    with _AnswerReader(settings, name) as reader:
        _write(settings, COMMANDS, name, commands)
        answers = reader.wait_for({it.id for it in commands}, patience_s)
    return [answers.get(it.id) for it in commands]


def unanswered(name: str, command: Command, patience_s: float) -> str:
    """Say that there is no answer yet, and where there will be one."""
    about_a_broker = getattr(command, "broker", None) is not None
    of_brokers = f"trimtab brokers history --cluster {quoted(name)}"
    where = of_brokers if about_a_broker else typed("groups history", name)
    return (
        f"no answer within {patience_s:.0f} s. Is a controller running? The answer will appear in "
        f"`{where}`, id {command.id}."
    )


class _AnswerReader:
    """Hears what is appended from now on to the partition of `history` that a name is in."""

    def __init__(self, settings: Settings, name: str) -> None:
        servers, topic = bootstrap_servers(settings), f"{settings.topics.prefix}{HISTORY.name}"
        end = end_of(settings, servers, topic, name)
        self._topic, self._met = topic, Met()
        self._consumer = Consumer(
            {
                **native_options(settings),
                "bootstrap.servers": servers,
                "group.id": "trimtab-reading",  # never joined
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",  # if the topic is made anew, the answer is in it
                "fetch.wait.max.ms": 100,
                "log_level": 2,
                "error_cb": self._met,
            }
        )
        self._consumer.assign([end])

    def __enter__(self) -> Self:
        """Hear from now on."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hear no more."""
        self._consumer.close()

    def wait_for(self, ids: AbstractSet[str], patience_s: float) -> dict[str, CommandAnswer]:
        """Return the answers to commands that have come in time.

        Raises:
            Failure: The caller may not read them.
        """
        heard: dict[str, CommandAnswer] = {}
        deadline = time.monotonic() + patience_s
        while len(heard) < len(ids) and (left := deadline - time.monotonic()) > 0:
            message = self._consumer.poll(min(left, _POLL_S))
            if message is None:
                continue
            if (error := message.error()) is not None:
                self._look_at(error)
                continue
            try:
                entry = decode(HISTORY, message.value())
            except UndecodableRecord:
                continue  # of a later version, or nobody's
            if isinstance(entry, CommandAnswer) and entry.id in ids:
                heard[entry.id] = entry
        if len(heard) < len(ids) and self._met.last:
            Stderr().note(f"trouble while {self._topic} was read: {self._met.last}")
        return heard

    def _look_at(self, error: KafkaError) -> None:
        """Note what may pass, and raise what no waiting mends."""
        if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
            reason = forbidden("Read", self._topic)
            text = f"written, and may be obeyed, but its answer cannot be read: {reason}"
            raise PerhapsGiven(text)
        if error.code() != KafkaError.GROUP_AUTHORIZATION_FAILED:  # a group is never needed
            self._met(error)


def user() -> str:
    """Return who commands; in a container the user may have a number and no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def write(settings: Settings, to: Topic[Any], key: str, record: Record) -> None:
    """Write a record under the key of its group, cluster or controller.

    Raises:
        Failure: Kafka did not take it.
    """
    _write(settings, to, key, [record])


def _write(settings: Settings, to: Topic[Any], key: str, records: Sequence[Record]) -> None:
    failed: list[KafkaError] = []

    def delivered(error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            failed.append(error)

    topic, servers = f"{settings.topics.prefix}{to.name}", bootstrap_servers(settings)
    told = {"bootstrap.servers": servers, "log_level": 2, "allow.auto.create.topics": False}
    partition = partition_of(key, count(settings, servers, topic))
    producer = Producer({**native_options(settings), **told})
    try:
        for it in records:
            producer.produce(topic, encode(it), key.encode(), partition, on_delivery=delivered)
    except KafkaException as error:
        raise Failure(f"{topic}: {error.args[0].str()}") from error
    if producer.flush(PATIENCE_S):
        reason = f"no answer within {PATIENCE_S:.0f} s: does Kafka answer at {servers}?"
        raise PerhapsGiven(f"{topic}: {reason} {MAY_BE}", ExitCode.TIMEOUT)
    if failed:
        raise _refusal(topic, failed, len(records))


def _refusal(topic: str, failed: Sequence[KafkaError], records: int) -> Failure:
    """Return how a command ends of which Kafka has not taken all records."""
    if all(it.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED for it in failed):
        return Failure(str(forbidden("Write", topic)), ExitCode.UNHEALTHY)
    for it in failed:
        if is_unsure(it):
            return PerhapsGiven(f"{topic}: {it.str()}. {MAY_BE}", ExitCode.TIMEOUT)
    if len(failed) < records:
        return PerhapsGiven(f"{topic}: {len(failed)} of {records} not written: {failed[0].str()}")
    return Failure(f"{topic}: {failed[0].str()}")
