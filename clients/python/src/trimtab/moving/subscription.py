"""The subscription: a consumer that is a member of Kafka's own group, and reads nothing.

Kafka takes commits of a group that has members from its members only, but of any queue. So it is
subscribed on both sides, and everything that is committed while a group moves goes by it. What it
is assigned it pauses: other parts read.

One thread uses the client; others give it jobs. Kafka's rebalance waits until what is taken away is
finished, and that may have to be committed: so this thread goes on with jobs meanwhile. Used by
`mover`. Its one rule: a commit that is dropped before it is sent is never sent.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple, Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from trimtab.callbacks import mistaken
from trimtab.clock import now_ms, now_s
from trimtab.consuming.confluent import checked, metadata_of, place, queue_of
from trimtab.consuming.confluent_silence import SILENT
from trimtab.errors import ConfigurationError, TransportError
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.moving.sides import LastCommit, read_commit
from trimtab.protocol import QueueRef
from trimtab.repeats import Repeats
from trimtab.transports.confluent_discarding import discard
from trimtab.transports.confluent_succession import successor
from trimtab.troubles import REPEAT_MS

_LOGGER: Final = logging.getLogger("trimtab")
_ASK_S: Final = 2.0
"""One question to Kafka; commits wait meanwhile."""
_WAIT_S: Final = 3 * _ASK_S
"""What asks waits at most: another question and a commit may be before it."""
_AGAIN: Final = {
    KafkaError.REBALANCE_IN_PROGRESS,
    KafkaError.ILLEGAL_GENERATION,
    KafkaError.UNKNOWN_MEMBER_ID,
}
"""What Kafka says to a commit between two generations of a group."""
_AGAIN_S: Final = 1.5
"""How long that is tried again: less than the patience of who commits."""
_PAUSE_S: Final = 0.02
"""Between two tries."""
_STALLED_S: Final = 600.0
"""After so long without an answer it is seen whether another client has one (H15). A join may keep
all answers back for as long as a rebalance takes, `max.poll.interval.ms`: 5 min by default."""
_TRY_S: Final = 5.0
"""Of a client that has to connect first."""
_ROUND_S: Final = 0.05
"""How late a rebalance is noticed: it takes Kafka seconds, or a heartbeat at least."""

_OTHER_STRATEGY: Final = (
    "partition.assignment.strategy: the others in Kafka's group have another one, so Kafka does not"
    " let this one in: give theirs in `fetch`"
)


class Changes(Protocol):
    """Who hears what Kafka's coordinator assigns."""

    def take(self, queues: Collection[QueueRef]) -> None:
        """These are ours."""

    def give(self, queues: Collection[QueueRef]) -> None:
        """These are to be given up; others get them when this returns."""

    def lose(self, queues: Collection[QueueRef]) -> None:
        """Others may have these already."""

    def trouble(self, error: Exception) -> None:
        """The coordinator assigns nothing, and says why."""


class _Job(NamedTuple):
    do: Callable[[Consumer], Any]
    answer: "Future[Any]"
    until: float
    """Until when it is tried again if Kafka's group is in the middle of a rebalance."""


