"""The data plane on Kafka: a confluent-kafka Consumer that reads what its member was granted.

    with (
        ConsumerBinding({"bootstrap.servers": "localhost:9092", "group.id": "billing"}) as binding,
        Member("localhost:9092", group="billing", topics=["orders"], binding=binding) as member,
    ):
        while member.state not in ("ended", "failed"):
            if (message := binding.poll(0.1)) is not None and message.error() is None:
                handle(message)
                binding.done(message)

It commits only messages that the application called done, and only of queues that the member owns
at that moment, by the clock. A queue is given up when no message of it is in hand; its position is
committed and goes to the heir. How it reads:

- It uses only `incremental_assign` and `incremental_unassign`: a full `assign` of old and new
  partitions rewinds each of them to its committed offset.
- A consumer admits one thread at a time (confluent-kafka since 2.16), and a thread that polls in a
  loop keeps others out. So it polls in slices, and asks for the lock in between.
- Every wait ends, though Kafka hangs: commits go by a client of their own (`commits`).
"""

import logging
import threading
import time
from collections.abc import Collection, Mapping
from typing import Any, Final, Self, get_args

from confluent_kafka import Consumer, KafkaError, KafkaException, Message

from trimtab.callbacks import Owned, Positions
from trimtab.commits import Commits, Places
from trimtab.consumer_settings import consumer_settings, group_of, refuse_strangers, said
from trimtab.durations import milliseconds
from trimtab.errors import ConfigurationError
from trimtab.offsets import Asked, GroupOffsets, Start, place
from trimtab.protocol import QueueRef
from trimtab.reading import Reading, Readings
from trimtab.session import Grant, Profile

_LOGGER: Final = logging.getLogger("trimtab")
_SLICE_S: Final = 0.005
"""How long a hand-over may wait for a poll that waits for a message: as long as the rest of it."""
_LOOK_S: Final = 0.05
"""How late a wait for the application notices that the queue is lost: as the member's thread."""


