"""The assembly: the parts of a consumer, put together around the Kafka client that was chosen.

A client's library is imported only when it is chosen. Used by `Reader`.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from trimtab.callbacks import Owned
from trimtab.consuming.choice import Choice, Told, group_of
from trimtab.consuming.commits import PATIENCE_S, Commits
from trimtab.consuming.contract import Client, Wish, Writer, where
from trimtab.consuming.handover import Handover
from trimtab.consuming.intake import Intake
from trimtab.consuming.kafka_python_settings import link_of
from trimtab.consuming.offsets import GroupOffsets
from trimtab.consuming.reading import Reading
from trimtab.consuming.refusals import Refusals
from trimtab.consuming.send_arguments import checked
from trimtab.consuming.sends import Send
from trimtab.consuming.upkeep import Upkeep
from trimtab.errors import ConfigurationError, StuckError
from trimtab.protocol import QueueRef
from trimtab.session import Profile
from trimtab.transports import Client as Library
from trimtab.transports import installed
from trimtab.transports.link import Link

if TYPE_CHECKING:
    from confluent_kafka import Message

    from trimtab.consuming.transactions import Transactions

_LIBRARIES: Final[Mapping[Library, tuple[str, str]]] = {
    "confluent": ("trimtab.consuming.confluent", "Confluent"),
    "kafka-python": ("trimtab.consuming.kafka_python", "KafkaPython"),
}
"""For each library our translation of it (with its writer beside it), and how the names begin."""


@dataclass(frozen=True)
class Parts:
    """What a consumer is made of."""

    intake: Intake
    handover: Handover
    upkeep: Upkeep

    def commit(self, messages: "Iterable[Message] | None") -> bool:
        """Commit these and all before them, or what is done; tell whether all of them counted.

        Raises:
            ConfigurationError: Nobody has said what is done.
            CommitError: Kafka does not take it, or does not say so in time.
        """
        counted, complete = None, True
        if messages is not None:
            with self.intake.turn:
                counted, complete = self.intake.done(messages)
        elif self.intake.manual:
            raise ConfigurationError('commit: with commit="manual" say which messages are done')
        return self.upkeep.commit(counted) and complete

    def token(self, message: "Message") -> int:
        """The token under which a message was handed out, if its queue is owned under it still."""
        queue, offset = where(message)
        if (reading := self._giver(queue, offset)) is None:
            raise KeyError(queue)
        return reading.grant.token

    def send(self, message: "Message", arguments: dict[str, Any]) -> bool:
        """Keep this until the message is committed; tell whether that will be here.

        Raises:
            ConfigurationError: Nothing would hold both together.
        """
        if self.handover.fenced is None:
            raise ConfigurationError('send: it needs fencing="transactional"')
        kept = checked(arguments, self.handover.fenced.largest)
        queue, offset = where(message)
        reading = self._giver(queue, offset)
        if reading is None or not self.handover.fenced.writes(reading.grant):
            return False
        if offset < max(reading.done, reading.committed or 0):
            return False
        return self.handover.fenced.keep(reading.grant, Send(offset, kept))

    def lag(self) -> dict[QueueRef, int | None]:
        """How many messages of each queue are not done, as far as Kafka has said."""
        intake = self.intake
        with intake.turn:
            readings = [it for it in intake.readings.values() if not it.ending]
            done, ends = intake.positions(readings), intake.client.ends(it.queue for it in readings)
        return {
            it.queue: max(0, ends[it.queue] - done[it.grant]) if it.queue in ends else None
            for it in readings
        }

    def seek(self, queue: QueueRef, offset: int) -> None:
        """Read on at another offset, or begin there."""
        with self.intake.turn:
            reading = self.intake.readings.get(queue)
            if reading is None:
                self.intake.sought[queue] = offset
            elif not reading.ending:
                self.intake.comes_again(reading, offset)
                if self.handover.fenced is not None:
                    self.handover.fenced.sends.skip(reading.grant)
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
            if not mine:
                return  # the consumer may be closed
            if paused:
                intake.move(intake.not_handed_out(mine))
            else:
                intake.client.resume([it.queue for it in mine])

    def _giver(self, queue: QueueRef, offset: int) -> Reading | None:
        """Under what a message was handed out, if its queue is owned so at this moment.

        A loss is told when no other callback runs. It needs no turn: an event loop may not wait.
        """
        reading = self.intake.reading_of(queue, offset)
        return reading if reading and self.intake.owned([reading.grant]).grants else None

    def close(self) -> None:
        """End what the member's end has left."""
        self.upkeep.finish()
        self.handover.commits.close()
        with suppress(StuckError), self.intake.turn:  # a client that hangs is left as it is
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
    wish = Wish(servers, group_of(profile), kafka, choice.fetch, PATIENCE_S)
    client = client_of(choice.client, wish)
    offsets = GroupOffsets(client, choice.start)
    intake = Intake(client, offsets, owned, manual=choice.commit == "manual")
    fenced = None if choice.fencing is None else _fenced(choice.client, wish, client, intake)
    if fenced is not None:
        intake.hands_out_again = fenced.sends.read_again
    commits = fenced or Commits(writer_of(choice.client, wish), owned, intake.heard)
    handover = Handover(intake, commits, fenced, told, profile.revocation_timeout_ms / 1_000)
    refusals = Refusals(_link_of(choice.client, wish), wish.group, profile.topics)
    return Parts(intake, handover, Upkeep(handover, choice.times, told, refusals))


def client_of(library: Library | None, wish: Wish) -> Client:
    """Make what reads; without a choice, by the first library that is installed."""
    module, name = _LIBRARIES[installed(library)]
    return cast("Client", getattr(import_module(module), f"{name}Client")(wish))


def writer_of(library: Library | None, wish: Wish) -> Writer:
    """Make what writes positions, by the same library."""
    module, name = _LIBRARIES[installed(library)]
    return cast("Writer", getattr(import_module(f"{module}_writer"), f"{name}Writer")(wish))


def _link_of(library: Library | None, wish: Wish) -> Link:
    """Where Kafka is, and who asks."""
    if installed(library) == "confluent":
        return Link.of_confluent(wish.servers or "", wish.kafka)
    return link_of(wish)


def _fenced(library: Library | None, wish: Wish, client: Client, intake: Intake) -> "Transactions":
    """Have Kafka fence, by the library that can.

    Raises:
        ConfigurationError: It is the other one.
    """
    if installed(library) != "confluent":
        raise ConfigurationError('fencing: "transactional" needs client="confluent"')
    made = import_module("trimtab.consuming.transactions").Transactions
    return cast("Transactions", made(wish, intake.owned, intake.heard, client))