class Subscription:
    """A member of Kafka's group, from `start` to `close`."""

    def __init__(self, settings: Mapping[str, Any], topics: Collection[str]) -> None:
        self._settings = dict(settings)
        self._consumer = Consumer(self._settings, logger=KAFKA_LOGGER)
        self._silent_since: float | None = None
        """When a question had no answer first, after the last one that had."""
        self._asked = list[TopicPartition]()  # last, so that another client can be asked as well
        self._topics = list(topics)
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._over, self._is_new = threading.Event(), False
        self._repeats = Repeats(REPEAT_MS)
        self._thread = threading.Thread(target=self._run, name="trimtab-subscription", daemon=True)

    def start(self, changes: Changes) -> None:
        """Subscribe, and tell what comes of it."""
        self._changes = changes
        self._thread.start()

    def close(self) -> None:
        """Leave Kafka's group."""
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def last_commits(self, queues: Collection[QueueRef]) -> dict[QueueRef, LastCommit]:
        """Read the last commit of each.

        Raises:
            KafkaException: Kafka does not say.
            TransportError: Kafka has not said it in time.
        """
        asked = list(map(place, queues))
        if not asked:
            return {}
        self._asked = asked[:1]
        found = _answer(self._ask(lambda it: it.committed(asked, _ASK_S)), "what is committed")
        return {
            queue_of(it): read_commit(it.offset, metadata_of(it))
            for it in found
            if it.error is None
        }

    def commit(self, places: Mapping[QueueRef, tuple[int, str]]) -> None:
        """Commit, and wait for it; what is given up before it is sent is dropped.

        Raises:
            KafkaException: Kafka does not take it.
            TransportError: Kafka has not said so in time.
        """
        given_up = threading.Event()
        try:
            _answer(self.send(places, given_up.is_set), "whether it takes a commit")
        finally:
            given_up.set()

    def send(
        self, places: Mapping[QueueRef, tuple[int, str]], is_dropped: Callable[[], bool]
    ) -> "Future[Any]":
        """Commit, unless it is dropped by then."""
        offsets = [place(it, *said) for it, said in places.items()]
        return self._ask(lambda it: _commit(it, [] if is_dropped() else offsets))

    def _ask(self, do: Callable[[Consumer], Any]) -> "Future[Any]":
        job = _Job(do, Future(), now_s() + _AGAIN_S)
        self._jobs.put(job)
        return job.answer

    def _subscribe(self) -> None:
        self._silent_since = None
        self._consumer.subscribe(
            self._topics,
            on_assign=lambda _, places: self._take(places),
            on_revoke=lambda _, places: self._aside(self._changes.give, places),
            on_lost=lambda _, places: self._aside(self._changes.lose, places),
        )

    def _look(self) -> None:
        """Go on with a new client if that has an answer, and this one has not."""
        self._silent_since = now_s()
        if (fresh := successor(Consumer, self._settings, KAFKA_LOGGER.warning)) is None:
            return
        lost: list[TopicPartition] = []
        held: list[object] = [fresh]
        if self._has_answer(fresh) and not self._has_answer(self._consumer):
            _LOGGER.warning("Kafka's group does not answer. Subscribing again with a new client.")
            held, lost = [self._consumer], self._consumer.assignment()
            self._consumer = fresh
            self._subscribe()
        del fresh
        discard(held)
        if lost:
            self._aside(self._changes.lose, lost)  # others may have these by now

    def _has_answer(self, consumer: Consumer) -> bool:
        try:
            return bool(consumer.committed(self._asked, _TRY_S))
        except KafkaException:
            return False

    def _run(self) -> None:
        self._bear(self._subscribe)
        while not self._over.is_set():
            self._bear(self._go_on)
        self._bear(self._consumer.close)

    def _bear(self, do: Callable[[], object]) -> None:
        """Tell what a callback in `kafka` or `fetch` raises meanwhile, or Kafka's own last word."""
        try:
            do()
        except BaseException as error:  # noqa: BLE001 - it would end this thread, silently
            told = error if isinstance(error, KafkaException) and _cause(error) else None
            self._changes.trouble(told or self._mistake(error))

    def _mistake(self, error: BaseException) -> ConfigurationError:
        """What to tell; the log has the whole of it, but not with each look of the thread."""
        if self._repeats.is_new(repr(error), now_ms()):
            mistaken(error)
        return ConfigurationError(f"kafka: a callback failed: {error!r}")

    def _go_on(self) -> None:
        """Do what is due: within a moment, also if nothing is."""
        self._work()
        since = self._silent_since
        if since is not None and now_s() - since > _STALLED_S:
            self._look()
        while (message := self._consumer.poll(0)) is not None:
            self._hear(message)
        if self._is_new:
            self._is_new = False
            self._consumer.pause(self._consumer.assignment())

    def _hear(self, message: Message) -> None:
        """Say what is wrong; what was fetched before the pause, others read."""
        error = message.error()
        if error is None or error.code() == KafkaError._AUTO_OFFSET_RESET:  # noqa: SLF001 - its public name
            return
        if error.code() == KafkaError.INCONSISTENT_GROUP_PROTOCOL:
            self._changes.trouble(ConfigurationError(_OTHER_STRATEGY))
        else:
            self._changes.trouble(KafkaException(error))

    def _work(self) -> None:
        """Do what is asked for within a moment, and what has come by then."""
        wait_s, again = _ROUND_S, list[_Job]()
        with suppress(Empty):
            while True:
                job = self._jobs.get(timeout=wait_s) if wait_s else self._jobs.get_nowait()
                wait_s = 0.0
                try:
                    answer = job.do(self._consumer)
                    job.answer.set_result(answer)
                    if answer:  # of what was dropped nobody was asked
                        self._silent_since = None
                except BaseException as error:  # noqa: BLE001 - who asked hears of it, and goes on
                    since = self._silent_since or now_s()
                    self._silent_since = since if _is_unanswered(error) else None
                    if _is_between(error) and now_s() < job.until:
                        again.append(job)
                    else:
                        told = error if isinstance(error, Exception) else self._mistake(error)
                        job.answer.set_exception(told)
        if again:
            time.sleep(_PAUSE_S)
        for job in again:
            self._jobs.put(job)

    def _take(self, places: list[TopicPartition]) -> None:
        self._is_new = True
        self._changes.take(list(map(queue_of, places)))

    def _aside(
        self, tell: Callable[[Collection[QueueRef]], None], places: list[TopicPartition]
    ) -> None:
        """Tell it in another thread, and go on with jobs until that is done."""
        telling = threading.Thread(target=tell, args=[list(map(queue_of, places))], daemon=True)
        telling.start()
        while telling.is_alive():
            self._work()


def _answer(asked: "Future[Any]", what: str) -> Any:  # noqa: ANN401 - of any job
    try:
        return asked.result(_WAIT_S)
    except TimeoutError:  # it has no text of its own
        text = f"Kafka's group cannot be asked: it has not said in {_WAIT_S:.0f} s {what}"
        raise TransportError(text) from None


def _commit(consumer: Consumer, places: list[TopicPartition]) -> list[TopicPartition]:
    return checked((consumer.commit(offsets=places, asynchronous=False) or []) if places else [])


def _is_unanswered(error: BaseException) -> bool:
    """Whether Kafka has said nothing to it."""
    cause = _cause(error)
    return cause is not None and cause.code() in SILENT


def _is_between(error: BaseException) -> bool:
    """Whether it is the middle of a rebalance that refuses."""
    cause = _cause(error)
    return cause is not None and cause.code() in _AGAIN


def _cause(error: BaseException) -> KafkaError | None:
    """What Kafka's client says, if it is that which raises."""
    cause = error.args[0] if isinstance(error, KafkaException) and error.args else None
    return cause if isinstance(cause, KafkaError) else None