class ConsumerBinding:
    """Keeps a consumer's partitions equal to a member's grants.

    `poll`, `done`, `commit` and `waiting` are for the application, the rest is for its member.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        *,
        start: Start = "earliest",
        commit_interval: str | float = "5s",
        recommit_interval: str | float = "10m",
        poll_means_done: bool = False,
    ) -> None:
        """Make the consumer.

        Args:
            settings: confluent-kafka's, with `group.id`, the group of the member.
            start: Where to begin with a queue of which the group has committed nothing.
            commit_interval: How often to commit what is done: what a crash may repeat.
            recommit_interval: How often to commit everything again, because Kafka forgets what
                was committed long ago (`offsets.retention.minutes`).
            poll_means_done: Asking for the next message says that the one before is done.
        """
        self._group = group_of(settings)
        if start not in get_args(Start):
            raise ConfigurationError(f"start: {start!r} is none of {', '.join(get_args(Start))}")
        self._commit_s = milliseconds("commit_interval", commit_interval) / 1_000
        self._recommit_s = milliseconds("recommit_interval", recommit_interval, 1) / 1_000
        self._poll_means_done = poll_means_done
        self._turn = threading.Lock()
        """Held by a thread that uses the consumer for more than a poll."""
        self._finding = threading.Lock()
        """One thread decides where to begin, or each might decide otherwise."""
        self._polling = threading.Lock()
        """One thread at a time takes messages, so that none overtakes another."""
        self._readings = Readings()
        self._astray: set[QueueRef] = set()
        """Queues whose next message Kafka does not have any more."""
        self._unbegun: dict[QueueRef, Grant] = {}
        """Grants of which it is not known yet where to begin."""
        self._reader: threading.Thread | None = None
        self._attached: Owned | None = None
        now = time.monotonic()
        self._asked = Asked()
        self._commit_at, self._recommit_at = now + self._commit_s, now + self._recommit_s
        try:
            self._consumer = Consumer(consumer_settings(settings))
            self._commits = Commits(settings, self._group, self._owned, self._readings.committed)
        except (KafkaException, TypeError, ValueError) as error:
            raise ConfigurationError(f"settings: {said(error)}") from None
        self._offsets = GroupOffsets(self._consumer, start)

    def attach(self, profile: Profile, owned: Owned) -> None:
        """Follow a member, which calls this when it is made with this binding."""
        if self._attached is not None:
            raise ConfigurationError("binding: it follows a member already; make one for each")
        refuse_strangers(profile, self._group)
        self._attached = owned

    @property
    def waiting(self) -> bool:
        """Whether a hand-over waits for messages in hand: finish them, and call `done`."""
        return self._readings.waiting

    def poll(self, timeout: float) -> Message | None:
        """Take the next message, if there is one in time; it is in hand until it is `done`."""
        deadline = time.monotonic() + timeout
        self._reader = threading.current_thread()
        if self._poll_means_done:
            self._readings.all_done()
        while True:
            self._look_after_offsets()
            left = max(0.0, deadline - time.monotonic())
            with self._turn:  # a callback that wants the consumer holds this
                pass
            message = self._next(left)
            if message is not None or left == 0:
                return message

    def _next(self, left: float) -> Message | None:
        if not self._polling.acquire(timeout=left):
            return None  # another thread polls
        try:
            message = self._consumer.poll(min(left, _SLICE_S))
            return message if message is not None and self._is_for_us(message) else None
        finally:
            self._polling.release()

    def done(self, *messages: Message) -> bool:
        """The application has finished these messages; the order does not matter.

        Returns:
            Whether all of them counted. Those of a queue that was lost meanwhile do not: whoever
            has it now gets them again.
        """
        return self._readings.done([(_queue(it), it.offset() or 0) for it in messages])

    def commit(self) -> None:
        """Commit what is done, and wait until Kafka has it; a few seconds at most.

        Raises:
            confluent_kafka.KafkaException: Kafka does not take it, or does not say so in time. It
                is tried again by `poll`.
        """
        self._commits.write(lambda: self._readings.positions(self._readings.uncommitted()))

    def is_read_here(self) -> bool:
        """Whether this is the only thread that reads."""
        reader = self._reader
        return reader is None or reader is threading.current_thread() or not reader.is_alive()

    def give_back(self) -> None:
        """Stop reading: the application has stopped, and others get the messages in hand."""
        self._readings.give_back()

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Begin where the last owner stopped, otherwise at the committed offset."""
        with self._turn:
            self._begin([Reading(it, it.position) for it in grants if it.position is not None])
            self._unbegun |= {it.queue: it for it in grants if it.position is None}
        self._find_beginnings()

    def on_revoked(self, grants: tuple[Grant, ...]) -> Positions:
        """Hand out no more messages, wait for those in hand, commit, and return the positions."""
        ending = self._stop_reading(grants)
        # There is no bound but the member's: it loses what is not let go in time.
        while any(it.in_hand and self._owned([it.grant]) for it in ending):
            self._readings.wait(_LOOK_S)
        positions = self._readings.positions(ending)
        uncommitted = {
            it.grant: positions[it.grant] for it in ending if it.position != it.committed
        }
        self._readings.forget(ending)  # from now on no other thread commits anything of these
        try:
            self._commits.write(lambda: uncommitted)
        except KafkaException as error:
            # A repetition at most: the position travels with the release.
            _LOGGER.warning("could not commit a queue that is handed over: %s", error)
        return {it.queue: positions[it] for it in self._owned(positions)}

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Stop. Others may be at work already, so nothing is committed."""
        self._commits.withdraw()
        self._readings.forget(self._stop_reading(grants))

    def _owned(self, grants: Collection[Grant]) -> frozenset[Grant]:
        """Ask the member, which takes the time into account first."""
        if self._attached is None:
            raise ConfigurationError("binding: make a member with it, `Member(..., binding=...)`")
        return self._attached(grants)

    def _is_for_us(self, message: Message) -> bool:
        """Hand out a message, unless its queue has been given up or lost."""
        queue, error = _queue(message), message.error()
        if error is not None:
            if error.code() != KafkaError._AUTO_OFFSET_RESET:  # noqa: SLF001 - its public name
                return True
            self._astray.add(queue)
            return False
        found = self._readings.find([queue])
        return any(
            self._owned([it.grant]) and self._readings.take(it, message.offset() or 0)
            for it in found
        )

    def _look_after_offsets(self) -> None:
        """Do what is due."""
        self._commits.hear()
        now = time.monotonic()
        if self._unbegun and now >= self._asked.again_at:
            self._find_beginnings()
        if self._astray and now >= self._asked.again_at:
            self._go_on()
        if now < min(self._commit_at, self._recommit_at):
            return
        everything = now >= self._recommit_at
        self._commit_at = now + self._commit_s
        if everything:
            self._recommit_at = now + self._recommit_s
        due = self._readings.every if everything else self._readings.uncommitted
        self._commits.write_soon(lambda: self._readings.positions(due()))

    def _find_beginnings(self) -> None:
        """Begin where the group stopped, or else decide where, and commit it before anything."""
        if not self._finding.acquire(blocking=False):
            return  # by another thread, which asks for these as well as soon as it polls
        try:
            with self._asked.answered():
                first = self._find_committed()
                self._commits.write(lambda: self._still_unbegun(first))
                with self._turn:
                    begun = self._still_unbegun(first)
                    self._begin([Reading(it, at, at) for it, at in begun.items()])
        finally:
            self._finding.release()

    def _find_committed(self) -> Places:
        """Begin where the group stopped; say where to begin with the rest."""
        with self._turn:
            grants = {it.queue: it for it in self._owned(self._unbegun.values())}
            committed = self._offsets.committed(list(grants))
            self._begin([Reading(grants[queue], at, at) for queue, at in committed.items()])
            first = self._offsets.first([it for it in grants if it not in committed])
            return {grants[queue]: at for queue, at in first.items()}

    def _still_unbegun(self, first: Places) -> Places:
        """Leave out what has been given up meanwhile."""
        return {it: at for it, at in first.items() if self._unbegun.get(it.queue) == it}

    def _begin(self, readings: list[Reading]) -> None:
        for reading in readings:
            self._unbegun.pop(reading.grant.queue, None)
        self._readings.begin(readings)
        self._consumer.incremental_assign([place(it.grant.queue, it.next) for it in readings])

    def _go_on(self) -> None:
        """Go on with the earliest there is, where Kafka does not have the next one any more."""
        with self._turn, self._asked.answered():
            astray = {it.grant.queue: it for it in self._readings.find(self._astray)}
            earliest = self._offsets.earliest(list(astray))
            self._astray.clear()
            for queue, at in earliest.items():
                text = "%s: Kafka has deleted offset %d, reading goes on at %d"
                _LOGGER.warning(text, queue, astray[queue].next, at)
                astray[queue].next = at
            places = [place(*it) for it in earliest.items()]
            self._consumer.incremental_unassign(places)
            self._consumer.incremental_assign(places)

    def _stop_reading(self, grants: tuple[Grant, ...]) -> list[Reading]:
        """Hand out nothing more."""
        with self._turn:
            ending = self._readings.end(grants)
            self._astray -= {it.grant.queue for it in ending}
            for grant in grants:
                self._unbegun.pop(grant.queue, None)
            self._consumer.incremental_unassign([place(it.grant.queue) for it in ending])
        return ending

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Read nothing more."""
        self._commits.withdraw()
        self._consumer.close()


def _queue(message: Message) -> QueueRef:
    return QueueRef(message.topic() or "", "", message.partition() or 0)
