"""Striking: each fault is done at its time, and undone when it is over.

Each fault has a thread of its own, so several may last at a time. Used by the round. Whatever
fails here fails the round.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # missing in the stubs
    AdminClient,
    NewPartitions,
)

from chaos.commits import Commits
from chaos.faults import LINES, Fault, Kind
from chaos.fleet import Fleet
from chaos.history import Recorder
from chaos.installation import Broker, Killable
from chaos.traffic import Traffic

_NOTICED_S: Final = 0.5
"""Until a member has taken its next message, and is slow with it."""


_LATE_S: Final = 10.0
"""A fault that had to wait for another one for so long is left out."""
_ANSWER_S: Final = 5.0
"""For an answer of a Kafka that runs; it takes milliseconds."""
_INSIST_S: Final = 60.0
"""For a Kafka that has just thawed: it fences its broker, and takes it back a second later."""
_AGAIN_S: Final = 0.2


Way = Callable[[Fault], None]
Request = Callable[[AdminClient], Mapping[Any, "Future[Any]"]]


class Striking:
    """What faults are done to."""

    def __init__(
        self,
        installation: tuple[Broker, Killable],
        fleet: Fleet,
        traffic: Traffic,
        commits: Commits,
        record: Recorder,
    ) -> None:
        self._broker, self._controller = installation
        self._fleet, self._traffic, self._commits = fleet, traffic, commits
        self._record = record
        self._controlling, self._brokering = threading.Lock(), threading.Lock()
        """Held while one of both is away, or has to be there for something."""
        self._reading = threading.Lock()
        self._failures: list[Exception] = []

    def strike(self, faults: tuple[Fault, ...]) -> None:
        """Do all of them, each at its time, and return when all are over.

        Raises:
            ExceptionGroup: Something could not be done.
        """
        began = time.monotonic()
        threads = [threading.Thread(target=self._one, args=[it, began]) for it in faults]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)
                self._fleet.look()
        if self._failures:
            raise ExceptionGroup("a fault could not be done or undone", self._failures)

    def _one(self, fault: Fault, began: float) -> None:
        time.sleep(max(0.0, began + fault.at_s - time.monotonic()))
        try:
            self._do(fault, began)
        except Exception as error:  # noqa: BLE001 - raised by `strike`
            self._failures.append(error)

    def _do(self, fault: Fault, began: float) -> None:
        """Do a fault, and undo it when its time is over."""
        with ExitStack() as stack:
            for lock in self._locks(fault.kind):
                stack.enter_context(lock)
            if time.monotonic() > began + fault.at_s + _LATE_S:
                return
            self._record.add("fault", said=str(fault))
            strike, cure = self._ways(fault)
            strike(fault)
            time.sleep(0.0 if fault.kind is Kind.ROLLING else fault.lasts_s)
            cure(fault)
            self._record.add("cured", said=str(fault))

    def _ways(self, fault: Fault) -> tuple[Way, Way]:
        """How it is done, and undone."""
        if fault.kind in LINES:
            return self._broker.lines.hurt, self._broker.lines.mend
        if fault.victims:
            return self._strike_member, self._cure_member
        return self._strike_other, self._cure_other

    def _strike_member(self, fault: Fault) -> None:
        fleet, first = self._fleet, fault.victims[0]
        match fault.kind:
            case Kind.KILL:
                fleet.kill(first)
            case Kind.FREEZE | Kind.BLINK:
                fleet.stop(first)
            case Kind.TWIN:
                fleet.double(first)
            case Kind.SLOW:
                fleet.be_slow(first)
                time.sleep(_NOTICED_S)
                fleet.leave(fault.victims[1])
            case _:
                self._roll(fault)

    def _cure_member(self, fault: Fault) -> None:
        fleet, first = self._fleet, fault.victims[0]
        match fault.kind:
            case Kind.KILL:
                fleet.start(first)
            case Kind.FREEZE | Kind.BLINK:
                fleet.resume(first)
            case Kind.TWIN:
                fleet.single(first)
            case Kind.SLOW:
                fleet.start(fault.victims[1])
            case _:
                pass

    def _strike_other(self, fault: Fault) -> None:
        match fault.kind:
            case Kind.CONTROLLER_KILLED:
                self._controller.kill()
            case Kind.CONTROLLER_FROZEN:
                os.killpg(self._controller.pid, signal.SIGSTOP)
            case Kind.BROKER_FROZEN:
                self._broker.freeze()
            case Kind.BROKER_RESTARTED:
                self._broker.stop()
            case Kind.GROW:
                self._grow()
            case _:
                self._delete()

    def _cure_other(self, fault: Fault) -> None:
        match fault.kind:
            case Kind.CONTROLLER_KILLED:
                self._controller.start()
            case Kind.CONTROLLER_FROZEN:
                os.killpg(self._controller.pid, signal.SIGCONT)
            case Kind.BROKER_FROZEN:
                self._broker.thaw()
            case Kind.BROKER_RESTARTED:
                self._broker.start()
            case _:
                pass

    def _roll(self, fault: Fault) -> None:
        for number in fault.victims:
            self._fleet.leave(number)
            self._fleet.start(number)
            time.sleep(fault.lasts_s)

    def _grow(self) -> None:
        topic, count = self._traffic.topic, self._traffic.partitions + 1
        more = [NewPartitions(topic, count)]
        self._insist(lambda admin: admin.create_partitions(more, request_timeout=_ANSWER_S))
        self._traffic.partitions = count

    def _delete(self) -> None:
        """Delete what is committed, as a retention would that ran very often."""
        self._insist(
            lambda admin: admin.delete_records(self._committed(), request_timeout=_ANSWER_S)
        )

    def _committed(self) -> list[TopicPartition]:
        with self._reading:
            self._commits.catch_up()
            return [TopicPartition(self._traffic.topic, *it) for it in self._commits.latest.items()]

    def _insist(self, request: Request) -> None:
        """Have it done, by a Kafka that may have thawed a moment ago.

        Each try has a client of its own: librdkafka's waits for a controller in vain if there was
        none when it asked first.
        """
        over_at = time.monotonic() + _INSIST_S
        while True:
            admin = self._admin()  # which must live until the answer is there
            try:
                for answer in request(admin).values():
                    answer.result()
            except KafkaException as error:
                if error.args[0].code() == KafkaError.INVALID_PARTITIONS:
                    return  # the answer to an earlier try was lost
                if time.monotonic() > over_at:
                    raise
                time.sleep(_AGAIN_S)
            else:
                return

    def _admin(self) -> AdminClient:
        return AdminClient({"bootstrap.servers": self._broker.servers, "log_level": 0})

    def _locks(self, kind: Kind) -> tuple[threading.Lock, ...]:
        """What nobody else may touch meanwhile; a controller that starts needs a broker."""
        match kind:
            case Kind.CONTROLLER_KILLED:
                return self._controlling, self._brokering
            case Kind.CONTROLLER_FROZEN | Kind.CONTROLLER_CUT:
                return (self._controlling,)
            case Kind.CONTROLLER_HELD_UP | Kind.CONTROLLER_LATE:
                return (self._controlling,)
            case Kind.BROKER_FROZEN | Kind.BROKER_RESTARTED | Kind.GROW | Kind.RETENTION:
                return (self._brokering,)
            case _:
                return ()
