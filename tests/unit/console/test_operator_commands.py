"""Commands go where the controller reads, and their answers are heard where it writes."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from confluent_kafka import KafkaError, TopicPartition

from console import operator_commands
from console.errors import ExitCode, Failure
from console.operator_commands import Address, PerhapsGiven, give, signed
from console.settings import load
from tests.unit.console.views.published_records import cause
from trimtab.protocol import COMMANDS, Command, CommandAnswer, decode, encode, partition_of

PARTITIONS = 16
"""Twice as many as the settings of who sets nothing say."""
NAME = "billing"
PLACE = partition_of(NAME, PARTITIONS)
END = 7


Delivered = Callable[[KafkaError | None, None], None]


class Answer(NamedTuple):
    """A message of the history."""

    record: CommandAnswer

    def value(self) -> bytes:
        """What it says."""
        return encode(self.record)

    def error(self) -> None:
        """It is no error."""


class Refusal(NamedTuple):
    """An error where a message should be."""

    code: int

    def error(self) -> KafkaError:
        """What is wrong."""
        return KafkaError(self.code)


class Installation:
    """Topics of 16 partitions, and a controller that answers what comes to the right one."""

    def __init__(self) -> None:
        self.heard: list[Command] = []
        self.left = 0
        """How many records are not written in time."""
        self.fails: int | None = None
        """How writing fails."""
        self.refuses: int | None = None
        """How reading fails."""
        self._read: list[TopicPartition] = []

    def produce(
        self, _topic: str, value: bytes, key: bytes, partition: int, *, on_delivery: Delivered
    ) -> None:
        """Read it as the controller does: anywhere else it would be a dead letter."""
        if self.fails is not None:
            on_delivery(KafkaError(self.fails), None)
        elif partition == partition_of(key.decode(), PARTITIONS):
            self.heard.append(decode(COMMANDS, value))

    def flush(self, _timeout: float) -> int:
        """Have written all, or not."""
        return self.left

    def assign(self, places: list[TopicPartition]) -> None:
        """Note what is read."""
        self._read = places

    def poll(self, _timeout: float) -> Answer | Refusal | None:
        """Give the answer to whoever reads where it stands."""
        if self.refuses is not None:
            return Refusal(self.refuses)
        if not self.heard or [(it.partition, it.offset) for it in self._read] != [(PLACE, END)]:
            return None
        asked = self.heard[-1]
        return Answer(
            CommandAnswer(
                group=NAME,
                command=asked.kind,
                id=asked.id,
                principal=asked.principal,
                reason=asked.reason,
                outcome="done",
                detail="",
                epoch=17,
                at_ms=1,
                cause=cause("c", kind="command"),
            )
        )

    def close(self) -> None:
        """Leave."""


@pytest.fixture
def installation(monkeypatch: pytest.MonkeyPatch) -> Installation:
    """One that everything goes to."""
    made = Installation()

    def client(_options: Any) -> Installation:  # noqa: ANN401 - as Kafka's own
        return made

    monkeypatch.setattr(operator_commands, "Producer", client)
    monkeypatch.setattr(operator_commands, "Consumer", client)
    monkeypatch.setattr(operator_commands, "count", lambda *_: PARTITIONS)
    place = TopicPartition("trimtab.history", PLACE, END)
    monkeypatch.setattr(operator_commands, "end_of", lambda *_: place)
    return made


def order(patience_s: float) -> tuple[Command, CommandAnswer | None]:
    """Pause the group."""
    settings = load(key_values=["kafka.bootstrap_servers=k:1"], environment={}).settings
    command = signed(Address("GROUP", NAME), "rack 7", "pause")
    return command, give(settings, NAME, command, patience_s)


def test_kafka_says_how_many_partitions_there_are(installation: Installation) -> None:
    """Who commands need not have the controller's settings."""
    command, answer = order(0.2)

    assert ([command], 17) == (installation.heard, answer and answer.epoch)


def test_who_may_not_read_the_answer_does_not_wait_for_it(installation: Installation) -> None:
    """And is told that the command is given all the same."""
    installation.refuses = KafkaError.TOPIC_AUTHORIZATION_FAILED

    with pytest.raises(
        Failure, match=r"^written, and may be obeyed, but .* no right to Read topic"
    ):
        order(60)
    assert 1 == len(installation.heard)


def test_what_is_not_written_in_time_may_be_written_later(installation: Installation) -> None:
    """Kafka may have it, and only its answer is late: then the controller obeys."""
    installation.left = 1
    with pytest.raises(PerhapsGiven, match="may be written all the same, and is obeyed") as failure:
        order(60)

    assert ExitCode.TIMEOUT == failure.value.exit_code


@pytest.mark.parametrize(
    ("code", "may_be"),
    [
        (KafkaError._MSG_TIMED_OUT, True),  # noqa: SLF001 - its documented name
        (KafkaError.REQUEST_TIMED_OUT, True),
        (KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND, True),
        (KafkaError.POLICY_VIOLATION, False),
    ],
)
def test_what_kafka_has_not_refused_may_be_written(
    installation: Installation, code: int, *, may_be: bool
) -> None:
    """Its client gives up sooner, if it is told to, and knows no more than we."""
    installation.fails = code
    with pytest.raises(Failure, match=r"trimtab\.commands: ") as failure:
        order(60)

    said = "may be written all the same, and is obeyed" in str(failure.value)
    assert (may_be, may_be) == (isinstance(failure.value, PerhapsGiven), said)


def test_what_kafka_denies_is_refused(installation: Installation) -> None:
    """As the table of exit codes says; and the right that is missing is named."""
    installation.fails = KafkaError.TOPIC_AUTHORIZATION_FAILED
    with pytest.raises(Failure, match=r"no right to Write topic trimtab\.commands") as failure:
        order(60)

    assert ExitCode.UNHEALTHY == failure.value.exit_code


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (KafkaError._TRANSPORT, "trouble while trimtab.history was read: "),  # noqa: SLF001 - its documented name
        (KafkaError.GROUP_AUTHORIZATION_FAILED, ""),
    ],
)
def test_who_waits_in_vain_is_told_what_was_in_the_way(
    installation: Installation, capsys: pytest.CaptureFixture[str], code: int, said: str
) -> None:
    """It may be Kafka, and no dead controller; a right to groups nobody needs here."""
    installation.refuses = code

    with pytest.raises(Failure, match="no answer within") as failure:
        order(0.01)
    assert ExitCode.TIMEOUT == failure.value.exit_code
    assert (said != "") == capsys.readouterr().err.startswith(said or "trouble")
