"""Reads along: the journals into the totals, the controller's topics onto the board.

Called by ``play`` ten times a second. It only reads, so it cannot change how the story goes.
"""

from confluent_kafka import OFFSET_BEGINNING, Consumer, Message, TopicPartition

from console.demo.board import Board
from console.demo.cast import Place
from console.demo.journal import JournalReader
from console.demo.totals import Totals
from trimtab.protocol import (
    ASSIGNMENTS,
    DEFAULT_PARTITIONS,
    DEFAULT_PREFIX,
    GROUPS,
    HISTORY,
    decode,
)

_TOPICS = (ASSIGNMENTS.name, GROUPS.name, HISTORY.name)
_AT_ONCE = 1000
"""Records taken in one look: a rebalance of the demo writes some twenty."""


class Follower:
    """What is known so far, kept up to date by looking."""

    def __init__(self, place: Place) -> None:
        self.totals = Totals()
        self.board = Board()
        self._journals = JournalReader(place.journals)
        self._consumer = Consumer(
            {
                "bootstrap.servers": place.bootstrap_servers,
                # Demanded by the client; nothing is committed and no group is joined.
                "group.id": "trimtab-demo-follower",
                "enable.auto.commit": False,
            }
        )
        self._consumer.assign(
            [
                TopicPartition(DEFAULT_PREFIX + name, partition, OFFSET_BEGINNING)
                for name in _TOPICS
                for partition in range(DEFAULT_PARTITIONS)
            ]
        )

    def look(self) -> None:
        """Take in what is new, without waiting for anything."""
        for entry in self._journals.fresh():
            self.totals.absorb(entry)
        for message in self._consumer.consume(_AT_ONCE, timeout=0):
            self._pin(message)

    def _pin(self, message: Message) -> None:
        if message.error() is not None:
            return  # the broker is away for a moment; the client retries
        value = message.value()
        match str(message.topic()).removeprefix(DEFAULT_PREFIX):
            case ASSIGNMENTS.name if value is None:
                self.board.unpin(message.key() or b"")
            case ASSIGNMENTS.name:
                self.board.pin(decode(ASSIGNMENTS, value))
            case GROUPS.name:
                self.board.pin(decode(GROUPS, value))
            case HISTORY.name:
                self.board.pin(decode(HISTORY, value))

    def close(self) -> None:
        """Leave."""
        self._consumer.close()
