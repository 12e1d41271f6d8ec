"""The injector: each fault is done at its time, and undone when it is over.

Each fault has a thread of its own, so several may last at a time. Used by the round. Whatever
fails here fails the round.
"""

import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Final

from chaos.faults import LINES, Fault, Kind
from chaos.fleet import MEMBERS, Fleet
from chaos.history import Recorder
from chaos.installation import Broker
from chaos.vigil import Vigil

_NOTICED_S: Final = 0.5
"""Until a member has taken its next message, and is slow with it."""

_LATE_S: Final = 10.0
"""A fault that had to wait for another one for so long is left out."""

Way = Callable[[Fault], None]
Ways = tuple[Way, Way]
"""How a fault is done, and undone."""


def nothing(_: Fault) -> None:
    """Undo a fault that is over by itself."""


class Injector:
    """Does faults to the installation and the members."""

    def __init__(
        self,
        broker: Broker,
        controller: Vigil,
        fleet: Fleet,
        further: Mapping[Kind, Ways],
        record: Recorder,
    ) -> None:
        self._broker, self._controller = broker, controller
        self._fleet, self._further = fleet, further
        self._record = record
        self._members = [threading.Lock() for _ in range(MEMBERS)]
        """Held while something is done to one: on a busy machine it takes longer than was drawn."""
        self._controlling, self._brokering = threading.Lock(), threading.Lock()
        """Held while one of both is away, or has to be there for something."""
        self._rocketmq = threading.Lock()
        """Held while one of its brokers is away."""
        self._naming = threading.Lock()
        """Held while its name server is away: the next one may come before it serves again."""
        self._failures: list[Exception] = []

    def inject(self, faults: tuple[Fault, ...]) -> None:
        """Do all of them, each at its time, and return when all are over.

        Raises:
            ExceptionGroup: Something could not be done.
        """
        began = time.monotonic()
        threads = [threading.Thread(target=self._one, args=[it, began]) for it in faults]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)
                    self._fleet.look()
                    self._controller.look()
        finally:  # whoever comes next is not to be hurt
            for thread in threads:
                thread.join()
        if self._failures:
            raise ExceptionGroup("a fault could not be done or undone", self._failures)

    def _one(self, fault: Fault, began: float) -> None:
        time.sleep(max(0.0, began + fault.at_s - time.monotonic()))
        try:
            self._do(fault, began)
        except Exception as error:  # noqa: BLE001 - raised by `inject`
            self._failures.append(error)

    def _do(self, fault: Fault, began: float) -> None:
        """Do a fault, and undo it when its time is over."""
        with ExitStack() as stack:
            for lock in self._locks(fault):
                stack.enter_context(lock)
            if time.monotonic() > began + fault.at_s + _LATE_S:
                self._record.add("omitted", said=str(fault))
                return
            self._record.add("fault", said=str(fault))
            hit, cure = self._ways(fault)
            hit(fault)
            time.sleep(0.0 if fault.kind is Kind.ROLLING else fault.lasts_s)
            cure(fault)
            self._record.add("cured", said=str(fault))

    def _ways(self, fault: Fault) -> Ways:
        """How it is done, and undone."""
        if fault.kind in self._further:
            return self._further[fault.kind]
        if fault.kind in LINES:
            return self._broker.lines.hurt, self._broker.lines.mend
        if fault.victims:
            return self._hit_member, self._cure_member
        return self._hit_other, self._cure_other

    def _hit_member(self, fault: Fault) -> None:
        fleet, first = self._fleet, fault.victims[0]
        match fault.kind:
            case Kind.KILL:
                fleet.kill(first)
            case Kind.FREEZE | Kind.BLINK:
                fleet.stop(first)
            case Kind.TWIN:
                fleet.double(first)
            case Kind.SLOW:
                fleet.leave(fault.victims[1])
                fleet.be_slow(first)
                time.sleep(_NOTICED_S)
                fleet.start(fault.victims[1])  # so it is to give a queue with a message in hand
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
            case _:
                pass

    def _hit_other(self, fault: Fault) -> None:
        match fault.kind:
            case Kind.CONTROLLER_KILLED:
                self._controller.kill()
            case Kind.CONTROLLER_FROZEN:
                self._controller.signal(signal.SIGSTOP)
            case Kind.BROKER_FROZEN:
                self._broker.freeze()
            case _:
                self._broker.stop()

    def _cure_other(self, fault: Fault) -> None:
        match fault.kind:
            case Kind.CONTROLLER_KILLED:
                self._controller.start()
            case Kind.CONTROLLER_FROZEN:
                self._controller.signal(signal.SIGCONT)
            case Kind.BROKER_FROZEN:
                self._broker.thaw()
            case _:
                self._broker.start()

    def _roll(self, fault: Fault) -> None:
        for number in fault.victims:
            self._fleet.leave(number)
            self._fleet.start(number)
            time.sleep(fault.lasts_s)

    def _locks(self, fault: Fault) -> tuple[threading.Lock, ...]:
        """What nobody else may touch meanwhile; a controller that starts needs a broker."""
        match fault.kind:
            case Kind.CONTROLLER_KILLED:
                return self._controlling, self._brokering
            case (
                Kind.CONTROLLER_FROZEN
                | Kind.CONTROLLER_CUT
                | Kind.CONTROLLER_HELD_UP
                | Kind.CONTROLLER_LATE
            ):
                return (self._controlling,)
            case Kind.BROKER_FROZEN | Kind.BROKER_RESTARTED | Kind.GROW | Kind.RETENTION:
                return (self._brokering,)
            case Kind.ROCKETMQ_RESTARTED | Kind.ROCKETMQ_KILLED:
                return (self._rocketmq,)
            case Kind.NAMES_AWAY:
                return (self._naming,)
            case _:
                return tuple(self._members[it] for it in sorted(fault.victims))
