"""The assembly: the parts of a consumer, put together. It is loaded when a consumer is made.

So `trimtab` can be imported without confluent-kafka. Used by `Consumer`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import KafkaException, Message

from trimtab.callbacks import Owned
from trimtab.consuming.choice import Choice, Told
from trimtab.consuming.client import Client, where
from trimtab.consuming.commits import Commits
from trimtab.consuming.handover import Handover
from trimtab.consuming.intake import Intake
from trimtab.consuming.sends import Send
from trimtab.consuming.settings import client_settings, group_of
from trimtab.consuming.transactions import Transactions
from trimtab.consuming.upkeep import Upkeep
from trimtab.errors import CommitError, ConfigurationError
from trimtab.protocol import QueueRef
from trimtab.session import Profile

_FLUSH_SHARE: Final = 2
"""An application that commits by itself has half of the time of a revocation for that."""
_SENT: Final = {"topic", "value", "key", "headers", "partition", "timestamp"}
"""What `produce` takes, but for callbacks."""


@dataclass(frozen=True)
class Parts:
    """What a consumer is made of."""

    intake: Intake
    handover: Handover
    upkeep: Upkeep

    def commit(self, messages: Iterable[Message] | None) -> bool:
        """Commit these and all before them, or what is done; tell whether all of them counted.

        Raises:
            CommitError: Kafka does not take it, or does not say so in time.
        """
        counted, complete = None, True
        if messages is not None:
            with self.intake.turn:
                counted, complete = self.intake.done(messages)
        try:
            self.upkeep.commit(counted)
        except KafkaException as error:
            raise CommitError(f"not committed: {error}") from error
        return complete

    def token(self, message: Message) -> int:
        """The token of a message's queue."""
        return self.intake.readings[where(message)[0]].grant.token

    def send(self, message: Message, arguments: dict[str, Any]) -> bool:
        """Keep this until the message is committed; tell whether that will be here.

        Raises:
            ConfigurationError: Nothing would hold both together.
        """
        if self.handover.fenced is None:
            raise ConfigurationError('send: it needs fencing="transactional"')
        for name in ("value", "key"):
            if not isinstance(arguments[name], str | bytes | None):
                raise ConfigurationError(f"send: {name} is neither text nor bytes")
        for name in arguments.keys() - _SENT:
            raise ConfigurationError(f"send: {name} cannot be said of what is sent later")
        queue, offset = where(message)
        reading = self.intake.readings.get(queue)  # in no turn: an event loop may not wait for one
        if reading is None or self.intake.gone:
            return False
        if offset < max(reading.done, reading.committed or 0):
            return False
        self.handover.fenced.sends.add(reading.grant, Send(offset, arguments))
        return True

    def seek(self, queue: QueueRef, offset: int) -> None:
        """Read on at another offset, or begin there."""
        with self.intake.turn:
            reading = self.intake.readings.get(queue)
            if reading is None:
                self.intake.sought[queue] = offset
            elif not reading.ending:
                if fenced := self.handover.fenced:
                    fenced.sends.read_again(reading.grant, offset)
                self.intake.due = 0.0
                self.intake.move({queue: offset})

    def set_paused(self, queues: Iterable[QueueRef], *, paused: bool) -> None:
        """Hand out nothing of these, or go on."""
        intake = self.intake
        with intake.turn:
            changed = [it for it in queues if (it in intake.paused) is not paused]
            intake.paused.symmetric_difference_update(changed)
            mine = [it for it in map(intake.readings.get, changed) if it and not it.ending]
            intake.due = 0.0
            if paused:
                intake.move(intake.not_handed_out(mine))
            else:
                intake.client.resume([it.queue for it in mine])

    def close(self) -> None:
        """End what the member's end has left."""
        self.upkeep.finish()
        if self.handover.fenced:
            self.handover.fenced.close()
        with self.intake.turn:
            self.intake.client.close()


def assemble(
    profile: Profile,
    owned: Owned,
    servers: str | None,
    kafka: Mapping[str, Any],
    choice: Choice,
    told: Told,
) -> Parts:
    """Put the parts together."""
    group = group_of(profile)
    settings = client_settings(servers, group, kafka, choice.fetch)
    client = Client(settings, choice.start)
    intake = Intake(client, owned, manual=choice.commit == "manual")
    commits: Commits | Transactions
    if choice.fencing:
        commits = Transactions(settings, group, owned, intake.heard, client.group_metadata())
    else:
        commits = Commits(settings, group, owned, intake.heard)
    flush_s = profile.revocation_timeout_ms / 1_000 / _FLUSH_SHARE
    handover = Handover(intake, commits, told, flush_s)
    return Parts(intake, handover, Upkeep(handover, choice.times, told))
